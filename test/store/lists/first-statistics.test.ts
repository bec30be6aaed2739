// A new database is filled before anybody has looked at what is in it. Statements that name a key must find it all the same.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TaskId } from '../../../src/domain/id.js';
import { deleteChunks, queueChunks } from '../../../src/store/chunk/chunk.js';
import { planByKeys } from '../../../src/store/cluster/shard-sql.js';
import { readTaskNames } from '../../../src/store/lists/receipts.js';
import type { AnySql, Statement } from '../../../src/store/sql.js';
import { readKnownRequests } from '../../../src/store/task/task-accept.js';
import { connectExplainer, type Explainer } from '../../../tools/bench/lists/explain.js';
import { scopeOf, taskAt } from '../../../tools/bench/lists/queries.js';
import { addListRows, NUMBERS_PER_TASK } from '../../../tools/bench/lists/rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const ROWS = 5000;
const TASKS = 100;

let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  database = await createTestDatabase();
  explainer = connectExplainer(database.address);
  await explainer.sql`alter table task set (autovacuum_enabled = false)`;
  await explainer.sql`alter table chunk set (autovacuum_enabled = false)`;
  await addListRows(explainer.sql, 0, ROWS);
});
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

it('the tasks of a page are looked up by their key', async () => {
  const ids = Array.from({ length: TASKS }, (_, at) => BigInt(taskAt(at * NUMBERS_PER_TASK)));
  const { pages } = await explainer.explain(() => readTaskNames(explainer.sql, scopeOf(), ids));
  expect(pages).toBeLessThan(TASKS * 6);
});

it('a plan from when there were no tasks looks requests up by their keys, not among all tasks of their customers', async () => {
  const empty = await createTestDatabase();
  try {
    const requests = Array.from({ length: TASKS }, (_, at) => ({ ...scopeOf(), requestKey: `c:${at}` }));
    const scans = await empty.sql.begin(async (tx) => {
      await tx`select ${planByKeys(tx)}`;
      await readKnownRequests(tx, 0, requests);
      return await tx<{ index: string; scans: bigint }[]>`
        select relname as index, pg_stat_get_xact_numscans(oid) as scans from pg_class
        where relname like 'task\\_%' and relkind = 'i' and pg_stat_get_xact_numscans(oid) > 0`;
    });
    expect(scans).toEqual([{ index: 'task_request_key', scans: BigInt(TASKS) }]);
  } finally {
    await empty.drop();
  }
});

it('chunks that a batch writes are looked up by their keys, not among all of the bucket', async () => {
  const { sql } = explainer;
  await sql`
    insert into chunk (customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_states, results)
    select 1, i, 1, 1, 1, 'f', 0, '{}', '\\x00', '\\x00' from generate_series(1, ${ROWS}) as i`;
  const { customerId } = scopeOf();
  const keys = Array.from({ length: TASKS }, (_, at) => ({
    bucket: 0,
    customerId,
    taskId: BigInt(at) as TaskId,
    chunkNo: 1,
  }));
  const places = keys.map(({ taskId }) => taskId);
  const plans = await sql.begin(async (tx) => {
    // As in every transaction on the shards of a cluster.
    await tx`select ${planByKeys(tx)}`;
    const written = [queueChunks(tx, 0, keys, places, new Date()), deleteChunks(tx, 0, keys)];
    return await Promise.all(written.map((statement) => planOf(tx, statement)));
  });
  for (const plan of plans) {
    expect(plan).toMatch(/Index Cond: \(\(bucket = .* AND \(customer_id = .* AND \(task_id = /);
    expect(plan).not.toContain('Join Filter');
  }
});

async function planOf(sql: AnySql, statement: Statement): Promise<string> {
  const rows = await sql<{ 'QUERY PLAN': string }[]>`explain ${statement}`;
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
