import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/store/connect.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const NOW = new Date('2031-01-15T00:00:00Z');

test('creating partitions does not wait for a locked table, and is done when it is free', async () => {
  const holder = connectDatabase(database.address, { maxConnections: 1 });
  await holder.unsafe('begin').simple();
  await holder`select 1 from delivery limit 1`.simple();
  const made = await ensurePartitions(database.sql, NOW);
  expect(made).toEqual(['submit_2031_01']);
  // Nothing queues behind a lock that is still wanted.
  expect(await database.sql`select 1 from delivery limit 1`).toEqual([]);
  await holder.unsafe('commit').simple();
  await holder.end();
  expect(await ensurePartitions(database.sql, NOW)).toHaveLength(4 * 3 - 1);
  expect(await ensurePartitions(database.sql, NOW)).toEqual([]);
});
