// Parts with a committed intent and no recorded answer, left by a process that ended. The carrier may have them, so they become unknown
// and are never sent again.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { PART } from '../../../domain/chunk/chunk-state.js';
import { partsIn } from '../../../domain/chunk/part-walk.js';
import type { Log } from '../../../domain/log.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { takeOverBucket } from '../../../store/channel/bucket-fence.js';
import { type Lease, LeaseLostError } from '../../../store/channel/channel-lease.js';
import { readInterrupted } from '../../../store/chunk/dispatch-queue.js';
import { bucketSql, isDistributed } from '../../../store/cluster/distribution.js';
import { readBuckets } from '../../../store/recovery/under-way.js';
import { isDatabaseAway } from '../../../store/retry.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Sql } from '../../../store/sql.js';
import type { Recorder } from '../../settle/recorder.js';

export interface InterruptedDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly recorder: Recorder;
  readonly log: Log;
  readonly now: () => number;
}

/** What is not done yet. */
export interface InterruptedRemainder {
  /** The buckets that were to be taken over. */
  readonly buckets: readonly number[];
  /** Buckets whose machine is away, on a cluster. Nothing of them may be sent until this is done. */
  readonly away: readonly number[];
  /** Events that could not be written, with the error. They are quarantined, and other customers do not wait for them. */
  readonly failed: ReadonlyMap<DeliveryEvent, unknown>;
}

export async function markInterruptedUnknown(
  deps: InterruptedDeps,
  lease: Lease,
  wanted?: readonly number[],
): Promise<InterruptedRemainder> {
  const buckets = wanted ?? (await findBuckets(deps));
  let parts = 0;
  const away: number[] = [];
  const failed = new Map<DeliveryEvent, unknown>();
  // Concurrently: each may wait for a transaction of the previous owner.
  const ends = await Promise.allSettled(buckets.map((bucket) => markInBucket(deps, lease, bucket, failed)));
  for (const [at, bucket] of buckets.entries()) {
    const end = ends[at];
    if (end?.status === 'fulfilled') parts += end.value;
    else if (isDatabaseAway(end?.reason) && isDistributed(deps.sql)) away.push(bucket);
    else throw end?.reason;
  }
  if (parts > 0) {
    deps.log.warn({ parts }, 'parts were on the wire when their process ended; whether they were accepted is unknown');
  }
  return { buckets, away, failed };
}

/** On a cluster also those without customers, who may come while the previous owner still runs. */
async function findBuckets({ sql, snapshot }: InterruptedDeps): Promise<readonly number[]> {
  return isDistributed(sql) ? await readBuckets(sql) : snapshot().buckets();
}

async function markInBucket(
  deps: InterruptedDeps,
  lease: Lease,
  bucket: number,
  failed: Map<DeliveryEvent, unknown>,
): Promise<number> {
  const sql = bucketSql(deps.sql, bucket);
  await takeOverBucket(sql, bucket, lease);
  const interrupted = await readInterrupted(sql, bucket, lease.channelId);
  const deliveryEvents = interrupted.flatMap((stored) =>
    unknownOf(stored, lease, stored.intendedAt?.getTime() ?? deps.now()),
  );
  const settled = await deps.recorder.record(deliveryEvents, { lease });
  for (const deliveryEvent of deliveryEvents) {
    const error = settled.failed.get(deliveryEvent);
    if (error instanceof LeaseLostError || isDatabaseAway(error)) throw error;
    if (settled.failed.has(deliveryEvent)) failed.set(deliveryEvent, error);
  }
  return deliveryEvents.length;
}

function unknownOf({ chunk, state }: StoredChunk, { channelId }: Lease, submittedAt: number): DeliveryEvent[] {
  const event = { kind: 'unknown' } as const;
  return partsIn(state, PART.intended).map(({ index, part }) => {
    return { chunk, index, part, event, channelId, code: 'process_ended', submittedAt };
  });
}
