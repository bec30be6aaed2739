// The tests on a Citus cluster: POSTRIDER_TEST_CITUS is the URL of its coordinator. A database is the same name on every
// machine, so that a copy of the template on each of them is a whole distributed database, made in the time of a copy.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { distribute } from '../../src/store/cluster/distribute.js';
import { connectDatabase, type Sql } from '../../src/store/connect.js';
import type { EmbeddedAddress } from '../../src/store/embedded/start.js';
import { migrate } from '../../src/store/migrate.js';
import { ensurePartitions } from '../../src/store/partitions.js';

/** Two a worker are enough for a statement that forgets its bucket to show. */
const SHARDS = Number(process.env.POSTRIDER_TEST_SHARDS ?? 4);
const store = new URL('../../src/store/', import.meta.url);

/** The template, made once for each form of the schema. */
export async function makeClusterTemplate(coordinatorUrl: string): Promise<EmbeddedAddress> {
  const { hostname: host, port, username } = new URL(coordinatorUrl);
  const coordinator = { host, port: Number(port || 5432), username, database: 'postgres' };
  const database = `postrider_test_${fingerprint()}`;
  const workers = await on({ ...coordinator, database: new URL(coordinatorUrl).pathname.slice(1) }, readWorkers);
  const template = { ...coordinator, database };
  if (!(await on(coordinator, (sql) => isMade(sql, database)))) {
    const machines = [coordinator, ...workers.map((worker) => ({ ...coordinator, ...worker }))];
    await Promise.all(
      machines.map(async (machine) => {
        await on(machine, (sql) => sql.unsafe(`drop database if exists ${database} with (force)`));
        await on(machine, (sql) => sql.unsafe(`create database ${database}`));
        await on({ ...machine, database }, (sql) => sql.unsafe('create extension citus'));
      }),
    );
    await on(template, async (sql) => {
      await sql`select citus_set_coordinator_host(${host}, ${coordinator.port})`;
      for (const worker of workers) await sql`select citus_add_node(${worker.host}, ${worker.port})`;
      await migrate(sql);
      await ensurePartitions(sql, new Date());
      await distribute(sql, { shards: SHARDS, say: () => {} });
    });
    for (const machine of machines) await on(machine, (sql) => close(sql, database));
  }
  return template;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

const machinesOf = new Map<string, readonly Place[]>();

/** The server itself, and on a cluster the workers it knows. */
export async function findMachines(template: EmbeddedAddress): Promise<EmbeddedAddress[]> {
  const url = process.env.POSTRIDER_TEST_CITUS;
  if (url === undefined || url === '') return [template];
  const known = machinesOf.get(template.database);
  const workers = known ?? (await on({ ...template, database: new URL(url).pathname.slice(1) }, readWorkers));
  machinesOf.set(template.database, workers);
  return [template, ...workers.map((worker) => ({ ...template, ...worker }))];
}

function readWorkers(sql: Sql): Promise<Place[]> {
  return sql<Place[]>`
    select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary' order by 1, 2`;
}

async function isMade(sql: Sql, database: string): Promise<boolean> {
  const [row] = await sql`select 1 as one from pg_database where datname = ${database} and not datallowconn`;
  return row !== undefined;
}

/** Nobody may be connected to what is copied, and the cluster's own keeper would come back. */
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
