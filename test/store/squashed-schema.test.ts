// The migrations of release 0.1.0 became one. They are kept here, to make the databases that release made.

import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../../src/store/connect.js';
import { isMigrated, migrate } from '../../src/store/migrate/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { dumpSchema } from '../support/postgres/dump-schema.js';

const oldFolder = fileURLToPath(new URL('./migrations-0.1/', import.meta.url));
const newFolder = fileURLToPath(new URL('../../src/store/migrations/', import.meta.url));

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
  folder = await mkdtemp(join(tmpdir(), 'postrider-migrations-'));
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** The first migrations of release 0.1.0. */
async function applyOld(count: number): Promise<void> {
  const names = (await readdir(oldFolder)).sort().slice(0, count);
  for (const name of names) await cp(join(oldFolder, name), join(folder, name));
  expect(await migrate(database.sql, { folder })).toHaveLength(count);
}

test('the schema of release 0.1.0 is what 0001_schema creates, its first rows included', async () => {
  await applyOld(23);
  const fresh = await createTestDatabase({ isEmpty: true });
  try {
    await cp(join(newFolder, '0001_schema.sql'), join(folder, '0001_schema.sql'));
    for (const name of (await readdir(folder)).filter((name) => !name.startsWith('0001'))) await rm(join(folder, name));
    await migrate(fresh.sql, { folder });
    expect(await dumpSchema(fresh.sql)).toBe(await dumpSchema(database.sql));
    for (const table of ['bucket', 'config_version']) {
      const read = `select * from ${table}`;
      expect(await fresh.sql.unsafe(read)).toEqual(await database.sql.unsafe(read));
    }
    const partitions = `select inhrelid::regclass::text as name from pg_inherits
      where inhrelid::regclass::text like '%default' order by 1`;
    expect(await fresh.sql.unsafe(partitions)).toEqual(await database.sql.unsafe(partitions));
  } finally {
    await fresh.drop();
  }
});

test('a database of release 0.1.0 counts as migrated to 0001_schema and goes on from there, also by many processes', async () => {
  await applyOld(23);
  const later = (await readdir(newFolder)).filter((name) => name.endsWith('.sql')).length - 1;
  expect(await isMigrated(database.sql)).toBe(later === 0);
  const pools = Array.from({ length: 4 }, () => connectDatabase(database.address, { maxConnections: 1 }));
  try {
    const applied = await Promise.all(pools.map((sql) => migrate(sql)));
    expect(applied.flat()).toHaveLength(later);
  } finally {
    await Promise.all(pools.map((sql) => sql.end()));
  }
  expect(await isMigrated(database.sql)).toBe(true);
  expect(await database.sql`select number, name from migration where number = 1`).toEqual([
    { number: 1, name: '0001_schema' },
  ]);
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot('../../src/store/schema.sql');
});

test('an older database is refused with what to do, and left alone', async () => {
  await applyOld(20);
  const refusal = /too old for this release: it ends with migration 0020_.*Start release 0.1.0 on it once/;
  await expect(migrate(database.sql)).rejects.toThrow(refusal);
  await expect(isMigrated(database.sql)).rejects.toThrow(refusal);
  expect(await database.sql`select count(*)::int as count from migration`).toEqual([{ count: 20 }]);
});
