import { setTimeout as delay } from 'node:timers/promises';
import { postgres, type Sql } from '../driver/index.js';
import { type Place, socketPort } from './place.js';

export const databaseOwner = 'postrider';

// Any constant will do; it is taken in the database "postgres", where nothing else takes advisory locks.
const lockKey = 7_461_072;

// The server notices within moments that a service was killed; one that still holds the lock after this is alive.
const releaseWaitMs = 2_000;

/** One session that is held as long as this service uses the data folder. */
export interface ExclusiveSession {
  /** Resolves when the session has ended, for any reason. */
  readonly closed: Promise<void>;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  end(): Promise<void>;
}

export type OpenOutcome =
  | { readonly kind: 'open'; readonly session: ExclusiveSession }
  /** No server listens. */
  | { readonly kind: 'absent' }
  /** A server is there and is starting, recovering or shutting down. */
  | { readonly kind: 'not_ready'; readonly reason: string };

export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
}

/**
 * Takes the data folder for this service alone. The lock belongs to a session of the server: it cannot be left behind by a
 * service that was killed, and no process id can be mistaken for another, as with a lock file.
 */
export async function openExclusiveSession(place: Place, dataDir: string): Promise<OpenOutcome> {
  let markClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve;
  });
  const sql = postgres({
    host: place.socketDirectory,
    port: socketPort,
    database: 'postgres',
    username: databaseOwner,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    onclose: () => markClosed(),
    connection: { application_name: `postrider service ${process.pid}` },
  });
  const end = async () => {
    await sql.end({ timeout: 1 });
    markClosed();
  };
  try {
    const deadline = performance.now() + releaseWaitMs;
    for (;;) {
      const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${lockKey}) as taken`;
      if (row?.taken === true) return { kind: 'open', session: { closed, query: (text) => sql.unsafe(text), end } };
      if (performance.now() > deadline) throw await describeHolder(sql, dataDir);
      await delay(50);
    }
  } catch (error) {
    await end();
    return classifyFault(error);
  }
}

function classifyFault(error: unknown): OpenOutcome {
  const code = (error as { code?: unknown }).code;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return { kind: 'absent' };
  // cannot_connect_now, admin_shutdown, crash_shutdown, and a connection that a server on its way out has dropped.
  if (
    code === '57P03' ||
    code === '57P01' ||
    code === '57P02' ||
    code === 'CONNECTION_CLOSED' ||
    code === 'ECONNRESET'
  ) {
    return { kind: 'not_ready', reason: (error as Error).message };
  }
  throw error;
}

async function describeHolder(sql: Sql, dataDir: string): Promise<DataFolderInUseError> {
  const [row] = await sql<{ holder: string }[]>`
    select a.application_name as holder from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.objid = ${lockKey} and l.granted
  `;
  const pid = /\d+$/.exec(row?.holder ?? '')?.[0];
  const holder = pid === undefined ? 'Another Postrider' : `Another Postrider (process ${pid})`;
  return new DataFolderInUseError(
    `${holder} is using the data folder ${dataDir}. Stop it, or give this one a folder of its own with POSTRIDER_DATA_DIR.`,
  );
}
