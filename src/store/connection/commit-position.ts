// The position in the write-ahead log of the last acknowledged commit of this process. After a failover it is compared with the position at
// which the new primary left the old timeline: later commits are lost.

import { isDistributed } from '../cluster/distribution.js';
import type { AnySql, Sql, Statement } from '../sql.js';

export interface CommitPosition {
  readonly timeline: number;
  readonly position: bigint;
}

/** By timeline: the same position means something else on another. */
const positions = new WeakMap<Sql, Map<number, bigint>>();

/** A log position as a number, so that positions can be compared. */
export function lsnNumber(sql: AnySql, lsn: Statement) {
  return sql`(${lsn} - '0/0'::pg_lsn)::bigint`;
}

/** Of the server that answers. The name of the current log file begins with it; the control file follows only with the next checkpoint. */
export function currentTimeline(sql: AnySql) {
  return sql`('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int`;
}

/**
 * Behind the writes of a transaction and before its commit. Undefined where the transaction has failed or has written nothing, because then
 * no commit record follows; and on a cluster, whose machines each have their own log.
 */
export async function readPosition(tx: AnySql): Promise<CommitPosition | undefined> {
  if (isDistributed(tx)) return undefined;
  try {
    const [row] = await tx<CommitPosition[]>`
      select ${currentTimeline(tx)} as timeline, ${lsnNumber(tx, tx`pg_current_wal_insert_lsn()`)} as position
      where pg_current_xact_id_if_assigned() is not null`;
    return row;
  } catch {
    return undefined;
  }
}

/** The commit behind this position was acknowledged. */
export function noteCommit(sql: Sql, at: CommitPosition | undefined): void {
  if (at === undefined) return;
  const known = positions.get(sql) ?? new Map<number, bigint>();
  positions.set(sql, known);
  if (at.position > (known.get(at.timeline) ?? -1n)) known.set(at.timeline, at.position);
}

/** The commit record of the last acknowledged transaction on this timeline begins here or later. Undefined where there was none. */
export function lastCommit(sql: Sql, timeline: number): bigint | undefined {
  return positions.get(sql)?.get(timeline);
}

/** The positions of another history do not apply to this one. */
export function forgetCommits(sql: Sql): void {
  positions.delete(sql);
}
