import { setTimeout as delay } from 'node:timers/promises';
import type { LineLog } from '../domain/log.js';
import { parseTextArray, textArray } from './array-literal.js';
import { parseDatabaseUrl } from './connection/database-url.js';
import { createPrimaryFinder } from './connection/find-primary.js';
import { createWatchedSockets } from './connection/silence.js';
import { BIGINT, type Options, postgres } from './driver/index.js';
import type { EmbeddedAddress } from './embedded/start.js';
import { isUnavailableAtConnect } from './retry.js';
import type { Sql } from './sql.js';

/** A PostgreSQL URL, or a database of the embedded server. */
export type DatabaseAddress = string | EmbeddedAddress;

export interface ConnectOptions {
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** 0 for work of any length, such as a migration: then the client waits for a silent server without a limit. */
  readonly statementTimeoutMs?: number;
  /** Idle connections stay open: their cached catalogue is worth more than the memory. */
  readonly isKeptOpen?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly onNotice?: (notice: DatabaseNotice) => void;
}

/** A notice of the server. */
export interface DatabaseNotice {
  readonly message?: string;
  readonly detail?: string;
}

/** No statement of the service takes a tenth of this. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** The server ends a statement that takes too long before the client gives the connection up. */
const SILENCE_MARGIN_MS = 5000;
const IDLE_TIMEOUT_SECONDS = 15;
/**
 * The driver counts the failures of all connections together, and would soon back off for up to twenty seconds: callers would wait
 * instead of failing, and a database that is back would not be noticed.
 */
const MAX_BACKOFF_SECONDS = 1;

/** A pooler would refuse these. */
function sessionSettings(statementTimeoutMs: number) {
  return {
    // A process that is frozen in the middle of a transaction must not keep its locks, which the next owner of its channels needs.
    // Shorter than the lease of a channel.
    idle_in_transaction_session_timeout: 4000,
    statement_timeout: statementTimeoutMs,
    // The same for a client whose machine vanished while the server sends to it, or has nothing to send.
    tcp_user_timeout: 10_000,
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
  };
}

const TEXT_ARRAY_OID = 1009;
const TEXT_ARRAY = {
  to: TEXT_ARRAY_OID,
  from: [TEXT_ARRAY_OID],
  serialize: (values: readonly string[] | string) => (typeof values === 'string' ? values : textArray(values)),
  parse: parseTextArray,
};

/** How values without a form in JavaScript are sent and read. */
export const VALUE_TYPES = { bigint: BIGINT, textArray: TEXT_ARRAY };

const oldestPostgres = 15;
const newestPostgres = 18;

/**
 * A pool of connections. `prepare=false` or `pgbouncer=true` in the URL turns prepared statements off, for poolers that
 * cannot carry them; `host=/some/folder` in the URL names the folder of a Unix socket, as for libpq.
 */
export function connectDatabase(address: DatabaseAddress, options: ConnectOptions = {}): Sql {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const silenceMs = statementTimeoutMs === 0 ? Number.POSITIVE_INFINITY : statementTimeoutMs + SILENCE_MARGIN_MS;
  const pool = {
    max: options.maxConnections ?? 10,
    ...(options.isKeptOpen === true ? { max_lifetime: null } : { idle_timeout: IDLE_TIMEOUT_SECONDS }),
    connect_timeout: 10,
    backoff: (failures: number) => Math.min(3 ** failures / 100, MAX_BACKOFF_SECONDS),
    keep_alive: 10,
    socket: createWatchedSockets(silenceMs, typeof address === 'string' ? primaryFinderOf(address) : undefined),
    onnotice: options.onNotice ?? (() => {}),
    types: VALUE_TYPES,
    connection: {
      application_name: options.applicationName ?? 'postrider',
      ...(typeof address === 'string' && isPooled(address) ? {} : sessionSettings(statementTimeoutMs)),
      ...options.settings,
    },
  };
  return typeof address === 'string' ? connectUrl(address, pool) : postgres({ ...pool, ...address });
}

function connectUrl(address: string, pool: Options): Sql {
  const { url } = parseDatabaseUrl(address);
  const socketDirectory = url.searchParams.get('host');
  url.searchParams.delete('pgbouncer');
  url.searchParams.delete('host');
  return postgres(url.href, {
    ...pool,
    ...(isPooled(address) ? { prepare: false } : {}),
    ...(socketDirectory === null ? {} : { host: socketDirectory }),
  });
}

/** Several hosts, as `postgres://user@one:5432,two:5432/database`: connects to the primary. */
function primaryFinderOf(address: string) {
  const { url, hosts } = parseDatabaseUrl(address);
  if (hosts.length < 2) return undefined;
  url.searchParams.delete('pgbouncer');
  return createPrimaryFinder(hosts, url.href);
}

/** Behind a pooler in transaction mode: no prepared statements, and no LISTEN. */
export function isPooled(address: DatabaseAddress): boolean {
  return typeof address === 'string' && parseDatabaseUrl(address).url.searchParams.get('pgbouncer') === 'true';
}

/** The address in the form that POSTRIDER_DATABASE_URL and psql take. */
export function formatUrl(address: DatabaseAddress): string {
  if (typeof address === 'string') return address;
  const { username, database, host, port } = address;
  return `postgres://${username}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

/** Where a URL leads, without its password: fit for a log. */
export function describeAddress(address: DatabaseAddress): string {
  if (typeof address !== 'string') return `the embedded database in ${address.host}`;
  const { url, hosts } = parseDatabaseUrl(address);
  const names = hosts.length > 1 ? hosts.map(({ host, port }) => `${host}:${port}`).join(',') : url.host;
  return `${names || url.searchParams.get('host') || 'localhost'}${url.pathname}`;
}

/** Waits until the database answers, saying what it waits for, and checks that it is a version we know. */
export async function waitForDatabase(
  sql: Sql,
  options: {
    readonly description: string;
    readonly log: LineLog;
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
  },
): Promise<void> {
  const deadline = performance.now() + (options.timeoutMs ?? 60_000);
  let lastFault = '';
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      const [row] = await sql<{ number: string }[]>`select current_setting('server_version_num') as number`;
      checkVersion(Math.floor(Number(row?.number) / 10_000), options.description);
      return;
    } catch (error) {
      if (!isUnavailableAtConnect(error)) throw error;
      const fault = (error as Error).message || String((error as { code?: unknown }).code);
      if (performance.now() > deadline) {
        throw new Error(`The database ${options.description} cannot be reached: ${fault}`, { cause: error });
      }
      if (fault !== lastFault) options.log.info(`Waiting for the database ${options.description}: ${fault}`);
      lastFault = fault;
    }
    await delay(500, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

class UnsupportedPostgresError extends Error {
  override readonly name = 'UnsupportedPostgresError';
}

function checkVersion(major: number, description: string): void {
  if (major >= oldestPostgres && major <= newestPostgres) return;
  throw new UnsupportedPostgresError(
    `The database ${description} is PostgreSQL ${major}; Postrider works with ${oldestPostgres} to ${newestPostgres}.`,
  );
}
