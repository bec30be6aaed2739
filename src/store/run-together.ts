import { isPlannedByCluster } from './cluster/distribution.js';
import type { AnySql, Statement } from './sql.js';

/**
 * Whether an insert may stand in a `with`. A cluster takes such a statement apart: it carries what the other parts return to every
 * machine, and commits in two phases on all of them. There the parts are statements of their own.
 */
export function supportsInsertsInWith(sql: AnySql): boolean {
  return !isPlannedByCluster(sql);
}

/**
 * Runs statements that do not depend on each other as one: the parts of a `with`. A transaction of a dozen small writes
 * costs the client, and the way to the server, several times what the writes themselves cost. All of them see the same
 * snapshot, and none may change a row that another one changes. Where a cluster plans them, they are sent one behind the
 * other, and waited for together.
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
