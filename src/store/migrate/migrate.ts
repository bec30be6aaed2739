import { fileURLToPath } from 'node:url';
import { isDatabaseDistributed } from '../cluster/distribution.js';
import { placeTables } from '../cluster/place-tables.js';
import { isDeadlock, isLockTimeout } from '../retry.js';
import type { AnySql, Sql } from '../sql.js';
import { buildIndex } from './build-index.js';
import { type AppliedMigration, checkHistory, type Migration, MigrationError, readMigrations } from './migration.js';
import { type Progress, sayWhileWorking, withLockTimeout } from './with-lock-timeout.js';

/** Next to this file, in src as in dist. */
const migrationsFolder = fileURLToPath(new URL('../migrations/', import.meta.url));

export interface MigrateOptions extends Partial<Progress> {
  readonly folder?: string;
}

/**
 * Brings the database up to this release and returns the names of the migrations applied. Traffic continues meanwhile: no lock is
 * waited for longer than two seconds, and indexes are built concurrently. Each migration is one transaction, except those
 * that build indexes: an interrupted one is resumed by the next run. Any number of processes may migrate at once.
 */
export async function migrate(sql: Sql, options: MigrateOptions = {}): Promise<string[]> {
  const { folder = migrationsFolder, say = () => {}, signal } = options;
  const progress = { say, signal };
  const migrations = await readMigrations(folder);
  await createMigrationTable(sql);
  const done: string[] = [];
  for (const migration of migrations) {
    const apply = migration.indexes === undefined ? applyInTransaction : buildIndexes;
    if (await apply(sql, migrations, migration, progress)) done.push(migration.name);
  }
  // On a cluster, what a migration has made goes where it belongs: also what one made that was interrupted before that.
  if (await isDatabaseDistributed(sql)) await placeTables(sql, () => {});
  return done;
}

/** Whether every migration of this release is applied. Changes nothing, not even in an empty database. */
export async function isMigrated(sql: Sql, folder = migrationsFolder): Promise<boolean> {
  return (await readPending(sql, folder))?.length === 0;
}

/** The migrations of this release that are to be applied; undefined for an empty database. Throws where it does not follow from them. */
export async function readPending(sql: Sql, folder = migrationsFolder): Promise<string[] | undefined> {
  const migrations = await readMigrations(folder);
  const [found] = await sql`select to_regclass('migration') is not null as exists`;
  if (found?.exists !== true) return undefined;
  const applied = await countApplied(sql, migrations);
  return migrations.slice(applied).map(({ name }) => name);
}

async function applyInTransaction(
  sql: Sql,
  migrations: readonly Migration[],
  next: Migration,
  progress: Progress,
): Promise<boolean> {
  return await withLockTimeout(sql, `Migration ${next.name}`, progress, async (tx, limitLockWaits) => {
    await sayWhileWorking(`Migration ${next.name}: another process migrates`, progress, async () => {
      await tx`lock table migration in exclusive mode`;
    });
    if (next.number <= (await countApplied(tx, migrations))) return false;
    await limitLockWaits();
    const run = sayWhileWorking(`Migration ${next.name}`, progress, () => tx.unsafe(next.text));
    await run.catch((error: Error) => {
      if (isLockTimeout(error) || isDeadlock(error)) throw error;
      throw new MigrationError(`Migration ${next.name} failed, and nothing of it was kept: ${error.message}`, {
        cause: error,
      });
    });
    await record(tx, next);
    return true;
  });
}

/** Processes that do so at once wait for each other at every index; the first that is through records it. */
async function buildIndexes(
  sql: Sql,
  migrations: readonly Migration[],
  next: Migration,
  progress: Progress,
): Promise<boolean> {
  if (next.number <= (await countApplied(sql, migrations))) return false;
  for (const index of next.indexes ?? []) {
    await buildIndex(sql, index, progress).catch((error: Error) => {
      throw new MigrationError(
        `Migration ${next.name} stopped at ${index.name}: ${error.message}. It can be resumed.`,
        {
          cause: error,
        },
      );
    });
  }
  return await sql.begin(async (tx) => {
    await tx`lock table migration in exclusive mode`;
    if (next.number <= (await countApplied(tx, migrations))) return false;
    await record(tx, next);
    return true;
  });
}

async function countApplied(sql: AnySql, migrations: readonly Migration[]): Promise<number> {
  const applied = await readApplied(sql);
  checkHistory(migrations, applied);
  return applied.length;
}

async function readApplied(sql: AnySql): Promise<readonly AppliedMigration[]> {
  return await sql<AppliedMigration[]>`select number, name, checksum from migration order by number`;
}

async function record(sql: AnySql, { number, name, checksum }: Migration): Promise<void> {
  await sql`insert into migration (number, name, checksum) values (${number}, ${name}, ${checksum})`;
}

// Those that create it at the same moment collide in the catalog, on the table, its type or a key, for "if not exists"
// looks before it takes a lock. The next attempt finds it there.
const collisionCodes = new Set(['23505', '42P07', '42710']);

async function createMigrationTable(sql: Sql): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sql`
        create table if not exists migration (
          number integer primary key,
          name text not null,
          checksum text not null,
          applied_at timestamptz not null default now()
        )
      `;
      return;
    } catch (error) {
      if (attempt === 5 || !collisionCodes.has(String((error as { code?: unknown }).code))) throw error;
    }
  }
}
