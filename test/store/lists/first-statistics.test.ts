// A new database is filled before anybody has looked at what is in it. Statements that name a key must find it all the same.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTaskNames } from '../../../src/store/lists/receipts.js';
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
