import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { learnSpread } from '../../src/store/cluster/spread.js';
import { connectDatabase, formatUrl, type Sql } from '../../src/store/connect.js';
import type { EmbeddedAddress } from '../../src/store/embedded/start.js';
import { findMachines } from './cluster.js';

export interface TestDatabase {
  readonly address: EmbeddedAddress;
  /** The same as a URL, for a process that reads POSTRIDER_DATABASE_URL. */
  readonly url: string;
  readonly sql: Sql;
  /** Ends `sql` and removes the database, whoever else is still connected. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Without the schema, for tests of the migrations themselves. */
  readonly isEmpty?: boolean;
  readonly maxConnections?: number;
}

/** A database of its own for a test file: a copy of the migrated template. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const template = inject('templateAddress');
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const source = options.isEmpty === true ? 'template1' : template.database;
  await administer(template, `create database ${name} template ${source}`);
  const address = { ...template, database: name };
  const sql = connectDatabase(address, { maxConnections: options.maxConnections ?? 5, statementTimeoutMs: 0 });
  if (options.isEmpty !== true) await learnSpread(sql);
  let dropped: Promise<void> | undefined;
  const dropAll = async () => {
    await sql.end({ timeout: 1 });
    await administer(template, `drop database if exists ${name} with (force)`);
  };
  const drop = () => {
    dropped ??= dropAll();
    return dropped;
  };
  return { address, url: formatUrl(address), sql, drop };
}

/** On every machine of the cluster, where the tests run on one. */
async function administer(template: EmbeddedAddress, statement: string): Promise<void> {
  const machines = await findMachines(template);
  await Promise.all(
    machines.map(async (machine) => {
      const sql = connectDatabase({ ...machine, database: 'postgres' }, { maxConnections: 1, statementTimeoutMs: 0 });
      await sql.unsafe(statement).finally(() => sql.end());
    }),
  );
}
