// Parts with a committed intent and no recorded answer, left by a process that ended. The carrier may have them, so they become unknown
// and are never sent again.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { PART } from '../../../domain/chunk/chunk-state.js';
import { partsIn } from '../../../domain/chunk/part-walk.js';
import type { Log } from '../../../domain/log.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { type Lease, LeaseLostError } from '../../../store/channel/channel-lease.js';
import { readInterrupted } from '../../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../../store/connect.js';
import { isDatabaseAway } from '../../../store/retry.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
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
  /** Buckets whose machine is away, on a cluster. Nothing of them may be sent until this is done. */
  readonly away: readonly number[];
  /** Events that could not be written, with the error. They are quarantined, and other customers do not wait for them. */
  readonly failed: ReadonlyMap<DeliveryEvent, unknown>;
}

export async function markInterruptedUnknown(
  deps: InterruptedDeps,
  lease: Lease,
  buckets = deps.snapshot().buckets(),
): Promise<InterruptedRemainder> {
  let parts = 0;
  const away: number[] = [];
  const failed = new Map<DeliveryEvent, unknown>();
  for (const bucket of buckets) {
    try {
      parts += await markInBucket(deps, lease, bucket, failed);
    } catch (error) {
      if (!isDatabaseAway(error) || deps.snapshot().buckets().length === 1) throw error;
      away.push(bucket);
    }
  }
  if (parts > 0) {
    deps.log.warn({ parts }, 'parts were on the wire when their process ended; whether they were accepted is unknown');
  }
  return { away, failed };
}

async function markInBucket(
  deps: InterruptedDeps,
  lease: Lease,
  bucket: number,
  failed: Map<DeliveryEvent, unknown>,
): Promise<number> {
  const interrupted = await readInterrupted(deps.sql, bucket, lease.channelId);
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
