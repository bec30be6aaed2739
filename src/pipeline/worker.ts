// The worker role: the loops that move tasks on. Each works through the buckets there are, one after another.

import type { Log } from '../domain/log.js';
import type { Region } from '../domain/phone.js';
import type { Lane } from '../domain/plan.js';
import { auditLastEntries } from '../store/audit-money.js';
import type { Sql } from '../store/connect.js';
import { deleteOldOrphans } from '../store/orphan-delivery.js';
import { ensurePartitions } from '../store/partitions.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { endExpiredTasks } from './end-tasks.js';
import { type LoopOptions, runLoop } from './loop.js';
import { makePreparer } from './prepare/prepare.js';
import { refreezeRound } from './prepare/refreeze.js';
import { startDueTasks } from './put-up.js';
import type { Recorder } from './settle/recorder.js';
import type { SettleLimits } from './settle/settle.js';
import { makeStrandedRound } from './stranded.js';
import { sumRound } from './sum-up.js';
import { sweepRound } from './sweep.js';
import type { Wake } from './wake.js';

export interface WorkerOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly recorder: Recorder;
  readonly limits: SettleLimits;
  /** How long a number waits for a channel that is gone. */
  readonly unsentTimeoutMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  readonly wake: Wake;
  readonly log: Log;
  readonly setImbalances: (count: number) => void;
}

const POLL_MS = 1000;
const PREPARE_INTERVAL_MS = 8;
const SWEEP_MS = 500;
/** A task starts within a second of its time. */
const SCHEDULE_MS = 250;
const SUM_MS = 2000;
const UPKEEP_MS = 60_000;
/** Reports that nothing has matched for so long are about messages that nobody remembers. */
const ORPHAN_RETENTION_MS = 30 * 24 * 3_600_000;
const ORPHANS_A_ROUND = 10_000;

export function startWorker(options: WorkerOptions): { stop(): Promise<void> } {
  const { wake, log } = options;
  const stopping = new AbortController();
  const loop = (name: string, how: Pick<LoopOptions, 'topic' | 'pollMs' | 'minIntervalMs' | 'step'>) =>
    runLoop({ name, wake, log, signal: stopping.signal, ...how });
  const inEveryBucket = (step: (bucket: number) => Promise<boolean>) => async (): Promise<boolean> => {
    const more = await Promise.all(options.snapshot().buckets().map(step));
    return more.includes(true);
  };
  const prepareLane = (lane: Lane) => {
    const preparers = new Map<number, () => Promise<boolean>>();
    return inEveryBucket((bucket) => {
      const preparer = preparers.get(bucket) ?? makePreparer(options, bucket, lane);
      preparers.set(bucket, preparer);
      return preparer();
    });
  };
  const loops = [
    loop('preparing', {
      topic: 'prepare',
      pollMs: POLL_MS,
      minIntervalMs: PREPARE_INTERVAL_MS,
      step: prepareLane('small'),
    }),
    loop('preparing large tasks', { topic: 'prepare-large', pollMs: POLL_MS, step: prepareLane('large') }),
    loop('freezing again', {
      topic: 'refreeze',
      pollMs: POLL_MS,
      step: inEveryBucket((bucket) => refreezeRound(options, bucket)),
    }),
    loop('sweeping', {
      topic: 'sweep',
      pollMs: SWEEP_MS,
      step: inEveryBucket((bucket) => sweepRound(options, bucket)),
    }),
    loop('giving up what is stranded', {
      topic: 'sweep',
      pollMs: SWEEP_MS,
      step: inEveryBucket(makeStrandedRound(options)),
    }),
    loop('starting what is due', {
      topic: 'schedule',
      pollMs: SCHEDULE_MS,
      step: inEveryBucket((bucket) => startDueTasks(options, bucket)),
    }),
    loop('ending what is due', {
      topic: 'schedule',
      pollMs: SCHEDULE_MS,
      step: inEveryBucket((bucket) => endExpiredTasks(options, bucket)),
    }),
    // Whoever asks for sums brings them up to date, so that this need not hurry.
    loop('summing up', {
      topic: 'sum',
      pollMs: SUM_MS,
      minIntervalMs: SUM_MS,
      step: inEveryBucket((bucket) => sumRound(options.sql, bucket)),
    }),
    loop('upkeep', { topic: 'upkeep', pollMs: UPKEEP_MS, step: () => keepUp(options) }),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

/** Partitions of the months ahead, the end of what is kept for a time only, and the quick proof that the money adds up. */
async function keepUp({ sql, log, setImbalances }: WorkerOptions): Promise<boolean> {
  await ensurePartitions(sql, new Date());
  const gone = await deleteOldOrphans(sql, ORPHAN_RETENTION_MS, ORPHANS_A_ROUND);
  const imbalances = await auditLastEntries(sql);
  setImbalances(imbalances.length);
  if (imbalances.length > 0) log.error({ imbalances }, 'the money does not add up; run: postrider audit');
  return gone === ORPHANS_A_ROUND;
}
