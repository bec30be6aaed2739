import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { dumpSchema } from '../support/postgres/dump-schema.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('schema.sql is what the migrations make; after a new migration run `npm run schema`', async () => {
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot('../../src/store/schema.sql');
});
