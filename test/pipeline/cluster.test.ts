// On a cluster, what a number costs stays on one machine: every statement of its way names a bucket, and every commit has one
// phase. The cluster itself tells what it asks its machines.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseNotice } from '../../src/store/connect.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';

const coordinator = process.env.POSTRIDER_TEST_CITUS ?? '';
const missing = coordinator === '' ? ' (POSTRIDER_TEST_CITUS names no coordinator)' : '';

/** Reads that look for something wherever it may be: reports by the carrier's id, lost parts by number. */
const EVERYWHERE = [/upstream_message_id/, /from .*unknown_part_\d+ /i];
const DISTRIBUTED =
  /\b(account|batch|chunk|delivery|history_reader|ledger_\w+|opt_out|receipt\w*|submit|task|unknown_part|uplink|webhook\w*)_\d{6}/;

describe.skipIf(missing !== '')(`on a cluster${missing}`, () => {
  let service: Service;
  let customers: ServiceCustomer[];
  let commands: string[] = [];

  const listen = ({ message = '', detail = '' }: DatabaseNotice) => {
    if (message.startsWith('issuing ')) commands.push(`${message.slice('issuing '.length)} -- ${detail}`);
  };

  beforeAll(async () => {
    service = await startService({
      onNotice: listen,
      before: ({ sql, address }) => sql.unsafe(`alter database ${address.database} set citus.log_remote_commands = on`),
    });
    customers = [await service.addCustomer(), await service.addCustomer(), await service.addCustomer()];
  });
  afterAll(() => service?.stop());

  test('customers are spread over the buckets there are', async () => {
    const rows = await service.sql<{ bucket: number }[]>`select distinct bucket from customer`;
    expect(rows.length).toBe(3);
  });

  test('a number is accepted, prepared, sent and settled within its bucket, and committed in one phase', async () => {
    commands = [];
    const numbers = Array.from({ length: 30 }, (_, at) => String(13_900_000_000 + at));
    const tasks = await Promise.all(customers.map((customer) => customer.send(numbers)));
    for (const [at, task] of tasks.entries()) {
      const { counts } = (await customers[at]?.completed(task.task_no)) ?? {};
      expect(counts).toMatchObject({ total: 30, delivered: 30 });
    }
    expect(commands.filter((command) => command.includes('PREPARE TRANSACTION'))).toEqual([]);
    const strays = commands.filter(
      (command) =>
        DISTRIBUTED.test(command) &&
        !/bucket\W+(OPERATOR\(pg_catalog\.=\)|=) /.test(command) &&
        !EVERYWHERE.some((pattern) => pattern.test(command)),
    );
    expect(strays).toEqual([]);
    // What was listened to is there at all.
    expect(commands.some((command) => /insert into .*receipt/i.test(command))).toBe(true);
    expect(commands.some((command) => DISTRIBUTED.test(command))).toBe(true);
  });

  test('the books are right, and the operator sees all customers in one list', async () => {
    const { items } = await service.operator.tasks().page();
    expect(items.map(({ customer_no }) => customer_no).toSorted()).toEqual(
      customers.map(({ customerNo }) => customerNo).toSorted(),
    );
    expect(service.complaints).toEqual([]);
  });
});
