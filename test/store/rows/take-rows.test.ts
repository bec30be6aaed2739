import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeRows } from '../../../src/store/rows/take-rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('rows that were taken are no longer with their query, which may be kept for long', async () => {
  const query = database.sql<{ n: number }[]>`select n from generate_series(1, 3) as n`;
  expect(await takeRows(query)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(await query).toHaveLength(0);
});
