import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId } from '../../src/domain/id.js';
import { readNumberHistory } from '../../src/store/number/number-history.js';
import { connectReaders, warmReaders } from '../../src/store/readers.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let readers: ReturnType<typeof connectReaders>;

beforeAll(async () => {
  database = await createTestDatabase();
  readers = connectReaders(database.url);
});
afterAll(async () => {
  await readers.end({ timeout: 5 });
  await database.drop();
});

async function countReaders(): Promise<number> {
  const [row] = await readers<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'postrider-reader'`;
  return row?.count ?? 0;
}

test('every reader has met the tables once they are warm, and no other is opened for a question', async () => {
  await warmReaders(readers);
  expect(await countReaders()).toBe(4);
  const nobody = { bucket: 0, customerId: asCustomerId(0n) };
  const planned = await readers.begin(async (tx) => {
    const before = await tx<{ from: string }[]>`select prepare_time::text as from from pg_prepared_statements 
      where statement like '%from "delivery"%' and statement not like '%pg_prepared_statements%'`;
    return before.length;
  });
  expect(planned).toBe(1);
  await Promise.all(Array.from({ length: 8 }, () => readNumberHistory(readers, nobody, '0', 1)));
  expect(await countReaders()).toBe(4);
});
