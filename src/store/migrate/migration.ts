import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IndexStatement, parseIndexStatements } from './index-statement.js';

export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  /** The indexes of a file whose first line is `-- concurrently`: each is built outside of a transaction. */
  readonly indexes: readonly IndexStatement[] | undefined;
}

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

const CONCURRENTLY = /^-- concurrently\s*\n/;

/** The migrations of a folder, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const [index, file] of names.entries()) {
    const path = join(folder, file);
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (number !== index + 1) {
      throw new MigrationError(`${path} should be named ${String(index + 1).padStart(4, '0')}_<name>.sql`);
    }
    const text = (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
    const checksum = createHash('sha256').update(text).digest('hex');
    const indexes = CONCURRENTLY.test(text) ? readIndexes(path, text) : undefined;
    migrations.push({ number, name: file.replace(/\.sql$/, ''), text, checksum, indexes });
  }
  return migrations;
}

function readIndexes(path: string, text: string): readonly IndexStatement[] {
  const indexes = parseIndexStatements(text);
  if (indexes !== undefined) return indexes;
  throw new MigrationError(
    `${path} starts with "-- concurrently", so it may hold nothing but statements of the form ` +
      '"create [unique] index <name> on <table> …;". Everything else belongs in a migration of its own.',
  );
}

/** Throws where the database does not follow from these migrations. */
export function checkHistory(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const [schema] = applied;
  if (schema !== undefined && schema.checksum !== migrations[0]?.checksum) {
    throw new MigrationError(
      'Another version created this database, with a schema that this release does not upgrade. Databases from before 0.3.0 are not ' +
        'taken over: start with an empty one (set POSTRIDER_DATA_DIR or POSTRIDER_DATABASE_URL to a new place), or go on with the ' +
        'version that created this one. Nothing was changed.',
    );
  }
  const newest = applied.at(-1);
  if (newest !== undefined && newest.number > migrations.length) {
    throw new MigrationError(
      `The database is newer than this release: it has migration ${newest.name}, and this release ends with ` +
        `${migrations.at(-1)?.name ?? 'none'}. Start the newer release; a database never goes back.`,
    );
  }
  for (const [index, row] of applied.entries()) {
    const migration = migrations[index];
    if (migration?.number !== row.number || row.checksum !== migration.checksum) {
      throw new MigrationError(
        `Migration ${row.name} was applied to this database with another content than ${migration?.name ?? 'any file'} ` +
          'has now. A migration is never edited once applied: restore the file, and write a new one for the change.',
      );
    }
  }
}
