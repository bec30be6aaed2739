// The worker role: runs the loops that process tasks, one of each kind per bucket.

import type { Log } from '../domain/log.js';
import type { Region } from '../domain/phone/phone.js';
import type { Lane } from '../domain/plan/plan.js';
import { deleteExpiredCapUse } from '../sending-rules/caps/cap-use.js';
import { bucketSql } from '../store/cluster/distribution.js';
import { readDue } from '../store/due.js';
import { deleteOldHours } from '../store/money/old-hours.js';
import { deleteOldCommitMarks } from '../store/recovery/commit-mark.js';
import { endHistory } from '../store/retention/end-history.js';
import type { Sealer } from '../store/secrets/seal.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import type { Sql } from '../store/sql.js';
import { retryPrepare } from '../store/task/task-prepare.js';
import { passMonthEnds } from '../store/webhook/month-ends.js';
import { type BucketLoopsOptions, runBucketLoops } from './loops/bucket-loops.js';
import { runLoop } from './loops/loop.js';
import { createEraseRound } from './maintenance/erase.js';
import { createLeaveRound } from './maintenance/leave-channels.js';
import { createSoleRunner, type SoleRunner } from './maintenance/sole-runner.js';
import { createStrandedRound } from './maintenance/stranded.js';
import { sumRound } from './maintenance/sum-up.js';
import { expireReceipts, giveUpUnknown } from './maintenance/sweep.js';
import { tellDigest } from './maintenance/tell-digest.js';
import { type NoticeDeps, tellNotices } from './maintenance/tell-notices.js';
import { runUpkeep } from './maintenance/upkeep.js';
import { createPreparer, type Preparer } from './prepare/prepare.js';
import { createRefreezeRound } from './prepare/refreeze.js';
import type { Quarantine } from './quarantine/quarantine.js';
import type { Recorder } from './settle/recorder.js';
import type { SettleLimits } from './settle/settle.js';
import { endExpiredTasks } from './task-moves/end-tasks.js';
import { startDueTasks } from './task-moves/start-tasks.js';
import type { TaskTrace } from './task-trace.js';
import type { Wake } from './wake.js';

