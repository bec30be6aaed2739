// What planning reads from tables on the coordinator, for a transaction that runs on a worker of a cluster. It is read before the
// transaction, which would otherwise wait for another machine while it holds locks.

import { readCoordinatorShards } from '../../store/cluster/placement.js';
import { createCoordinatorShardSql } from '../../store/cluster/shard-sql.js';
import { shareRuns } from '../../store/share-runs.js';
import { type PlanningState, readPlanningState } from '../../store/snapshot/planning-state.js';
import type { Sql } from '../../store/sql.js';

const readers = new WeakMap<Sql, () => Promise<PlanningState>>();

/**
 * Undefined if the transaction runs on the same pool: then it reads these tables itself, without another round trip. Calls share
 * reads, and none gets one that began before it.
 */
export async function readPlanningStateAhead(sql: Sql, bucketPool: Sql): Promise<PlanningState | undefined> {
  if (bucketPool === sql) return undefined;
  const read = readers.get(sql) ?? shareRuns(createReader(sql));
  readers.set(sql, read);
  return await read();
}

/** After an error the shards are looked up again. */
function createReader(coordinator: Sql): () => Promise<PlanningState> {
  let sql: Sql | undefined;
  return async () => {
    try {
      sql ??= createCoordinatorShardSql(coordinator, await readCoordinatorShards(coordinator));
      return await readPlanningState(sql);
    } catch (error) {
      sql = undefined;
      throw error;
    }
  };
}
