import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../domain/log.js';
import type { Sql } from './sql.js';

/** Well below the two seconds that a readiness probe waits. */
const ANSWER_MS = 1500;

/**
 * Probes the database; false if it does not answer in time. Probes that are still open are shared, so that a silent database does not
 * accumulate them.
 */
export function createDatabaseProbe(
  sql: Sql,
  question: () => PromiseLike<unknown> = () => sql`select 1`,
): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    try {
      await question();
      return true;
    } catch {
      return false;
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    asking ??= ask();
    const late = new AbortController();
    const lateness = sleep(ANSWER_MS, false, { signal: late.signal }).catch(() => false);
    return await Promise.race([asking, lateness]).finally(() => late.abort());
  };
}

/** How long a stop lets the work in flight wait for a database that does not answer. */
const STOP_PATIENCE_MS = 4000;

/**
 * Once a stop was requested: closes the connections when the database does not answer, so that nothing waits for it any
 * more. What was not committed is taken up at the next start, as after a crash.
 */
export function endIfSilent(
  [sql, ...others]: readonly [Sql, ...Sql[]],
  log: Pick<Log, 'warn'>,
  stopRequested: AbortSignal,
): void {
  const probe = createDatabaseProbe(sql);
  const look = async (): Promise<void> => {
    while (await probe()) await sleep(STOP_PATIENCE_MS, undefined, { ref: false });
    log.warn(
      {},
      'stopping without the database, which does not answer; what was in flight is taken up at the next start',
    );
    await Promise.all([sql, ...others].map((pool) => pool.end({ timeout: 0 })));
  };
  stopRequested.addEventListener('abort', () => void setTimeout(look, STOP_PATIENCE_MS).unref(), { once: true });
}