export interface WorkerOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
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
  readonly wake: Wake;
  /** Items that failed in a round. */
  readonly quarantine: Quarantine;
  readonly log: Log;
  readonly setImbalances: (count: number) => void;
  /** How long history is kept; null: for ever. */
  readonly retentionMs?: number | null;
  readonly trace?: TaskTrace | undefined;
  /** Without it no numbers are erased. */
  readonly sealer?: Sealer;
  /** Without them no notices are mailed. */
  readonly notices?: Pick<NoticeDeps, 'sendUserMail' | 'publicOrigin' | 'now'> | undefined;
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
const UPKEEP_MS = 60_000;
const MONTH_ENDS_MS = 600_000;
/** Hourly sums become obsolete once a day. */
const OLD_HOURS_MS = 600_000;
const OLD_HOURS_A_STEP = 2000;
const COMMIT_MARKS_MS = 3_600_000;
const RETENTION_MS = 600_000;
/** How often erasures are polled. A number with messages in progress waits for hours. */
const ERASE_MS = 5000;
/** How long the commit marks of ended processes are kept. */
const KEPT_FOR_MS = 30 * 24 * 3_600_000;
const DELETED_A_ROUND = 10_000;

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
  const retention = createSoleRunner(options.sql, 'retention', stopping.signal);
  const erasing = createSoleRunner(options.sql, 'erasures', stopping.signal);
  const preparers: Preparer[] = [];
  const prepareLane = (lane: Lane) => {
    const ofLane = new Map<number, Preparer>();
    return (bucket: number) => {
      const known = ofLane.get(bucket);
      if (known !== undefined) return known.round();
      const preparer = createPreparer(options, bucket, lane, stopping.signal);
      ofLane.set(bucket, preparer);
      preparers.push(preparer);
      return preparer.round();
    };
  };
  const loops = [
    inEveryBucket('preparing', {
      topic: 'prepare',
      pollMs: POLL_MS,
      minIntervalMs: PREPARE_INTERVAL_MS,
      step: prepareLane('small'),
    }),
    inEveryBucket('preparing large tasks', {
      topic: 'prepare-large',
      pollMs: POLL_MS,
      rest: LARGE_TASKS_REST,
      step: prepareLane('large'),
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
    inEveryBucket('deleting old hours', {
      topic: 'upkeep',
      pollMs: OLD_HOURS_MS,
      rest: 1,
      step: (bucket) => deleteOldHours(at(bucket).sql, bucket, Date.now(), OLD_HOURS_A_STEP),
    }),
    inEveryBucket('deleting expired cap counts', {
      topic: 'upkeep',
      pollMs: UPKEEP_MS,
      rest: 1,
      step: (bucket) => deleteExpiredCapUse(at(bucket).sql, bucket, DELETED_A_ROUND),
    }),
    inEveryBucket('passing the ends of months', {
      topic: 'upkeep',
      pollMs: MONTH_ENDS_MS,
      step: async (bucket) => {
        await passMonthEnds(at(bucket).sql, bucket, Date.now());
        return false;
      },
    }),
    inEveryBucket('deleting old commit marks', {
      topic: 'upkeep',
      pollMs: COMMIT_MARKS_MS,
      step: (bucket) => deleteOldCommitMarks(at(bucket).sql, bucket, KEPT_FOR_MS),
    }),
    runLoop({
      name: 'deleting old history',
      ...shared,
      topic: 'upkeep',
      pollMs: RETENTION_MS,
      step: () => endOldHistory(options, retention, stopping.signal),
    }),
    runLoop({
      name: 'erasing numbers',
      ...shared,
      topic: 'upkeep',
      pollMs: ERASE_MS,
      step: eraseOpen(options, erasing, stopping.signal),
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
    ...(options.notices === undefined
      ? []
      : [
          runLoop({
            name: 'mailing notices',
            ...shared,
            topic: 'upkeep',
            pollMs: UPKEEP_MS,
            step: tellAll(tellNotices, { ...options, ...options.notices }),
          }),
          runLoop({
            name: 'mailing digests',
            ...shared,
            topic: 'upkeep',
            pollMs: UPKEEP_MS,
            step: tellAll(tellDigest, { ...options, ...options.notices }),
          }),
        ]),
    runLoop({ name: 'upkeep', ...shared, topic: 'upkeep', pollMs: UPKEEP_MS, step: () => runUpkeep(options) }),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(preparers.map((preparer) => preparer.idle()));
      // Without the database, both end by themselves.
      await Promise.allSettled([retention.stop(), erasing.stop()]);
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

/** Deletes old history in small steps. Open tasks keep theirs: `postrider retention` shows them. */
async function endOldHistory(
  { sql, log, retentionMs }: WorkerOptions,
  runner: SoleRunner,
  signal: AbortSignal,
): Promise<boolean> {
  if (retentionMs == null) return false;
  await runner.run(async (rest) => {
    const ended = await endHistory({ sql, retentionMs, signal, rest });
    if (ended.outcome === 'ended') log.info({ month: ended.month, deleted: ended.deleted }, 'history has ended');
  });
  return false;
}

/** What came up meanwhile is in one mail. */
function tellAll(tell: (deps: NoticeDeps) => Promise<void>, deps: NoticeDeps): () => Promise<boolean> {
  return async () => {
    await tell(deps);
    return false;
  };
}

/** Numbers with open tasks are retried later. */
function eraseOpen(
  { sql, sealer, snapshot }: WorkerOptions,
  runner: SoleRunner,
  signal: AbortSignal,
): () => Promise<boolean> {
  if (sealer === undefined) return async () => false;
  const round = createEraseRound({ sql, sealer, buckets: () => snapshot().buckets(), signal });
  return async () => {
    await runner.run(round);
    return false;
  };
}
