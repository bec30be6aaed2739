// History older than what is kept ends by month, and what must stay stays.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/main.js';
import { firstIdAt } from '../../../src/domain/id.js';
import { auditAll, auditMoney } from '../../../src/store/money/audit-money.js';
import { ensurePartitions } from '../../../src/store/partitions.js';
import { endHistory } from '../../../src/store/retention/end-history.js';
import { createTestTerminal } from '../../cli/capture.js';
import { createTestDatabase } from '../../support/database.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const DAY_MS = 86_400_000;
/** The tenth of a month. */
const monthsAgo = (months: number, day = 10) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day));
};
/** With it, the last month that is due is so many months ago. */
const keepSince = (months: number) => Date.now() - monthsAgo(months - 1, 1).getTime();
const OLD = monthsAgo(30);
const OLD_MONTH = OLD.toISOString().slice(0, 7);
const KEPT = ['ledger_entry', 'ledger_sum', 'receipt_sum', 'ledger_day', 'account'];

let service: Service;
let customer: ServiceCustomer;
let bucket: number;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer();
  const [row] = await service.sql<{ bucket: number }[]>`select bucket from account`;
  bucket = row?.bucket ?? 0;
});
afterAll(() => service.stop());

const end = (retentionMs = 400 * DAY_MS, signal = new AbortController().signal) =>
  endHistory({ sql: service.sql, retentionMs, signal, rest: async () => {} });

async function count(table: string): Promise<number> {
  const [row] = await service.sql.unsafe(`select count(*)::int as count from ${table}`);
  return row?.count;
}

async function countAll(tables: readonly string[]) {
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await count(table)] as const)));
}

/** A completed task and all that it left, moved to where it would be had it been sent then. */
async function sendLongAgo(phone: string, at: Date, batchId = 'old'): Promise<void> {
  const { sql } = service;
  const { task_no } = await customer.send([phone], { batch_id: batchId });
  await customer.completed(task_no);
  await customer.client
    .statistics({ startAt: new Date(0).toISOString(), endAt: new Date().toISOString(), by: 'day' })
    .catch(() => {});
  await until(
    async () =>
      (
        await sql`
    select 1 as one from account a join history_reader h on h.bucket = a.bucket and h.customer_id = a.customer_id
    where h.entry_seq = a.entry_seq`
      ).length === 1,
  );
  const oldest = firstIdAt(new Date(Date.now() - DAY_MS));
  const shift = firstIdAt(new Date()) - firstIdAt(at);
  await sql`update ledger_entry set task_id = task_id - ${shift}, created_at = ${at} where bucket = ${bucket} and task_id > ${oldest}`;
  await sql`
    update task set task_id = task_id - ${shift}, updated_at = ${at}
    where bucket = ${bucket} and task_id > ${oldest} and stage = 'completed'`;
  for (const table of ['submit', 'delivery', 'receipt']) {
    await sql.unsafe(
      `update ${table} set ${table}_id = ${table}_id - ${shift}, task_id = task_id - ${shift} where bucket = ${bucket} and ${table}_id > ${oldest}`,
    );
  }
}

test('an old month ends, with everything that is not money', async () => {
  const { sql } = service;
  await ensurePartitions(sql, OLD);
  await sendLongAgo('13900139001', OLD);
  // In a month that has no partition.
  await sendLongAgo('13900139001', monthsAgo(40), 'recent');
  const { task_no: recent } = await customer.send(['13900139001'], { batch_id: 'recent' });
  await customer.completed(recent);
  await sql`insert into audit (at, actor, action, subject, change) values
    (${OLD}, 'root', 'number.find', '+8613900139001', '{}'), (${OLD}, 'root', 'customer.change', 'C1', '{}'),
    (now(), 'root', 'number.find', '+8613900139001', '{}'), (${OLD}, 'root', 'session.refuse', 'ann@example.com', '{}')`;
  await auditMoney(sql, { isFull: false, tasksASlice: 1, closedAfterMs: 0 });
  expect(await customer.client.batch('recent')).toMatchObject({ tasks: 2, deleted_tasks: 0, counts: { total: 2 } });
  const before = await countAll(KEPT);
  const statement = await customer.client.statement(OLD_MONTH);
  const statistics = await sql`select * from receipt_sum order by 1, 2, 3, 4, 5, 6`;

  const ended = await end();
  expect(ended.outcome).toBe('ended');
  expect(await countAll(['task', 'receipt', 'submit', 'delivery_report', 'batch'])).toEqual({
    task: 1,
    receipt: 1,
    submit: 1,
    delivery_report: 1,
    batch: 1,
  });
  const tables =
    await sql`select relname from pg_class where relname like ${`%_${OLD_MONTH.replace('-', '_')}`} and relkind = 'r'`;
  expect(tables).toEqual([]);
  const reads =
    await sql`select action, at < now() - interval '1 day' as old from audit where actor = 'root' and subject <> ''
    and action in ('number.find', 'customer.change', 'session.refuse') order by audit_id`;
  expect(reads.map(({ action, old }) => `${action} ${old}`)).toEqual(['customer.change true', 'number.find false']);
  expect(await countAll(KEPT)).toEqual(before);
  expect(await customer.client.statement(OLD_MONTH)).toEqual(statement);
  expect(await sql`select * from receipt_sum order by 1, 2, 3, 4, 5, 6`).toEqual(statistics);

  // The proofs of what has gone are kept, and nothing is missed in what has not.
  expect(await auditAll(sql)).toEqual([]);
  expect((await end()).outcome).toBe('nothing due');

  // Its sums say that they are not those of all that was sent under its name.
  expect(await customer.client.batch('recent')).toMatchObject({ tasks: 1, deleted_tasks: 1, counts: { total: 1 } });
});

