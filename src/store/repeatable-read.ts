import type { AnySql, Sql } from './sql.js';

/**
 * Runs reads that all see the database as it was at the first of them. Between two of them the reader may be busy
 * elsewhere, such as with a client that takes its time, for no longer than `maxQuietMs`: then the database ends it.
 */
export function withRepeatableRead<Result>(
  sql: Sql,
  maxQuietMs: number,
  read: (tx: AnySql) => Promise<Result>,
): Promise<Result> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`select set_config('idle_in_transaction_session_timeout', ${String(maxQuietMs)}, true)`;
    return read(tx);
  });
}
