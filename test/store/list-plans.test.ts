// What a list reads must not grow with history. Every list, with every filter, on the first page and deep down, is
// explained on a small table and on one five times as large: the pages touched stay the same.

import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asCustomerId, asTaskId, firstIdAt } from '../../src/domain/id.js';
import type { Sql } from '../../src/store/connect.js';
import { type ListSource, MAX_COUNTED_ROWS } from '../../src/store/list.js';
import { listBatches } from '../../src/store/lists/batches.js';
import type { ListScope } from '../../src/store/lists/condition.js';
import { listDeliveries } from '../../src/store/lists/deliveries.js';
import { listLedgers } from '../../src/store/lists/ledgers.js';
import { listReceipts } from '../../src/store/lists/receipts.js';
import { listSubmits } from '../../src/store/lists/submits.js';
import { listTasks } from '../../src/store/lists/tasks.js';
import { listUplinks } from '../../src/store/lists/uplinks.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const SMALL = 30_000;
const LARGE = 150_000;
/** One row a second, so that a bucket of the status index holds 131. */
const START_MS = Date.UTC(2026, 0, 1);
const NUMBERS_PER_TASK = 20;
const PHONE = '8613900000000';
const customerId = asCustomerId(7n);

const idAt = (row: number) => firstIdAt(new Date(START_MS + row * 1000));
const taskAt = (row: number) => asTaskId(idAt(row - (row % NUMBERS_PER_TASK)));
const scope = (startRow?: number, endRow?: number): ListScope => ({
  bucket: 0,
  customerId,
  startMs: startRow === undefined ? undefined : START_MS + startRow * 1000,
  endMs: endRow === undefined ? undefined : START_MS + endRow * 1000,
});

let database: TestDatabase;
let sql: Sql;
const seen: { query: string; parameters: unknown[] }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres({
    ...database.address,
    max: 1,
    types: { bigint: postgres.BigInt },
    debug: (_connection, query, parameters) => void seen.push({ query, parameters }),
  });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** Rows `from` until `until` of every table. A hundred rows went to one phone, all of them early. */
