// The PostgreSQL of a campaign: a real server that can be stopped without warning, started again, and run out of disk.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '../../../src/store/connect.js';
import type { Place } from '../../../src/store/embedded/place.js';
import { findPostmaster, stopPostmaster } from '../../../src/store/embedded/postmaster.js';
import {
  type EmbeddedAddress,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/store/embedded/start.js';
import type { Sql } from '../../../src/store/sql.js';
import { isAlive } from '../../support/is-alive.js';
import { quiet } from '../../support/quiet.js';
import { until } from '../../support/until.js';
import type { History } from '../history.js';

export interface DatabaseServer {
  readonly address: EmbeddedAddress;
  /** The checker's own connection, past every proxy. */
  readonly sql: Sql;
  /** As if its machine had lost power, except that what was written stays. Resolves when it is gone. */
  stopAtOnce(): Promise<void>;
  /** Starts it where it is not running. */
  start(): Promise<void>;
  /** Why its disk cannot be filled here; undefined when it can. */
  readonly whyNoFullDisk: string | undefined;
  fillDisk(): void;
  freeDisk(): void;
  close(): Promise<void>;
}

const PREFIX = 'postrider-faults-server-';
const VOLUME = '1200m';
const LEFT_FREE_BYTES = 64 * 1024;

export async function startDatabaseServer(history: History): Promise<DatabaseServer> {
  await removeLeftovers();
  const dataDir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const whyNoFullDisk = mountVolume(dataDir);
  chmodSync(dataDir, 0o711);
  const place = placeOf(dataDir);
  const filler = join(dataDir, 'filler');
  const begin = () => startEmbeddedPostgres({ dataDir, log: quiet, durable: true });
  let server: EmbeddedPostgres = await begin();
  // A process that dies loses nothing that it has handed to the operating system; the log must stay within the volume.
  await server.stop();
  appendFileSync(join(place.cluster, 'local.conf'), "fsync = off\nmax_wal_size = '128MB'\nmin_wal_size = '32MB'\n");
  server = await begin();
  const sql = connectDatabase(server.address, { maxConnections: 3, statementTimeoutMs: 0, applicationName: 'checker' });
  let downSince: number | undefined;

  const noteEnd = (): void => {
    if (downSince !== undefined) history.add({ kind: 'outage', startMs: downSince, endMs: history.nowMs() });
    downSince = undefined;
  };
  const start = async (): Promise<void> => {
    if ((await findPostmaster(place)) !== undefined) return noteEnd();
    downSince ??= history.nowMs();
    // The supervisor of the server that is gone must have noticed, or it would lay hands on the new one.
    await sleep(200);
    // It answers before its starter has noticed.
    noteEnd();
    server = await begin();
  };
  const freeDisk = () => rmSync(filler, { force: true });

  return {
    address: server.address,
    sql,
    async stopAtOnce() {
      const pid = await findPostmaster(place);
      if (pid === undefined) return;
      process.kill(pid, 'SIGQUIT');
      await until('the database server is gone', async () => (await findPostmaster(place)) === undefined);
      downSince ??= history.nowMs();
    },
    start,
    whyNoFullDisk,
    fillDisk() {
      const { bavail, bsize } = statfsSync(dataDir);
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - LEFT_FREE_BYTES)));
      } catch (error) {
        // The server has taken the last of the room meanwhile: the disk is full all the same.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    freeDisk,
    async close() {
      freeDisk();
      await sql.end({ timeout: 1 });
      await server.stop();
      removeFolder(dataDir);
    },
  };
}

/** A small volume of its own, which can be filled without harm to anybody else. */
function mountVolume(directory: string): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'mounting a small volume takes root on Linux';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${VOLUME}`, 'tmpfs', directory], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `a small volume could not be mounted: ${(error as Error).message}`;
  }
}

function placeOf(directory: string): Place {
  const [cluster, socketDirectory] = [join(directory, 'postgres'), join(directory, 'socket')];
  return { directory, cluster, socketDirectory, logFile: join(directory, 'postgres.log') };
}

function removeFolder(directory: string): void {
  // One that is no volume of its own is not unmounted, which is no failure.
  if (process.platform === 'linux') spawnSync('umount', ['-l', directory], { stdio: 'ignore' });
  rmSync(directory, { recursive: true, force: true });
}

/** A campaign that was killed leaves its server and its volume behind. The name says whose they were. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const directory = join(tmpdir(), name);
    await stopPostmaster(placeOf(directory), undefined);
    removeFolder(directory);
  }
}
