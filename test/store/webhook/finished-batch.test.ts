// The end of a batch is found without reading the whole open batch at each look.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import type { Sql } from '../../../src/store/sql.js';
import { createFinishedBatchReader } from '../../../src/store/webhook/finished-batch.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const TASKS = 20_000;
const tenant = { bucket: 0, customerId: asCustomerId(1n) };

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  await sql`
    insert into task (customer_id, task_id, request_key, fingerprint, batch_id, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, total, stage, timeline, updated_at)
    select 1, n, 'k' || n, '\\x00', 'spring', 1, 1, false, true, true, true, 1, 'submitting', '[]', now()
    from generate_series(1, ${TASKS}) as n`;
  await sql`vacuum analyze task`;
});
afterAll(() => database.drop());

/** Ends tasks in the order of their ids; the number of an end is that of its task. */
const finish = (from: number, to: number) => sql`
  update task set completed_at = now(), finished_id = task_id where task_id between ${from} and ${to}`;

async function countPages(run: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ pages: bigint }[]>`
      select (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::bigint as pages
      from pg_statio_user_tables where relname = 'task'`;
    return Number(row?.pages ?? 0n);
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

test('a look at an open batch reads what has ended since, and its end is found', async () => {
  const read = createFinishedBatchReader(sql);
  const look = (after: number, until: number) => read(tenant, { after: BigInt(after), until: BigInt(until) });
  await finish(1, TASKS - 100);
  await sql`vacuum analyze task`;
  const first = await countPages(() => look(0, TASKS - 100));
  await finish(TASKS - 99, TASKS - 90);
  const second = await countPages(() => look(TASKS - 100, TASKS - 90));
  expect(second).toBeLessThan(first / 10);
  expect(await look(TASKS - 100, TASKS - 90)).toBeUndefined();
  await finish(TASKS - 89, TASKS);
  expect(await look(TASKS - 90, TASKS)).toEqual({ finishedId: BigInt(TASKS), batchId: 'spring' });
  expect(await look(TASKS, TASKS)).toBeUndefined();
});

test('a task that joins before the one that was known to be open keeps the batch open', async () => {
  const read = createFinishedBatchReader(sql);
  await sql`update task set batch_id = 'summer', completed_at = null, finished_id = null where task_id in (5, 7)`;
  await finish(7, 7);
  expect(await read(tenant, { after: 6n, until: 7n })).toBeUndefined();
  await sql`update task set batch_id = 'summer', completed_at = null, finished_id = null where task_id = 3`;
  await sql`update task set completed_at = now(), finished_id = ${TASKS + 1} where task_id = 5`;
  expect(await read(tenant, { after: BigInt(TASKS), until: BigInt(TASKS + 1) })).toBeUndefined();
  await sql`update task set completed_at = now(), finished_id = ${TASKS + 2} where task_id = 3`;
  const last = { finishedId: BigInt(TASKS + 2), batchId: 'summer' };
  expect(await read(tenant, { after: BigInt(TASKS), until: BigInt(TASKS + 2) })).toEqual(last);
});