test('a month with an open task is kept as it is, and the command says so', async () => {
  const { sql } = service;
  const at = monthsAgo(12);
  await ensurePartitions(sql, at);
  await sendLongAgo('13900139001', at, 'open');
  await sql`update task set stage = 'submitting' where bucket = ${bucket} and batch_id = 'open'`;
  const before = await countAll(['task', 'receipt']);
  const retentionMs = keepSince(12);
  expect(await end(retentionMs)).toMatchObject({ outcome: 'open', tasks: 1 });
  expect(await countAll(['task', 'receipt'])).toEqual(before);
  const [database] = await sql<{ name: string }[]>`select current_database() as name`;
  const fresh = await createTestDatabase();
  await fresh.drop();
  const env = {
    POSTRIDER_DATABASE_URL: fresh.url.replace(fresh.address.database, database?.name ?? ''),
    POSTRIDER_RETENTION: `${Math.floor(retentionMs / DAY_MS)}d`,
  };
  const terminal = createTestTerminal({ env });
  expect(await runCommandLine(['retention', '--json'], terminal), terminal.err.text).toBe(0);
  const months = terminal.out.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(months.find(({ month }) => month === at.toISOString().slice(0, 7))).toMatchObject({
    state: 'open',
    open_tasks: 1,
  });
  expect(months.some(({ state }) => state === 'ended')).toBe(true);
  await sql`update task set stage = 'completed' where bucket = ${bucket} and batch_id = 'open'`;
});

test('a table in use is left for the next round, and writers do not wait long for the lock', async () => {
  const { sql } = service;
  const retentionMs = keepSince(12);
  await sql.begin(async (tx) => {
    await tx`lock table receipt in access share mode`;
    expect((await end(retentionMs)).outcome).toBe('locked');
  });
  expect((await end(retentionMs)).outcome).toBe('ended');
  expect(await auditAll(sql)).toEqual([]);
});

test('after an interruption the next round continues', async () => {
  const { sql } = service;
  const at = monthsAgo(9);
  await ensurePartitions(sql, at);
  await sendLongAgo('13900139001', at, 'cut');
  const retentionMs = keepSince(9);
  const stopping = new AbortController();
  const rest = async () => stopping.abort();
  await expect(endHistory({ sql, retentionMs, signal: stopping.signal, rest })).rejects.toThrow('abort');
  const month = at.toISOString().slice(0, 7);
  const shown = await service.operator.retention();
  // The service under test keeps everything; the run of this test is shown all the same.
  expect(shown).toMatchObject({ kept_days: null, last_run: { month, state: 'running', ended_at: null } });
  expect(shown.months.map((one) => one.month)).toContain(month);
  expect(await auditAll(sql)).toEqual([]);
  expect((await end(retentionMs)).outcome).toBe('ended');
  expect(await sql`select 1 as one from task where bucket = ${bucket} and batch_id = 'cut'`).toEqual([]);
  expect((await service.operator.retention()).last_run).toMatchObject({
    month,
    state: 'done',
    ended_at: expect.any(String),
    deleted: { task: 1 },
  });
  expect(await auditAll(sql)).toEqual([]);
});
