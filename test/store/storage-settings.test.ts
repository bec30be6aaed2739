import { afterEach, beforeEach, expect, test } from 'vitest';
import { DISTRIBUTED, ON_COORDINATOR } from '../../src/store/cluster/tables.js';
import { connectDatabase } from '../../src/store/connect.js';
import { migrate } from '../../src/store/migrate/migrate.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import type { Sql } from '../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
});
afterEach(() => database.drop());

/** Written once, or seldom: PostgreSQL's defaults do. */
const QUIET = [
  'batch',
  'blocked_content',
  'bucket_fence',
  'cap_exemption',
  'console_session',
  'console_user',
  'erasure',
  'opt_out',
  'passkey',
  'passkey_challenge',
  'template_review',
  'webhook',
  'ledger_day',
  'audit',
  'audit_run',
  'audit_slice',
  'migration',
  'retention_month',
  'onboarding',
  'config_version',
  'recovery',
  'channel_fence',
];
const SMALL = ['work_lease', 'channel_event', 'channel_test', 'unclaimed_uplink'];

async function readOptions(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; options: string }[]>`
    select relname as name, coalesce(array_to_string(reloptions, ','), '') as options from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  return new Map(rows.map(({ name, options }) => [name, options]));
}

test('tables that change all the time have autovacuum settings on any database', async () => {
  await migrate(database.sql);
  const options = await readOptions(database.sql);
  const untuned = [...DISTRIBUTED, ...ON_COORDINATOR].filter((table) => {
    return options.has(table) && !options.get(table)?.includes('autovacuum_');
  });
  expect(untuned.filter((table) => ![...QUIET, ...SMALL].includes(table))).toEqual([]);
});

test('partitions that are made later have the settings of those that the migration found', async () => {
  await migrate(database.sql);
  const made = await ensurePartitions(database.sql, new Date());
  expect(made).toHaveLength(12);
  const options = await readOptions(database.sql);
  expect(options.get('receipt_default')).toContain('autovacuum_vacuum_insert_scale_factor=0.05');
  for (const partition of made) expect(options.get(partition), partition).toBe(options.get('receipt_default'));
});

test('the planner is set for this database alone, and keeps what its owner has chosen', async () => {
  const { name } = (await database.sql<{ name: string }[]>`select current_database() as name`)[0] ?? { name: '' };
  await database.sql.unsafe(`alter database ${name} set random_page_cost = 3`);
  await migrate(database.sql);
  const rows = await database.sql<{ setting: string }[]>`
    select unnest(setconfig) as setting from pg_db_role_setting join pg_database on oid = setdatabase
    where datname = current_database() order by 1`;
  expect(rows.map(({ setting }) => setting)).toEqual([
    'jit=off',
    'max_parallel_workers_per_gather=0',
    'random_page_cost=3',
  ]);
});

test('a user who does not own the database migrates all the same', async () => {
  const { name } = (await database.sql<{ name: string }[]>`select current_database() as name`)[0] ?? { name: '' };
  const role = `guest_of_${name}`;
  await database.sql.unsafe(
    `create role ${role}; grant all on schema public to ${role}; grant ${role} to current_user`,
  );
  try {
    // A session of that user.
    await database.sql.unsafe(`alter role current_user in database ${name} set role = ${role}`);
    const guest = connectDatabase(database.address, { maxConnections: 1 });
    await migrate(guest).finally(() => guest.end());
    expect((await readOptions(database.sql)).get('task')).toContain('autovacuum_');
    const settings = await database.sql`
      select 1 as one from pg_db_role_setting join pg_database on oid = setdatabase
      where datname = current_database() and setrole = 0`;
    expect(settings).toHaveLength(0);
  } finally {
    await database.sql.unsafe(
      `alter role current_user in database ${name} reset role; drop owned by ${role}; drop role ${role}`,
    );
  }
});
