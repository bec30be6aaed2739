// The tests on a Citus cluster: POSTRIDER_TEST_CITUS is the URL of its coordinator. A database is the same name on every
// machine, so that a copy of the template on each of them is a whole distributed database, made in the time of a copy.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { distribute } from '../../src/store/cluster/distribute.js';
import { connectDatabase } from '../../src/store/connect.js';
import type { EmbeddedAddress } from '../../src/store/embedded/start.js';
import { migrate } from '../../src/store/migrate/migrate.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import type { Sql } from '../../src/store/sql.js';
import { isAlive } from './is-alive.js';

const coordinatorOfTests = process.env.POSTRIDER_TEST_CITUS ?? '';
export const isOnCluster = coordinatorOfTests !== '';
/** Ends the names of what only a cluster can show, where there is none. */
export const missingCluster = isOnCluster ? '' : ' (POSTRIDER_TEST_CITUS names no coordinator)';

/** Two a worker are enough for a statement that forgets its bucket to show. */
const SHARDS = Number(process.env.POSTRIDER_TEST_SHARDS ?? 4);
const store = new URL('../../src/store/', import.meta.url);

/** The template, made once for each form of the schema. */
export async function createClusterTemplate(): Promise<EmbeddedAddress> {
  const { hostname: host, port, username, pathname } = new URL(coordinatorOfTests);
  const coordinator = { host, port: Number(port || 5432), username, database: 'postgres' };
  const database = `postrider_test_${fingerprint()}`;
  const workers = await on({ ...coordinator, database: pathname.slice(1) }, readWorkers);
  const template = { ...coordinator, database };
  const machines = [coordinator, ...workers.map((worker) => ({ ...coordinator, ...worker }))];
  await Promise.all(machines.map((machine) => on(machine, dropLeftovers)));
  if (!(await on(coordinator, (sql) => isMade(sql, database)))) {
    await Promise.all(
      machines.map(async (machine) => {
        await on(machine, (sql) => sql.unsafe(`drop database if exists ${database} with (force)`));
        await on(machine, (sql) => sql.unsafe(`create database ${database}`));
      }),
    );
    await createCluster(template, workers);
    await on(template, async (sql) => {
      await migrate(sql);
      await ensurePartitions(sql, new Date());
      await distribute(sql, { shards: SHARDS, say: () => {} });
    });
    for (const machine of machines) await on(machine, (sql) => close(sql, database));
  }
  return template;
}

/** Of a database that is there under one name on every machine. */
async function createCluster(coordinator: EmbeddedAddress, workers: readonly Place[], before = async () => {}) {
  const machines = [coordinator, ...workers.map((worker) => ({ ...coordinator, ...worker }))];
  await Promise.all(machines.map((machine) => on(machine, (sql) => sql.unsafe('create extension citus'))));
  await before();
  await on(coordinator, async (sql) => {
    await sql`select citus_set_coordinator_host(${coordinator.host}, ${coordinator.port})`;
    for (const worker of workers) await sql`select citus_add_node(${worker.host}, ${worker.port})`;
  });
}

/** Makes a cluster of an empty test database, with something done to it while it has the extension and no workers. */
export async function addWorkers(address: EmbeddedAddress, before: () => Promise<void>): Promise<void> {
  const [, ...workers] = await findMachines(address);
  await createCluster(address, workers, before);
}

interface Place {
  readonly host: string;
  readonly port: number;
}

let knownWorkers: readonly Place[] | undefined;

/** The server itself, and on a cluster the workers it knows. */
export async function findMachines(template: EmbeddedAddress): Promise<EmbeddedAddress[]> {
  if (!isOnCluster) return [template];
  knownWorkers ??= await on({ ...template, database: new URL(coordinatorOfTests).pathname.slice(1) }, readWorkers);
  const workers = knownWorkers;
  return [template, ...workers.map((worker) => ({ ...template, ...worker }))];
}

function readWorkers(sql: Sql): Promise<Place[]> {
  return sql<Place[]>`
    select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary' order by 1, 2`;
}

// A run that was killed leaves its databases behind, and the cluster's keepers of what is left of them look for the rest of it
// without end. The name says whose they were.
async function dropLeftovers(sql: Sql): Promise<void> {
  const names = await sql<{ name: string }[]>`select datname as name from pg_database where datname ~ '^test_[0-9]+_'`;
  for (const { name } of names) {
    if (!isAlive(Number(name.split('_')[1]))) await dropTestDatabase(name)(sql);
  }
}

const IN_USE = '55006';

/** The keepers of a cluster's other machines may connect to it while it is dropped. */
export function dropTestDatabase(name: string): (sql: Sql) => Promise<void> {
  const drop = async (sql: Sql, triesLeft: number): Promise<void> => {
    await sql.unsafe(`drop database if exists ${name} with (force)`).catch(async (error: { code?: unknown }) => {
      if (error.code !== IN_USE || triesLeft === 0) throw error;
      await drop(sql, triesLeft - 1);
    });
  };
  return (sql) => drop(sql, 10);
}

async function isMade(sql: Sql, database: string): Promise<boolean> {
  const [row] = await sql`select 1 as one from pg_database where datname = ${database} and not datallowconn`;
  return row !== undefined;
}

/** Nothing may be connected to what is copied, and the cluster's own keeper would come back. */
async function close(sql: Sql, database: string): Promise<void> {
  await sql.unsafe(`alter database ${database} allow_connections false`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`;
}

async function on<T>(address: EmbeddedAddress, use: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = connectDatabase(address, { maxConnections: 1, statementTimeoutMs: 0, applicationName: 'postrider-test' });
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function fingerprint(): string {
  const folders = ['migrations/', 'cluster/'].map((name) => new URL(name, store));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)));
  const hash = createHash('sha256').update(`${SHARDS}`);
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 8);
}
