// What planning reads from tables on the coordinator, for a transaction that runs on a worker of a cluster. It is read before the
// transaction, which would otherwise wait for another machine while it holds locks.

import { readLiveChannels } from '../../store/channel/channel-lease.js';
import { readVersionAndTime } from '../../store/snapshot/rows.js';
import type { Sql } from '../../store/sql.js';

export interface PlanningState {
  readonly version: bigint;
  readonly now: Date;
  readonly live: ReadonlySet<bigint>;
}

interface SharedRead {
  running: Promise<PlanningState> | undefined;
  next: Promise<PlanningState> | undefined;
}

const reads = new WeakMap<Sql, SharedRead>();

/**
 * Undefined if the transaction runs on the same pool: then it reads these tables itself, without another round trip. Reads run one at a
 * time, and each serves all calls that came before it began, so the result is never older than the call.
 */
export async function readPlanningStateAhead(sql: Sql, bucketPool: Sql): Promise<PlanningState | undefined> {
  if (bucketPool === sql) return undefined;
  const shared = reads.get(sql) ?? { running: undefined, next: undefined };
  reads.set(sql, shared);
  shared.next ??= readAfter(sql, shared);
  return await shared.next;
}

async function readAfter(sql: Sql, shared: SharedRead): Promise<PlanningState> {
  await shared.running?.catch(() => undefined);
  // `next` is the promise of this call. It is the running read now, and a later call starts another.
  shared.running = shared.next;
  shared.next = undefined;
  const [{ version, now }, live] = await Promise.all([readVersionAndTime(sql), readLiveChannels(sql)]);
  return { version, now, live };
}
