// One machine of a cluster is away: only its customers wait. On a single PostgreSQL its answers are imitated by a
// bucket in which nothing can be written, with the errors that a cluster has for it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { awaitQuarantine } from '../support/poison.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';

const isCluster = (process.env.POSTRIDER_TEST_CITUS ?? '') !== '';
const BUCKET = 7;

let service: Service;
let affected: ServiceCustomer;
let other: ServiceCustomer;

/** As if the machine of the bucket were away, from the first update of a chunk on. Returns what brings it back. */
async function takeAway(message: string, code: string): Promise<() => Promise<void>> {
  await service.sql.unsafe(`
    create function be_away() returns trigger language plpgsql as $$
      begin raise exception '${message}' using errcode = '${code}'; end $$;
    create trigger away before update on chunk for each row when (new.bucket = ${BUCKET}) execute function be_away()`);
  return async () => void (await service.sql.unsafe('drop function be_away cascade'));
}

const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => String(13_900_000_000 + from + at));

describe.skipIf(isCluster)('customers of a machine that is away hold no places of the others', () => {
  beforeAll(async () => {
    service = await startService({ before: ({ sql }) => sql`insert into bucket (bucket) values (${BUCKET})` });
    affected = await service.addCustomer({ bucket: BUCKET });
    other = await service.addCustomer({ bucket: 0 });
  });
  afterAll(() => service?.stop());

  test.each([
    ['connection to the remote node failed', '08006'],
    ['could not commit transaction for shard 102008 on at least one active node', 'XX000'],
  ])('%s', async (message, code) => {
    const bringBack = await takeAway(message, code);
    try {
      // More than the whole window of the channel.
      const waiting = await affected.send(numbers(0, 500));
      await awaitQuarantine(service, (items) => items.some(({ customer_no }) => customer_no === affected.customerNo));
      const task = await other.send(numbers(10_000, 500));
      expect((await other.completed(task.task_no)).counts).toMatchObject({ total: 500, delivered: 500 });
      expect((await affected.client.task(waiting.task_no)).counts).toMatchObject({ unsent: 500 });
      await bringBack();
      const { counts } = await affected.completed(waiting.task_no);
      expect(counts).toMatchObject({ total: 500, delivered: 500 });
      expect(await allOf(affected.client.submits({ taskNo: waiting.task_no }))).toHaveLength(500);
      expect(await auditAll(service.sql)).toEqual([]);
    } finally {
      await bringBack().catch(() => undefined);
    }
  });
});