async function fill(from: number, until: number): Promise<void> {
  const base = String(START_MS);
  const phoneKey = `(case when i % 400 = 0 and i < ${SMALL} then ${PHONE} else 8610000000000 + i end)`;
  const id = `((${base}::bigint + i * 1000) << 20)`;
  const taskId = `((${base}::bigint + (i - i % ${NUMBERS_PER_TASK}) * 1000) << 20)`;
  const rows = `from generate_series(${from}::bigint, ${until - 1}) as i`;
  const status = (often: string, seldom: string, rare: string) =>
    `(case when i % 100 = 7 then '${rare}' when i % 10 = 3 then '${seldom}' else '${often}' end)`;
  // Tasks of 5,000 numbers make a batch large; most batches are four tasks of one number.
  const total = `(case when i between 19000 and 19099 and i % ${NUMBERS_PER_TASK} = 0 then 5000 else 1 end)`;
  const batch = `(case when i between 19000 and 19099 then 'large' when i between 20000 and 20059 then 'small'
    when i % 100 = 0 then 'b' || i / 400 end)`;
  await sql.unsafe(`
    insert into submit (customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status)
    select 7, ${id}, ${taskId}, i % ${NUMBERS_PER_TASK} + 1, 1, 1, 1, ${phoneKey}, 'x', 'f',
      ${status('accepted', 'rejected', 'unknown')} ${rows};
    insert into delivery (customer_id, delivery_id, task_id, seq, part, parts, phone_key, phone, firm, status)
    select 7, ${id}, ${taskId}, i % ${NUMBERS_PER_TASK} + 1, 1, 1, ${phoneKey}, 'x', 'f',
      ${status('delivered', 'undelivered', 'intermediate')} ${rows};
    insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, result)
    select 7, ${id}, ${taskId}, i % ${NUMBERS_PER_TASK} + 1, 1, ${phoneKey}, 0, 'x',
      ${status('delivered', 'rejected', 'expired')} ${rows};
    insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    select 7, ${id}, ${phoneKey}, i % 100, 1, 'x', 'x' ${rows};
    insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, ended, frozen, total, batch_id, timeline, updated_at)
    select 7, ${id}, 'c:' || i, '', i % 100, 1, true, true, true, true, stage, nullif(stage, 'completed'), 5,
      ${total}, ${batch}, '[]', now()
    ${rows} cross join lateral (select ${status('completed', 'cancelled', 'failed')} as stage) as s;
    insert into ledger_entry (customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta,
      available_after, frozen_after, created_at)
    select 7, i + 1, ${status('freeze', 'charge', 'release')}, 5, ${taskId}, 1,
      ${status('-5', '0', '5')}::int, ${status('5', '-5', '-5')}::int, 0, 0, to_timestamp((${base} + i * 1000) / 1000.0)
      ${rows};
    insert into batch (bucket, customer_id, batch_id, first_task_id)
    select bucket, customer_id, batch_id, min(task_id) from task where batch_id is not null group by 1, 2, 3
    on conflict do nothing`);
  await sql.unsafe('vacuum analyze');
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** What the statements of `run` touch when they have been executed often, as on a busy service. */
async function measure(run: () => Promise<unknown>): Promise<number> {
  seen.length = 0;
  await run();
  let touched = 0;
  for (const { query, parameters } of [...seen]) {
    if (!/^\s*(select|with)/i.test(query) || query.includes('pg_type')) continue;
    const values = parameters.map((value) =>
      value instanceof Date ? `'${value.toISOString()}'` : `'${String(value).replaceAll("'", "''")}'`,
    );
    await sql.unsafe(`prepare explained as ${query}`);
    // The sixth execution is the first that may use a plan made without looking at the values.
    for (let execution = 1; execution < 6; execution += 1) await sql.unsafe(`execute explained (${values})`);
    const [row] = await sql.unsafe<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(
      `explain (analyze, buffers, format json) execute explained (${values})`,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    touched += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    await sql.unsafe('deallocate explained');
  }
  return touched;
}

const lists: Record<string, (range: ListScope) => ListSource<unknown>> = {
  tasks: (range) => listTasks(sql, range, {}),
  'tasks by request': (range) => listTasks(sql, range, { requestKey: 'c:500' }),
  'tasks by stage': (range) => listTasks(sql, range, { stage: 'completed' }),
  'tasks by a rare stage': (range) => listTasks(sql, range, { stage: 'failed' }),
  'tasks by a stage that none is in': (range) => listTasks(sql, range, { stage: 'queued' }),
  'tasks under way': (range) => listTasks(sql, range, { stage: 'submitting' }),
  'tasks by batch': (range) => listTasks(sql, range, { batchId: 'large' }),
  'tasks by batch and stage': (range) => listTasks(sql, range, { batchId: 'large', stage: 'completed' }),
  batches: (range) => listBatches(sql, range),
  'tasks by template': (range) => listTasks(sql, range, { templateId: 50n }),
  receipts: (range) => listReceipts(sql, range, {}),
  'receipts by task': (range) => listReceipts(sql, range, { taskId: taskAt(500) }),
  'receipts by task and phone': (range) => listReceipts(sql, range, { taskId: taskAt(400), phoneKey: PHONE }),
  'receipts by phone': (range) => listReceipts(sql, range, { phoneKey: PHONE }),
  'receipts by batch': (range) => listReceipts(sql, range, { batchId: 'small' }),
  'receipts by a large batch': (range) => listReceipts(sql, range, { batchId: 'large' }),
  'receipts by batch and result': (range) => listReceipts(sql, range, { batchId: 'large', status: 'expired' }),
  'receipts by batch and phone': (range) => listReceipts(sql, range, { batchId: 'b12', phoneKey: PHONE }),
  'receipts by result': (range) => listReceipts(sql, range, { status: 'delivered' }),
  'receipts by a rare result': (range) => listReceipts(sql, range, { status: 'expired' }),
  uplinks: (range) => listUplinks(sql, range, {}),
  'uplinks by phone': (range) => listUplinks(sql, range, { phoneKey: PHONE }),
  'uplinks by account': (range) => listUplinks(sql, range, { serviceAccountId: 50n }),
  ledgers: (range) => listLedgers(sql, range, {}),
  'ledgers by task': (range) => listLedgers(sql, range, { taskId: taskAt(500) }),
  'ledgers by batch': (range) => listLedgers(sql, range, { batchId: 'small' }),
  'ledgers by a large batch': (range) => listLedgers(sql, range, { batchId: 'large', type: 'freeze' }),
  'ledgers by type': (range) => listLedgers(sql, range, { type: 'freeze' }),
  'ledgers by a rare type': (range) => listLedgers(sql, range, { type: 'release' }),
  'ledgers by a type that there is none of': (range) => listLedgers(sql, range, { type: 'topup' }),
  submits: (range) => listSubmits(sql, range, {}),
  'submits by task': (range) => listSubmits(sql, range, { taskId: taskAt(500) }),
  'submits by batch': (range) => listSubmits(sql, range, { batchId: 'small' }),
  'submits by a large batch': (range) => listSubmits(sql, range, { batchId: 'large' }),
  'submits by phone': (range) => listSubmits(sql, range, { phoneKey: PHONE }),
  'submits by phone and status': (range) => listSubmits(sql, range, { phoneKey: PHONE, status: 'unknown' }),
  'submits by status': (range) => listSubmits(sql, range, { status: 'accepted' }),
  'submits by a rare status': (range) => listSubmits(sql, range, { status: 'unknown' }),
  deliveries: (range) => listDeliveries(sql, range, {}),
  'deliveries by task': (range) => listDeliveries(sql, range, { taskId: taskAt(500) }),
  'deliveries by batch': (range) => listDeliveries(sql, range, { batchId: 'small' }),
  'deliveries by a large batch': (range) => listDeliveries(sql, range, { batchId: 'large', status: 'delivered' }),
  'deliveries by batch and phone': (range) => listDeliveries(sql, range, { batchId: 'b12', phoneKey: PHONE }),
  'deliveries by phone': (range) => listDeliveries(sql, range, { phoneKey: PHONE }),
  'deliveries by status': (range) => listDeliveries(sql, range, { status: 'delivered' }),
  'deliveries by a rare status': (range) => listDeliveries(sql, range, { status: 'intermediate' }),
  'deliveries by a status that none has': (range) => listDeliveries(sql, range, { status: 'expired' }),
};

/** The key of an early row, which is a long way down from the newest. */
const deepKey = (name: string) => {
  const id = name.startsWith('ledgers') ? '20000' : String(idAt(20_000));
  return name.includes('a large batch') ? `${taskAt(19_050)}/${id}` : id;
};
const window = { after: undefined, offset: 0, limit: 21 };

const measurements: Record<
  string,
  (name: string, list: (range: ListScope) => ListSource<unknown>) => Promise<unknown>
> = {
  'the first page': (_, list) => list(scope()).rows(window),
  'deep down': (name, list) => list(scope()).rows({ ...window, after: deepKey(name) }),
  'an hour long ago': (_, list) => list(scope(20_000, 23_600)).rows(window),
  'since long ago': (_, list) => list(scope(20_000)).rows(window),
  'until long ago': (_, list) => list(scope(undefined, 20_000)).rows(window),
};

async function measureAll(): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  for (const [name, list] of Object.entries(lists)) {
    for (const [where, run] of Object.entries(measurements)) {
      results.set(`${name}, ${where}`, await measure(() => run(name, list)));
    }
  }
  return results;
}

describe('reading a list', () => {
  it('touches as many pages of a large table as of a small one', async () => {
    await fill(0, SMALL);
    const small = await measureAll();
    await fill(SMALL, LARGE);
    const large = await measureAll();
    const grown = [...large].filter(([name, pages]) => pages > (small.get(name) ?? 0) * 1.5 + 40);
    expect(grown.map(([name, pages]) => `${name}: ${small.get(name)} → ${pages}`)).toEqual([]);
    const worst = Math.max(...large.values());
    expect(worst).toBeLessThan(700);
  });

  it('of a batch reads one task or a few, however many it has', async () => {
    await sql.unsafe(
      `update task set batch_id = 'huge', total = 5000 where (task_id >> 20) / 1000 % ${NUMBERS_PER_TASK} = 0`,
    );
    await sql.unsafe('vacuum analyze');
    const filters = { batchId: 'huge' };
    const huge = [listReceipts, listSubmits, listDeliveries, listLedgers].map((list) => list(sql, scope(), filters));
    for (const list of huge) {
      const pages = await measure(() => list.rows(window));
      const deep = await measure(() => list.rows({ ...window, after: `${taskAt(70_000)}/${idAt(70_010)}` }));
      // Finding out that it is large reads a thousand tasks, once for a walk.
      expect(pages).toBeLessThan(1600);
      expect(deep).toBeLessThan(300);
      expect(await list.count(MAX_COUNTED_ROWS + 1)).toBe(MAX_COUNTED_ROWS + 1);
    }
  });

  it('counts no further than it promises', async () => {
    for (const [name, list] of Object.entries(lists)) {
      const pages = await measure(() => list(scope()).count(MAX_COUNTED_ROWS + 1));
      expect(pages, name).toBeLessThan(MAX_COUNTED_ROWS * 1.5);
    }
  });
});
