import { PART } from '../../domain/chunk-state.js';
import type { Happening } from '../../domain/happening.js';
import type { Log } from '../../domain/log.js';
import type { Lease } from '../../store/channel-lease.js';
import type { StoredChunk } from '../../store/chunk.js';
import type { Sql } from '../../store/connect.js';
import { readInterrupted } from '../../store/dispatch-queue.js';
import { isDatabaseAway } from '../../store/retry.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Recorder } from '../settle/recorder.js';

export interface InterruptedDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly recorder: Recorder;
  readonly log: Log;
  readonly now: () => number;
}

/**
 * Parts with a committed intent and no recorded answer, left by a process that ended: the upstream may have them, so they
 * are unknown now and are never sent again. Returns the buckets whose machine is away, where there are others: nothing of
 * them may be sent before this has been done for them.
 */
export async function giveUpInterrupted(
  deps: InterruptedDeps,
  lease: Lease,
  buckets = deps.snapshot().buckets(),
): Promise<readonly number[]> {
  let parts = 0;
  const away: number[] = [];
  for (const bucket of buckets) {
    try {
      parts += await giveUpInBucket(deps, lease, bucket);
    } catch (error) {
      if (!isDatabaseAway(error) || deps.snapshot().buckets().length === 1) throw error;
      away.push(bucket);
    }
  }
  if (parts > 0) {
    deps.log.warn({ parts }, 'parts were on the wire when their process ended; whether they were accepted is unknown');
  }
  return away;
}

async function giveUpInBucket(deps: InterruptedDeps, lease: Lease, bucket: number): Promise<number> {
  const interrupted = await readInterrupted(deps.sql, bucket, lease.channelId);
  const happenings = interrupted.flatMap((stored) =>
    unknownOf(stored, lease, stored.intendedAt?.getTime() ?? deps.now()),
  );
  if (happenings.length > 0) await deps.recorder.record(happenings, lease);
  return happenings.length;
}

function unknownOf({ chunk, state }: StoredChunk, lease: Lease, submittedAt: number): Happening[] {
  const happenings: Happening[] = [];
  const { channelId } = lease;
  for (let index = 0; index < state.results.length; index++) {
    const first = state.offsets[index] ?? 0;
    for (let at = first; at < (state.offsets[index + 1] ?? 0); at++) {
      if (state.partStates[at] !== PART.intended) continue;
      const part = at - first + 1;
      const event = { kind: 'unknown' } as const;
      happenings.push({ chunk, index, part, event, channelId, code: 'process_ended', submittedAt });
    }
  }
  return happenings;
}
