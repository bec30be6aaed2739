import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectDatabase } from '../../src/store/connect.js';
import { findPostmaster, stopPostmaster } from '../../src/store/embedded/postmaster.js';
import { type EmbeddedAddress, startEmbeddedPostgres } from '../../src/store/embedded/start.js';
import { migrate } from '../../src/store/migrate/migrate.js';
import { ensurePartitions } from '../../src/store/partitions.js';
import { createClusterTemplate, isOnCluster } from './cluster.js';
import { isAlive } from './is-alive.js';
import { ONE_POSTGRES_FILES } from './postgres/one-postgres-files.js';
import { quiet } from './quiet.js';
import { tell } from './tell.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The migrated database that every test database is a copy of. */
    readonly templateAddress: EmbeddedAddress;
  }
}

const prefix = 'postrider-test-server-';

const GIBIBYTE = 2 ** 30;
const IN_MEMORY = '/dev/shm';
/** Several times what the databases of a run take. */
const ROOM = 6 * GIBIBYTE;

/** In memory where there is plenty: a copy of the template takes a fifth of the processor time there. */
async function findFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > ROOM && freemem() > ROOM ? IN_MEMORY : tmpdir();
}

/** One throw-away PostgreSQL server for the whole run, with the schema in a template database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (isOnCluster) {
    for (const [file, reason] of Object.entries(ONE_POSTGRES_FILES)) tell(`not on a cluster: ${file}: ${reason}`);
    project.provide('templateAddress', await createClusterTemplate());
    return async () => {};
  }
  const folder = await findFolder();
  await removeLeftovers(folder);
  const dataDir = await mkdtemp(join(folder, `${prefix}${process.pid}-`));
  // As root the server runs as another user, who has to get in.
  await chmod(dataDir, 0o711);
  // Each worker runs a file with up to two services and connections of its own.
  const server = await startEmbeddedPostgres({ dataDir, log: quiet, durable: false, serviceProcesses: 10 });
  const stop = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const sql = connectDatabase(server.address, { maxConnections: 1 });
    // No database here lives long enough to need it, and it takes a quarter of the server's processor time.
    await sql`alter system set autovacuum = off`;
    await sql`select pg_reload_conf()`;
    await migrate(sql)
      // As each service does at its start: made once here, they cost each test a copy instead of a dozen tables.
      .then(() => ensurePartitions(sql, new Date()))
      .finally(() => sql.end());
    project.provide('templateAddress', server.address);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

// A run that was killed leaves its server behind. The name says whose it was.
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const directory = join(folder, name);
    const place = {
      directory,
      cluster: join(directory, 'postgres'),
      socketDirectory: join(directory, 'socket'),
      logFile: '',
    };
    if ((await findPostmaster(place)) !== undefined) await stopPostmaster(place, undefined);
    await rm(directory, { recursive: true, force: true });
  }
}
