// On a cluster, what a number costs stays on one machine: every statement of its way names a bucket, and every commit has one
// phase. The cluster itself tells what it asks its machines.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DISTRIBUTED as tables } from '../../src/store/cluster/tables.js';
import type { DatabaseNotice } from '../../src/store/connect.js';
import { auditAll } from '../../src/store/money/audit-money.js';
import { isOnCluster, missingCluster } from '../support/cluster.js';
import { startReceiver } from '../support/network/receiver.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

/** Reads that look for something wherever it may be: reports by the carrier's id, lost parts by number. */
const EVERYWHERE = [/upstream_message_id/, /from .*unknown_part_\d+ /i];
/** Their shards and partitions end with a number. */
const DISTRIBUTED = new RegExp(`\\b(${tables.join('|')})(_\\w+)?_\\d{6}`);
/** When a key was last used, of which every machine has a copy. It is written once a minute, whatever is sent. */
const KEY_USE = /^UPDATE .*\bcredential_\d+\b/i;
/** A condition, or a row that is inserted with its bucket. */
const NAMES_BUCKET = /bucket\W+(OPERATOR\(pg_catalog\.=\)|=) |^INSERT INTO [^;]*\bbucket\b[^;]*\) VALUES \(/;

const [FAILS, LOST, REPLIES, STOPS] = ['13900009002', '13900009005', '13900009008', '13900009009'] as const;
const numbers = (count: number, from = 13_900_000_000) => Array.from({ length: count }, (_, at) => String(from + at));

describe.skipIf(!isOnCluster)(`on a cluster${missingCluster}`, () => {
  let service: Service;
  let customers: ServiceCustomer[];
  /** What one machine asks another, and what the cluster has a worker do on its own shards. */
  let commands: string[] = [];
  let local: string[] = [];

  const listen = ({ message = '', detail = '' }: DatabaseNotice) => {
    const [, how, command = ''] = /^(issuing|executing the command locally:) (.*)$/s.exec(message) ?? [];
    if (how === 'issuing') commands.push(`${command} -- ${detail}`);
    else if (how !== undefined) local.push(command);
  };

  beforeAll(async () => {
    service = await startService({
      onNotice: listen,
      env: {
        POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8',
        POSTRIDER_UNKNOWN_TIMEOUT: '10s',
        POSTRIDER_RECEIPT_TIMEOUT: '30s',
      },
      before: async ({ sql, address }) => {
        for (const setting of ['log_remote_commands', 'log_local_commands']) {
          const command = `alter database ${address.database} set citus.${setting} = on`;
          await sql`select run_command_on_all_nodes(${command})`;
        }
      },
    });
    const terms = { charge_on: 'submit', refund_on_failure: true } as const;
    customers = [
      await service.addCustomer(terms),
      await service.addCustomer(terms),
      await service.addCustomer({ charge_on: 'delivery' }),
    ];
  });
  afterAll(() => service?.stop());
  afterEach(() => expect(service.complaints).toEqual([]));

  const forEach = (run: (customer: ServiceCustomer) => Promise<unknown>) => Promise.all(customers.map(run));

  /** Whatever the service does meanwhile: each statement on one bucket, each commit in one phase. */
  async function staysWithinBuckets(run: () => Promise<unknown>): Promise<void> {
    commands = [];
    local = [];
    await run();
    const prepared = commands.filter((command) => command.includes('PREPARE TRANSACTION'));
    const keyUses = commands.filter((command) => KEY_USE.test(command));
    expect(prepared.length, commands.join('\n')).toBeLessThanOrEqual(keyUses.length);
    const strays = [...commands, ...local].filter(
      (command) =>
        DISTRIBUTED.test(command) &&
        !NAMES_BUCKET.test(command) &&
        !EVERYWHERE.some((pattern) => pattern.test(command)),
    );
    expect(strays).toEqual([]);
    // What was listened to is there at all.
    expect([...commands, ...local].some((command) => DISTRIBUTED.test(command))).toBe(true);
  }

  test('customers are spread over the buckets there are; a bucket may be asked for, and another is refused', async () => {
    const rows = await service.sql<{ bucket: number }[]>`select distinct bucket from customer`;
    expect(rows.length).toBe(3);
    const [known] = await service.sql<{ bucket: number }[]>`select max(bucket) as bucket from bucket`;
    const request = { name: 'Placed', unit_price: '0' };
    const { bucket } = await service.operator.createCustomer({ ...request, bucket: known?.bucket ?? 0 });
    expect(bucket).toBe(known?.bucket);
    const nowhere = service.operator.createCustomer({ ...request, bucket: 32_767 });
    await expect(nowhere).rejects.toMatchObject({ status: 400 });
  });

  test('many numbers are accepted, prepared, sent and settled', async () => {
    await staysWithinBuckets(async () => {
      await forEach(async (customer) => {
        const { task_no } = await customer.send(numbers(30));
        expect((await customer.completed(task_no)).counts).toMatchObject({ total: 30, delivered: 30 });
      });
    });
    // The worker that holds the bucket does it all, on its shards: the cluster plans none of these writes.
    const writes = /^(with|insert into|update|delete from) /i;
    expect([...commands, ...local].filter((command) => writes.test(command) && DISTRIBUTED.test(command))).toEqual([]);
  });

  test('so are tasks of one number', async () => {
    await staysWithinBuckets(() =>
      forEach(async (customer) => {
        const tasks = await Promise.all(numbers(20, 13_900_001_000).map((phone) => customer.send([phone])));
        for (const { task_no } of tasks) expect((await customer.completed(task_no)).counts.delivered).toBe(1);
      }),
    );
  });

  test('a batch that is scheduled, paused, resumed and cancelled', async () => {
    await staysWithinBuckets(() =>
      forEach(async ({ client, send, completed }) => {
        const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() };
        const tasks = [1, 2].map((at) => send(numbers(5, 13_900_002_000 + 10 * at), { batch_id: 'autumn', ...later }));
        const [first, second] = await Promise.all(tasks);
        await client.moveBatch('autumn', 'pause');
        await client.moveBatch('autumn', 'resume');
        await client.rescheduleTask(first?.task_no ?? '', new Date(Date.now() + 500).toISOString());
        expect((await client.cancelTask(second?.task_no ?? '')).stage).toBe('cancelled');
        expect((await completed(first?.task_no ?? '')).counts.delivered).toBe(5);
        expect(await client.batch('autumn')).toMatchObject({ counts: { total: 10, delivered: 5, rejected: 5 } });
      }),
    );
  });

  test('money by hand, reports of failure and what is paid back', async () => {
    await staysWithinBuckets(() =>
      forEach(async ({ client, send, completed, taskWhen }) => {
        const step = { auto_prepare: false, auto_freeze: false, auto_submit: false };
        const { task_no } = await send([FAILS], step);
        await client.prepareTask(task_no);
        await taskWhen(task_no, ({ stage }) => stage === 'prepared');
        await client.freezeTask(task_no);
        await client.submitTask(task_no);
        const { counts, amounts } = await completed(task_no);
        expect(counts.undelivered).toBe(1);
        expect(Number(amounts.refunded) + Number(amounts.released)).toBe(0.05);
      }),
    );
  });

  test('answers that are lost and given up', async () => {
    await staysWithinBuckets(() =>
      forEach(async ({ send, completed, taskWhen }) => {
        const { task_no } = await send([LOST]);
        await taskWhen(task_no, ({ counts }) => counts.unknown === 1);
        expect((await completed(task_no)).counts.rejected).toBe(1);
      }),
    );
  });

  test('replies, and those that want nothing more', async () => {
    await staysWithinBuckets(() =>
      forEach(async ({ client, send, completed }) => {
        await completed((await send([REPLIES, STOPS])).task_no);
        await until(async () => (await client.uplinks().page()).total === 2);
        const { counts } = await completed((await send([STOPS])).task_no);
        expect(counts.rejected).toBe(1);
      }),
    );
  });

  test('webhooks', async () => {
    const receiver = await startReceiver();
    await staysWithinBuckets(() =>
      forEach(async ({ client, send, completed }) => {
        await client.createWebhook({ url: receiver.url, events: ['receipts', 'task.finished'] });
        await completed((await send(numbers(5, 13_900_003_000))).task_no);
      }),
    );
    await until(() => receiver.accepted.filter(({ type }) => type === 'receipts').length >= customers.length);
    await receiver.kill();
  });

  test('what a customer looks up', async () => {
    await staysWithinBuckets(() =>
      forEach(async ({ client }) => {
        await client.account();
        const lists = [client.tasks(), client.batches(), client.receipts(), client.submits(), client.deliveries()];
        for (const list of lists) expect((await list.page()).items.length).toBeGreaterThan(0);
        for (const list of [client.uplinks(), client.ledgers(), client.optOuts()]) await list.page();
        expect((await client.number(STOPS)).opted_out_at).not.toBe(null);
        await client.statistics();
        await client.statement(new Date().toISOString().slice(0, 7));
      }),
    );
  });

  test('an operator ends what is in doubt, and the audit log has it', async () => {
    const [customer] = customers;
    if (customer === undefined) return expect.fail('no customer');
    const { task_no } = await customer.send([LOST]);
    await customer.taskWhen(task_no, ({ counts }) => counts.unknown === 1);
    await service.operator.resolveTask(task_no, { outcome: 'not_accepted', remark: 'ticket 1' });
    expect((await customer.completed(task_no)).counts.rejected).toBe(1);
    const { items } = await service.operator.auditLog({ action: 'task.resolve' }).page();
    expect(items).toHaveLength(1);
  });

  test('the books are right, and the operator sees all customers in one list', async () => {
    const tasks = await allOf(service.operator.tasks());
    const seen = new Set(tasks.map(({ customer_no }) => customer_no));
    for (const { customerNo } of customers) expect(seen).toContain(customerNo);
    expect(await auditAll(service.sql)).toEqual([]);
  });

  // On the shards nothing but our own care sends a row to the right one.
  test('every row is in the shard of its bucket', async () => {
    const found: string[] = [];
    for (const table of tables) {
      const shards = await service.sql<{ shardId: bigint; buckets: string }[]>`
        select shardid as "shardId", result as buckets
        from run_command_on_shards(${table}, $$select coalesce(string_agg(distinct bucket::text, ','), '') from %s$$)`;
      for (const { shardId, buckets } of shards) {
        const strays = await service.sql`
          select bucket from unnest(string_to_array(${buckets}, ',')) as bucket
          where get_shard_id_for_distribution_column(${table}, bucket::smallint) <> ${shardId}`;
        if (strays.length > 0) throw new Error(`${table}: shard ${shardId} has rows of ${buckets}`);
        if (buckets !== '') found.push(table);
      }
    }
    expect(found).toEqual(expect.arrayContaining(['account', 'ledger_entry', 'receipt', 'submit', 'task']));
  });

  test('a new customer goes to the bucket with the least work', async () => {
    const [customer] = customers;
    const busy = (await service.operator.customer(customer?.customerNo ?? '')).bucket;
    await service.sql`update account set submit_seq = submit_seq + 1000000 where bucket = ${busy}`;
    const chosen: number[] = [];
    for (const name of ['First', 'Second', 'Third', 'Fourth']) {
      chosen.push((await service.operator.createCustomer({ name, unit_price: '0' })).bucket);
    }
    expect(chosen).not.toContain(busy);
    // Each counts as an average customer as soon as it is there.
    expect(new Set(chosen).size).toBeGreaterThan(1);
  });
});
