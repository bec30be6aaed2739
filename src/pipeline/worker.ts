// The worker role: runs the loops that process tasks, one of each kind per bucket, and beside them those of the upkeep.

import type { Region } from '../domain/phone/phone.js';
import type { TaskSize } from '../domain/plan/plan.js';
import { bucketSql } from '../store/cluster/distribution.js';
import { readDue } from '../store/due.js';
import { retryPrepare } from '../store/task/task-prepare.js';
import { type BucketLoopsOptions, runBucketLoops } from './loops/bucket-loops.js';
import { runLoop } from './loops/loop.js';
import { createLeaveRound } from './maintenance/leave-channels.js';
import { createStrandedRound } from './maintenance/stranded.js';
import { sumRound } from './maintenance/sum-up.js';
import { expireReceipts, giveUpUnknown } from './maintenance/sweep.js';
import { startUpkeepLoops, type UpkeepOptions } from './maintenance/upkeep-loops.js';
import { createPreparer, type Preparer } from './prepare/prepare.js';
import { createRefreezeRound } from './prepare/refreeze.js';
import type { Quarantine } from './quarantine/quarantine.js';
import type { Recorder } from './settle/recorder.js';
import type { SettleLimits } from './settle/settle.js';
import { endExpiredTasks } from './task-moves/end-tasks.js';
import { startDueTasks } from './task-moves/start-tasks.js';
import type { TaskTrace } from './task-trace.js';

export interface WorkerOptions extends UpkeepOptions {
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly recorder: Recorder;
  readonly limits: SettleLimits;
  /** How long a number waits for a channel that was removed. */
  readonly unsentTimeoutMs: number;
  /** Channels that an operator has to release are not gone. */
  readonly isHeld?: () => boolean;
  /** In milliseconds. */
  readonly monotonicNow: () => number;
  /** Items that failed in a round. */
  readonly quarantine: Quarantine;
  readonly trace?: TaskTrace | undefined;
}

/** New work wakes its loop; polling finds what a lost notification missed. */
const POLL_MS = 10_000;
const PREPARE_INTERVAL_MS = 8;
/** Large tasks are prepared much faster than they are sent, so this loop leaves time to others. */
const LARGE_TASKS_REST = 3;
/** Stranded numbers have waited for hours or days. */
const STRANDED_MS = 2000;
/** A task starts within a second of its time. */
const DUE_MS = 500;
const SUM_MS = 5000;
/** The check for new rows reads every account, so an idle platform is checked rarely. */
const SUM_AT_REST_MS = 15_000;
/** Limits how often tasks that cannot be frozen are retried. */
const REFREEZE_INTERVAL_MS = 1000;
/** How often chunks of a customer leave channels whose grant was revoked. */
const LEAVE_MS = 5000;
export function startWorker(options: WorkerOptions): { stop(): Promise<void> } {
  const { wake, log } = options;
  const stopping = new AbortController();
  const shared = { wake, log, signal: stopping.signal, buckets: () => options.snapshot().buckets() };
  const inEveryBucket = (
    name: string,
    how: Pick<BucketLoopsOptions, 'topic' | 'pollMs' | 'minIntervalMs' | 'rest' | 'step'>,
  ) => runBucketLoops({ name, ...shared, ...how });
  const at = (bucket: number): WorkerOptions => ({ ...options, sql: bucketSql(options.sql, bucket) });
  const leaveRound = createLeaveRound(options);
  const upkeep = startUpkeepLoops(options, stopping.signal);
  const preparers: Preparer[] = [];
  const prepareOfSize = (size: TaskSize) => {
    const preparersOf = new Map<number, Preparer>();
    return (bucket: number) => {
      const known = preparersOf.get(bucket);
      if (known !== undefined) return known.round();
      const preparer = createPreparer(options, bucket, size, stopping.signal);
      preparersOf.set(bucket, preparer);
      preparers.push(preparer);
      return preparer.round();
    };
  };
  const loops = [
    inEveryBucket('preparing', {
      topic: 'prepare',
      pollMs: POLL_MS,
      minIntervalMs: PREPARE_INTERVAL_MS,
      step: prepareOfSize('small'),
    }),
    inEveryBucket('preparing large tasks', {
      topic: 'prepare-large',
      pollMs: POLL_MS,
      rest: LARGE_TASKS_REST,
      step: prepareOfSize('large'),
    }),
    inEveryBucket('retrying freezes', {
      topic: 'refreeze',
      pollMs: POLL_MS,
      minIntervalMs: REFREEZE_INTERVAL_MS,
      step: createRefreezeRound(options),
    }),
    inEveryBucket('rejecting stranded numbers', {
      topic: 'sweep',
      pollMs: STRANDED_MS,
      step: createStrandedRound(options),
    }),
    inEveryBucket('running due steps', {
      topic: 'schedule',
      pollMs: DUE_MS,
      step: (bucket) => runDueSteps(at(bucket), bucket),
    }),
    // Queries bring the sums up to date, so this loop may be slow.
    inEveryBucket('summing up', {
      topic: 'sum',
      pollMs: SUM_MS,
      minIntervalMs: SUM_MS,
      step: sumUnlessAtRest(options),
    }),
    runLoop({
      name: 'leaving channels whose grant was revoked',
      ...shared,
      topic: 'sweep',
      pollMs: LEAVE_MS,
      step: async () => {
        await leaveRound();
        return false;
      },
    }),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(preparers.map((preparer) => preparer.idle()));
      await upkeep.stopped();
    },
  };
}

/** Skips rounds for a while after one that found nothing. */
function sumUnlessAtRest(options: WorkerOptions): (bucket: number) => Promise<boolean> {
  const restUntil = new Map<number, number>();
  return async (bucket) => {
    if (options.monotonicNow() < (restUntil.get(bucket) ?? 0)) return false;
    const { found, isMore } = await sumRound({ ...options, sql: bucketSql(options.sql, bucket) }, bucket);
    if (found === 0) restUntil.set(bucket, options.monotonicNow() + SUM_AT_REST_MS);
    return isMore;
  };
}

/** Each step is separate: the failure of one does not stop the others. */
async function runDueSteps(options: WorkerOptions, bucket: number): Promise<boolean> {
  const due = await readDue(options.sql, bucket);
  if (due.prepareRetry) await retryPrepare(options.sql, bucket);
  if (due.prepare || due.prepareRetry) options.wake.notifyLocal('prepare', bucket);
  if (due.prepareLarge || due.prepareRetry) options.wake.notifyLocal('prepare-large', bucket);
  if (due.refreeze) options.wake.notifyLocal('refreeze', bucket);
  const unknown = due.unknown && giveUpUnknown(options, bucket);
  // Not concurrently: events of one task that are recorded together fail together.
  const receipts = due.receipts && Promise.allSettled([unknown]).then(() => expireReceipts(options, bucket));
  const start = due.start && startDueTasks(options, bucket);
  const end = due.end && endExpiredTasks(options, bucket);
  const results = await Promise.allSettled([unknown, receipts, start, end]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return results.some((result) => result.status === 'fulfilled' && result.value);
}
