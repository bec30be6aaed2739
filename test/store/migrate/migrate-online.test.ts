// Migrations beside a release that is running: what it reads and writes goes on, whatever holds the tables.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/store/connect.js';
import { migrate } from '../../../src/store/migrate/migrate.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { until } from '../../support/until.js';

let database: TestDatabase;
let folder: string;
const write = (name: string, text: string) => writeFile(join(folder, name), text);

beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
  folder = await mkdtemp(join(tmpdir(), 'postrider-migrations-'));
  await write('0001_first.sql', 'create table thing (id integer, note text);');
  await migrate(database.sql, { folder });
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** A transaction that has run a statement and stays open until it is released. */
async function holdOpen(statement: string): Promise<() => Promise<void>> {
  const sql = connectDatabase(database.address, { maxConnections: 1, statementTimeoutMs: 0 });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let transaction: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    transaction = sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx.unsafe(statement);
      resolve();
      await released;
    });
  });
  return async () => {
    release();
    await transaction;
    await sql.end();
  };
}

/** Fails when a write waits for much longer than a migration waits for a lock. */
async function insertThings(count: number): Promise<void> {
  const sql = connectDatabase(database.address, { maxConnections: 1, statementTimeoutMs: 20_000 });
  try {
    for (let id = 0; id < count; id++) await sql`insert into thing values (${id}, 'written meanwhile')`;
  } finally {
    await sql.end();
  }
}

async function untilWaiting(statement: string, processes = 1): Promise<void> {
  await until(`a lock wait of ${statement}`, async () => {
    return (await findLockWaits(database.sql, statement)).length === processes;
  });
}

