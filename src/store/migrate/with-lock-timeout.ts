import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../domain/backoff.js';
import { isDeadlock, isLockTimeout } from '../retry.js';
import type { AnySql, Sql } from '../sql.js';

export interface Progress {
  /** Takes a line for a person: what the migration does or waits for. Only for what takes longer than a second. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Traffic on a table waits behind a migration that waits for its lock, so each wait is short. It grows beyond the second after
 * which PostgreSQL cancels an autovacuum that is in the way.
 */
const LOCK_TIMEOUT = { firstMs: 500, mostMs: 2000 };
const PAUSE = { firstMs: 500, mostMs: 15_000 };

/**
 * Runs a transaction that gives up its locks when one of them is taken, and retries with backoff until it gets all of them.
 * `lock_timeout` counts from `limitLockWaits`: what is locked before that may be waited for.
 */
export async function withLockTimeout<Result>(
  sql: Sql,
  what: string,
  progress: Progress,
  run: (tx: AnySql, limitLockWaits: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const since = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    progress.signal?.throwIfAborted();
    const lockTimeoutMs = backoffMs(attempt, LOCK_TIMEOUT);
    try {
      return (await sql.begin((tx) => run(tx, () => setLockTimeout(tx, lockTimeoutMs)))) as Result;
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      const pauseMs = backoffMs(attempt, PAUSE, Math.random);
      const waited = performance.now() - since;
      if (waited > 1000) {
        progress.say(`${what}: a lock is taken, retrying (${formatSeconds(waited)}${await describeOldest(sql)})`);
      }
      await delay(pauseMs, undefined, progress.signal === undefined ? {} : { signal: progress.signal });
    }
  }
}

/** On a cluster the workers take it over for this transaction. */
async function setLockTimeout(tx: AnySql, lockTimeoutMs: number): Promise<void> {
  const [citus] = await tx`select 1 as one from pg_extension where extname = 'citus'`;
  if (citus !== undefined) await tx`set local citus.propagate_set_commands = 'local'`;
  await tx.unsafe(`set local lock_timeout = ${lockTimeoutMs}`);
}

/** The transaction most likely to hold the lock. */
async function describeOldest(sql: Sql): Promise<string> {
  const [oldest] = await sql<{ pid: number; application: string; seconds: number }[]>`
    select pid, application_name as application, extract(epoch from now() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`;
  if (oldest === undefined) return '';
  return `; the oldest transaction is ${oldest.seconds} s old, process ${oldest.pid} of "${oldest.application}"`;
}

/** Says what takes longer than a second: after 1, 2, 4 … seconds, then every 30. */
export async function sayWhileWorking<Result>(
  what: string,
  { say }: Progress,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  const since = performance.now();
  let sayAt = 1000;
  const timer = setInterval(() => {
    const elapsed = performance.now() - since;
    if (elapsed < sayAt) return;
    sayAt = elapsed + Math.min(elapsed, 30_000);
    say(`${what} (${formatSeconds(elapsed)})`);
  }, 250);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
