// A separate service for a measurement: a real process on a new, durable embedded database, or on a given one.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorClient } from '@postrider/client';
import { checkoutFolder } from '#src/service/checkout.js';
import { connectDatabase, formatUrl } from '#src/store/connect.js';
import { findRunningServer } from '#src/store/embedded/find-running.js';
import type { Sql } from '#src/store/sql.js';
import { type DatabaseServers, findServers } from './processor-time.js';
import { findFreePort, isRunning, type Program, startProgram } from './program.js';

const POLL_MS = 50;
/** Used by the measurement only. */
export const OPERATOR_TOKEN = 'operator-token-of-the-bench';
const SECRET_KEY = 'secret-key-of-the-bench-0123456789';

export interface BenchService {
  readonly url: string;
  readonly pid: number;
  readonly operator: OperatorClient;
  /** A connection beside the service, for looking at what is left to do and how much was written. */
  readonly sql: Sql;
  readonly servers: DatabaseServers;
  stop(): Promise<void>;
}

export interface BenchPlace {
  /** An existing database instead of an embedded one. */
  readonly databaseUrl?: string | undefined;
  /** Where it finds what the last one has left, and leaves its own. */
  readonly keptFolder?: string | undefined;
}

export async function startBenchService(
  signal: AbortSignal,
  { databaseUrl, keptFolder }: BenchPlace = {},
): Promise<BenchService> {
  const folder = keptFolder ?? (await createBenchFolder());
  const dataDir = join(folder, 'data');
  const port = await findFreePort();
  const program = startProgram(process.execPath, [join(checkoutFolder, 'dist/main.js')], {
    env: {
      PATH: process.env.PATH,
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_PORT: String(port),
      POSTRIDER_DEMO: 'off',
      POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8',
      POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8',
      POSTRIDER_LOG_LEVEL: 'warn',
      POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
      ...(databaseUrl === undefined ? {} : { POSTRIDER_DATABASE_URL: databaseUrl, POSTRIDER_SECRET_KEY: SECRET_KEY }),
    },
  });
  const url = `http://127.0.0.1:${port}`;
  let sql: Sql | undefined;
  const stop = async () => {
    await sql?.end({ timeout: 1 });
    await program.stop();
    if (keptFolder === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(url, program, signal);
    sql = connectBeside(databaseUrl ?? (await findDatabase(dataDir)));
    const operator = new OperatorClient({ baseUrl: url, token: OPERATOR_TOKEN });
    return { url, pid: program.pid, operator, sql, servers: await findServers(sql), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As root the database server runs as another user, who must be able to pass through. */
export async function createBenchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bench-'));
  await chmod(folder, 0o711);
  return folder;
}

async function findDatabase(dataDir: string): Promise<string> {
  const address = await findRunningServer(dataDir);
  if (address === undefined) throw new Error(`No database server runs on ${dataDir}.`);
  return formatUrl(address);
}

/** Reads must not scan: tables that are nearly empty by their statistics may be full of dead rows. */
function connectBeside(databaseUrl: string): Sql {
  const url = new URL(databaseUrl);
  url.searchParams.set('enable_seqscan', 'off');
  url.searchParams.set('enable_sort', 'off');
  return connectDatabase(url.href, {
    maxConnections: 1,
    applicationName: 'postrider-bench',
    statementTimeoutMs: 0,
    isKeptOpen: true,
  });
}

async function waitUntilReady(url: string, program: Program, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (!isRunning(program.child)) throw new Error('The service ended before it was ready.');
    const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (answer?.ok) return;
    await delay(POLL_MS, undefined, { signal });
  }
}