async function endIndexBuilds(): Promise<void> {
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'create index concurrently%'`;
}

async function isValid(sql: Sql, index: string): Promise<boolean | undefined> {
  const [row] = await sql<
    { valid: boolean }[]
  >`select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`;
  return row?.valid;
}

describe('a migration that needs a lock which is taken', () => {
  test('lets writes pass while it waits, says what it waits for, and is done once the lock is free', async () => {
    await write('0002_second.sql', 'alter table thing add more integer;');
    const release = await holdOpen('select count(*) from thing');
    const lines: string[] = [];
    const migrated = migrate(database.sql, { folder, say: (line) => lines.push(line) });
    await untilWaiting('alter table thing');
    // They queue behind the waiting migration, and would stay there until the reader is done.
    await insertThings(20);
    await until('a line', () => lines.some((line) => /0002_second: a lock is taken.*oldest transaction/.test(line)));
    await insertThings(20);
    await release();
    expect(await migrated).toEqual(['0002_second']);
    expect(await database.sql`select count(*)::int as count, count(more)::int as more from thing`).toEqual([
      { count: 40, more: 0 },
    ]);
  });

  test('stops when it is asked to', async () => {
    await write('0002_second.sql', 'alter table thing add more integer;');
    const release = await holdOpen('select count(*) from thing');
    const stopping = new AbortController();
    const migrated = migrate(database.sql, { folder, signal: stopping.signal });
    await untilWaiting('alter table thing');
    stopping.abort();
    await expect(migrated).rejects.toThrow(/abort/i);
    await release();
    expect(await migrate(database.sql, { folder })).toEqual(['0002_second']);
  });
});

describe('an index built concurrently', () => {
  const concurrently = '-- concurrently\n-- Why it is needed.\ncreate index thing_note on thing (note) where id > 0;\n';

  test('lets writes pass while it waits for a writer', async () => {
    await write('0002_index.sql', concurrently);
    const release = await holdOpen(`insert into thing values (1, 'uncommitted')`);
    const lines: string[] = [];
    const migrated = migrate(database.sql, { folder, say: (line) => lines.push(line) });
    await untilWaiting('create index concurrently');
    await insertThings(50);
    await until('a line', () => lines.some((line) => line.includes('building index thing_note')));
    await release();
    expect(await migrated).toEqual(['0002_index']);
    expect(await isValid(database.sql, 'thing_note')).toBe(true);
    expect(await migrate(database.sql, { folder })).toEqual([]);
  });

  test('is built again where a build was interrupted', async () => {
    await write('0002_index.sql', concurrently);
    const release = await holdOpen(`insert into thing values (1, 'uncommitted')`);
    // Expected before it can happen: the process may learn of its end before the answer to what ended it arrives.
    const stopped = expect(migrate(database.sql, { folder })).rejects.toThrow(/0002_index stopped at thing_note/);
    await untilWaiting('create index concurrently');
    await endIndexBuilds();
    await stopped;
    expect(await isValid(database.sql, 'thing_note')).toBe(false);
    await release();
    expect(await migrate(database.sql, { folder })).toEqual(['0002_index']);
    expect(await isValid(database.sql, 'thing_note')).toBe(true);
  });

  test('is built once by any number of processes, and a later migration may need it', async () => {
    await write(
      '0002_index.sql',
      concurrently.replace('create index', 'create unique index').replace('(note)', '(id)'),
    );
    await write('0003_needs_it.sql', `insert into thing values (1, 'x') on conflict (id) where id > 0 do nothing;`);
    const release = await holdOpen(`insert into thing values (1, 'uncommitted')`);
    const pools = Array.from({ length: 5 }, () =>
      connectDatabase(database.address, { maxConnections: 1, statementTimeoutMs: 0 }),
    );
    try {
      const migrated = Promise.all(pools.map((sql) => migrate(sql, { folder })));
      await untilWaiting('', pools.length);
      await release();
      expect((await migrated).flat().sort()).toEqual(['0002_index', '0003_needs_it']);
      expect(await isValid(database.sql, 'thing_note')).toBe(true);
      expect(await database.sql`select note from thing`).toEqual([{ note: 'uncommitted' }]);
    } finally {
      await Promise.all(pools.map((sql) => sql.end()));
    }
  });

  test('comes to every partition, also after an interruption and to those created meanwhile', async () => {
    await write(
      '0002_history.sql',
      `create table history (id integer, note text) partition by range (id);
       create table history_one partition of history for values from (0) to (10);
       create table history_two partition of history for values from (10) to (20);
       create table history_default partition of history default;
       insert into history select number, 'x' from generate_series(1, 15) as number;`,
    );
    await migrate(database.sql, { folder });
    await write('0003_index.sql', '-- concurrently\ncreate index history_note on history (note, id);\n');
    const release = await holdOpen(`insert into history_two values (11, 'uncommitted')`);
    const stopped = expect(migrate(database.sql, { folder })).rejects.toThrow(/0003_index stopped/);
    await untilWaiting('create index concurrently if not exists history_two');
    for (let id = 0; id < 20; id++) await database.sql`insert into history values (${id}, 'written meanwhile')`;
    await endIndexBuilds();
    await stopped;
    expect(await isValid(database.sql, 'history_note')).toBe(false);
    await release();
    await database.sql`create table history_three partition of history for values from (30) to (40)`;
    const resumed = await Promise.all([1, 2, 3].map(() => migrate(database.sql, { folder })));
    expect(resumed.flat()).toEqual(['0003_index']);
    expect(await isValid(database.sql, 'history_note')).toBe(true);
    const parts = await database.sql`
      select indrelid::regclass::text as "table", indisvalid as valid from pg_index
      join pg_inherits on inhrelid = indexrelid where inhparent = 'history_note'::regclass order by 1`;
    expect(parts.map(({ table, valid }) => [table, valid])).toEqual([
      ['history_default', true],
      ['history_one', true],
      ['history_three', true],
      ['history_two', true],
    ]);
  });

  test('may not be mixed with anything else', async () => {
    await write('0002_index.sql', `${concurrently}alter table thing add more integer;`);
    await expect(migrate(database.sql, { folder })).rejects.toThrow(/0002_index.sql starts with "-- concurrently"/);
  });
});
