import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { detectDistribution } from '../../src/store/cluster/distribution.js';
import { connectDatabase, formatUrl } from '../../src/store/connect.js';
import type { EmbeddedAddress } from '../../src/store/embedded/start.js';
import type { Sql } from '../../src/store/sql.js';
import { dropTestDatabase, findMachines, isOnCluster } from './cluster.js';
import { noteKind } from './kind.js';
import type { ProxyTarget } from './network/tcp-proxy.js';

export interface TestDatabase {
  readonly address: EmbeddedAddress;
  /** The same as a URL, for a process that reads POSTRIDER_DATABASE_URL. */
  readonly url: string;
  readonly sql: Sql;
  /** Ends `sql` and removes the database, also with other connections. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Without the schema, for tests of the migrations themselves. */
  readonly isEmpty?: boolean;
  readonly maxConnections?: number;
}

/** Copies files, which takes a fifth of the time of a copy through the write-ahead log. A checkpoint goes first: cheap without fsync only. */
const STRATEGY = isOnCluster ? '' : 'strategy file_copy';

/** A database of its own for a test file: a copy of the migrated template. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  noteKind('database');
  const template = inject('templateAddress');
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const source = options.isEmpty === true ? 'template1' : template.database;
  await administer(template, (sql) => sql.unsafe(`create database ${name} template ${source} ${STRATEGY}`));
  const address = { ...template, database: name };
  const sql = connectDatabase(address, { maxConnections: options.maxConnections ?? 5, statementTimeoutMs: 0 });
  if (options.isEmpty !== true) await detectDistribution(sql);
  let dropped: Promise<void> | undefined;
  const dropAll = async () => {
    await sql.end({ timeout: 1 });
    await administer(template, dropTestDatabase(name));
  };
  const drop = () => {
    dropped ??= dropAll();
    return dropped;
  };
  return { address, url: formatUrl(address), sql, drop };
}

/** Where the server listens, for a proxy in front of it: a socket of its own, or a port on a cluster. */
export function listensAt({ host, port }: EmbeddedAddress): ProxyTarget {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/** On every machine of the cluster, where the tests run on one. */
async function administer(template: EmbeddedAddress, run: (sql: Sql) => PromiseLike<unknown>): Promise<void> {
  const machines = await findMachines(template);
  await Promise.all(
    machines.map(async (machine) => {
      const sql = connectDatabase({ ...machine, database: 'postgres' }, { maxConnections: 1, statementTimeoutMs: 0 });
      await Promise.resolve(run(sql)).finally(() => sql.end());
    }),
  );
}
