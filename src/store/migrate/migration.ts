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

/**
 * Contents that a release applied before the file was edited, by the checksum that the file has since. What the edit added is in a later
 * migration, too: 0010 sets autovacuum on the table of callbacks, as does 0033.
 */
const EARLIER_CONTENTS: Readonly<Record<string, string>> = {
  '88bde5d7cdc4f4ffb59440840e39921c124302b7cd4e3263b496bde4ce71d4af':
    '3080e2abf37ecf59664d8a7114e18473baa376ce5a1d38c68095d0ede676fb4a', // 0010_http_channels of release 0.2.0
};

function isContentOf({ checksum }: Migration, applied: AppliedMigration): boolean {
  return applied.checksum === checksum || applied.checksum === EARLIER_CONTENTS[checksum];
}

/** Throws where the database does not follow from these migrations. */
export function checkHistory(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const newest = applied.at(-1);
  if (newest !== undefined && newest.number > migrations.length) {
    throw new MigrationError(
      `The database is newer than this release: it has migration ${newest.name}, and this release ends with ` +
        `${migrations.at(-1)?.name ?? 'none'}. Start the newer release; a database never goes back.`,
    );
  }
  for (const [index, row] of applied.entries()) {
    const migration = migrations[index];
    if (migration?.number !== row.number || !isContentOf(migration, row)) {
      throw new MigrationError(
        `Migration ${row.name} was applied to this database with another content than ${migration?.name ?? 'any file'} ` +
          'has now. A migration is never edited once applied: restore the file, and write a new one for the change.',
      );
    }
  }
}
