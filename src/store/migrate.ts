import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeTables } from './cluster/place-tables.js';
import { isSpreadOut } from './cluster/spread.js';
import type { AnySql, Sql } from './connect.js';

/** Next to this file, in src as in dist. */
const migrationsFolder = fileURLToPath(new URL('./migrations/', import.meta.url));

class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/**
 * Brings the database up to this release, one transaction a migration, and returns the names of those applied. Any number
 * of processes may do so at once: each looks again at what is applied once it holds the table.
 */
export async function migrate(sql: Sql, folder = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await createMigrationTable(sql);
  const done: string[] = [];
  for (const migration of migrations) {
    const isApplied = await sql.begin((transaction) => applyOnce(transaction, migrations, migration));
    if (isApplied) done.push(migration.name);
  }
  // On a cluster, what a migration has made goes where it belongs: also what one made that was interrupted before that.
  if (await isSpreadOut(sql)) await placeTables(sql, () => {});
  return done;
}

/** Whether every migration of this release is applied. Changes nothing, not even in an empty database. */
export async function isMigrated(sql: Sql, folder = migrationsFolder): Promise<boolean> {
  const migrations = await readMigrations(folder);
  const [found] = await sql`select to_regclass('migration') is not null as exists`;
  if (found?.exists !== true) return false;
  const applied = await sql<AppliedMigration[]>`select number, name, checksum from migration order by number`;
  checkHistory(migrations, applied);
  return applied.length === migrations.length;
}

async function applyOnce(sql: AnySql, migrations: readonly Migration[], next: Migration): Promise<boolean> {
  await sql`lock table migration in exclusive mode`;
  const applied = await sql<AppliedMigration[]>`select number, name, checksum from migration order by number`;
  checkHistory(migrations, applied);
  if (next.number <= applied.length) return false;
  await sql.unsafe(next.text).catch((error: Error) => {
    throw new MigrationError(`Migration ${next.name} failed, and nothing of it was kept: ${error.message}`, {
      cause: error,
    });
  });
  await sql`insert into migration (number, name, checksum) values (${next.number}, ${next.name}, ${next.checksum})`;
  return true;
}

function checkHistory(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const newest = applied.at(-1);
  if (newest !== undefined && newest.number > migrations.length) {
    throw new MigrationError(
      `The database is newer than this release: it has migration ${newest.name}, and this release ends with ` +
        `${migrations.at(-1)?.name ?? 'none'}. Start the newer release; a database never goes back.`,
    );
  }
  for (const [index, row] of applied.entries()) {
    const migration = migrations[index];
    if (migration?.number !== row.number || migration.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.name} was applied to this database with another content than ${migration?.name ?? 'any file'} ` +
          'has now. A migration is never edited once applied: restore the file, and write a new one for the change.',
      );
    }
  }
}

// Those that create it at the same moment collide in the catalog, on the table, its type or a key, for "if not exists"
// looks before it takes a lock. Whoever collides finds it there the next time.
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

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const [index, file] of names.entries()) {
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (number !== index + 1) {
      throw new MigrationError(
        `${join(folder, file)} should be named ${String(index + 1).padStart(4, '0')}_<name>.sql`,
      );
    }
    const text = await readFile(join(folder, file), 'utf8');
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
    migrations.push({ number, name: file.replace(/\.sql$/, ''), text, checksum });
  }
  return migrations;
}
