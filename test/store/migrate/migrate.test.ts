import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import { isMigrated, migrate } from '../../../src/store/migrate/migrate.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

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

const write = (name: string, text: string) => writeFile(join(folder, name), text);

describe('migrations', () => {
  test('are applied in order, once, and recorded', async () => {
    await write('0001_first.sql', 'create table thing (a integer); insert into thing values (1);');
    expect(await migrate(database.sql, { folder })).toEqual(['0001_first']);
    await write('0002_second.sql', 'alter table thing add b integer; update thing set b = a + 1;');
    expect(await migrate(database.sql, { folder })).toEqual(['0002_second']);
    expect(await migrate(database.sql, { folder })).toEqual([]);
    expect(await database.sql`select a, b from thing`).toEqual([{ a: 1, b: 2 }]);
    expect(await database.sql`select number, name from migration order by number`).toEqual([
      { number: 1, name: '0001_first' },
      { number: 2, name: '0002_second' },
    ]);
  });

  test('leave nothing behind when they fail', async () => {
    await write('0001_first.sql', 'create table thing (a integer); select no_such_function();');
    await expect(migrate(database.sql, { folder })).rejects.toThrow(/0001_first failed.*no_such_function/);
    expect(await database.sql`select to_regclass('thing') as found`).toEqual([{ found: null }]);
    expect(await database.sql`select * from migration`).toEqual([]);
  });

  test('are safe when many processes start at once', async () => {
    // Each would fail if it ran twice, and runs long enough for all the others to be waiting for it.
    await write('0001_first.sql', 'create table thing (a integer); select pg_sleep(0.2);');
    await write('0002_second.sql', 'insert into thing values (1);');
    const pools = Array.from({ length: 6 }, () => connectDatabase(database.address, { maxConnections: 1 }));
    try {
      const applied = await Promise.all(pools.map((sql) => migrate(sql, { folder })));
      expect(applied.flat().sort()).toEqual(['0001_first', '0002_second']);
      expect(await database.sql`select a from thing`).toEqual([{ a: 1 }]);
    } finally {
      await Promise.all(pools.map((sql) => sql.end()));
    }
  });

  test('that were edited after they were applied are refused', async () => {
    await write('0001_first.sql', 'create table thing (a integer)');
    await write('0002_second.sql', 'alter table thing add b integer');
    await migrate(database.sql, { folder });
    await write('0002_second.sql', 'alter table thing add b bigint');
    await expect(migrate(database.sql, { folder })).rejects.toThrow(/0002_second was applied .* another content/);
  });

  test('refuse a database with another schema with what to do, and leave it alone', async () => {
    await write('0001_schema.sql', 'create table thing (a integer)');
    await write('0002_later.sql', 'select 1');
    await migrate(database.sql, { folder });
    const before = await database.sql`select * from migration`;
    const refusal = /does not upgrade.*set POSTRIDER_DATA_DIR or POSTRIDER_DATABASE_URL to a new place/;
    await expect(migrate(database.sql)).rejects.toThrow(refusal);
    await expect(isMigrated(database.sql)).rejects.toThrow(refusal);
    expect(await database.sql`select * from migration`).toEqual(before);
  });

  test('of a newer release keep an older one from starting', async () => {
    await write('0001_first.sql', 'select 1');
    await write('0002_second.sql', 'select 2');
    await migrate(database.sql, { folder });
    await rm(join(folder, '0002_second.sql'));
    await expect(migrate(database.sql, { folder })).rejects.toThrow(/newer than this release.*0002_second/);
  });

  test('must be numbered without gaps', async () => {
    await write('0002_second.sql', 'select 2');
    await expect(migrate(database.sql, { folder })).rejects.toThrow(/should be named 0001_/);
  });
});
