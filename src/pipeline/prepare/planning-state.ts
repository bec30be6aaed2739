// What planning reads from tables on the coordinator, for a transaction that runs on a worker of a cluster. It is read before the
// transaction, which would otherwise wait for another machine while it holds locks.

import { readLiveChannels } from '../../store/channel/channel-lease.js';
import { shareRuns } from '../../store/share-runs.js';
import { readVersionAndTime } from '../../store/snapshot/rows.js';
import type { Sql } from '../../store/sql.js';

export interface PlanningState {
  readonly version: bigint;
  readonly now: Date;
  readonly live: ReadonlySet<bigint>;
}

const readers = new WeakMap<Sql, () => Promise<PlanningState>>();

/**
 * Undefined if the transaction runs on the same pool: then it reads these tables itself, without another round trip. Calls share
 * reads, and none gets one that began before it.
 */
export async function readPlanningStateAhead(sql: Sql, bucketPool: Sql): Promise<PlanningState | undefined> {
  if (bucketPool === sql) return undefined;
  const read = readers.get(sql) ?? shareRuns(() => readPlanningState(sql));
  readers.set(sql, read);
  return await read();
}

async function readPlanningState(sql: Sql): Promise<PlanningState> {
  const [{ version, now }, live] = await Promise.all([readVersionAndTime(sql), readLiveChannels(sql)]);
  return { version, now, live };
}
