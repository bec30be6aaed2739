import { isPlannedByCluster } from './cluster/distribution.js';
import type { AnySql, Statement } from './sql.js';

/**
 * Whether a `with` may contain inserts. Not where a cluster plans the statement: Citus sends the results of each part to every machine
 * and commits in two phases on all of them. There the parts run as separate statements.
 */
export function supportsInsertsInWith(sql: AnySql): boolean {
  return !isPlannedByCluster(sql);
}

/**
 * Runs independent statements as one, as parts of a `with`: for a dozen small writes, round trips cost several times as much as the
 * writes. All see the same snapshot, and no two may change the same row. Where a cluster plans the statements, they are pipelined.
 */
export async function runTogether(tx: AnySql, statements: readonly (Statement | false)[]): Promise<void> {
  const wanted = statements.filter((statement) => statement !== false);
  const [first, ...others] = wanted;
  if (first === undefined) return;
  if (others.length === 0) {
    await first;
    return;
  }
  if (!supportsInsertsInWith(tx)) {
    await Promise.all(wanted);
    return;
  }
  let parts = tx`p0 as (${first})`;
  for (const [at, statement] of others.entries()) parts = tx`${parts}, ${tx.unsafe(`p${at + 1}`)} as (${statement})`;
  await tx`with ${parts} select`;
}
