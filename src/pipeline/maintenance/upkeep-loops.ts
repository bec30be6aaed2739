// The loops of the upkeep: they delete old rows, erase numbers, mail notices and check the books. No task waits for them.

import type { Log } from '../../domain/log.js';
import { deleteExpiredCapUse } from '../../sending-rules/caps/cap-use.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { deleteOldHours } from '../../store/money/old-hours.js';
import { deleteOldCommitMarks } from '../../store/recovery/commit-mark.js';
import { endHistory } from '../../store/retention/end-history.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { passMonthEnds } from '../../store/webhook/month-ends.js';
import { type BucketLoopsOptions, runBucketLoops } from '../loops/bucket-loops.js';
import { runLoop } from '../loops/loop.js';
import type { Wake } from '../wake.js';
import { createEraseRound } from './erase.js';
import { mailDigest } from './mail-digest.js';
import { mailNotices, type NoticeDeps } from './mail-notices.js';
import { createSoleRunner, type SoleRunner } from './sole-runner.js';
import { runUpkeep } from './upkeep.js';

export interface UpkeepOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
  readonly log: Log;
  readonly setImbalances: (count: number) => void;
  /** How long history is kept; null: for ever. */
  readonly retentionMs?: number | null;
  /** Without it no numbers are erased. */
  readonly sealer?: Sealer;
  /** Without them no notices are mailed. */
  readonly notices?: Pick<NoticeDeps, 'sendUserMail' | 'publicOrigin' | 'now'> | undefined;
}

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

/** `stopped` resolves when all loops have ended after `signal`. */
export function startUpkeepLoops(options: UpkeepOptions, signal: AbortSignal): { stopped(): Promise<void> } {
  const { sql, wake, log } = options;
  const shared = { topic: 'upkeep', wake, log, signal } as const;
  const buckets = () => options.snapshot().buckets();
  const inEveryBucket = (name: string, how: Pick<BucketLoopsOptions, 'pollMs' | 'rest' | 'step'>) =>
    runBucketLoops({ name, ...shared, buckets, ...how });
  const retention = createSoleRunner(sql, 'retention', signal);
  const erasing = createSoleRunner(sql, 'erasures', signal);
  const loops = [
    inEveryBucket('deleting old hours', {
      pollMs: OLD_HOURS_MS,
      rest: 1,
      step: (bucket) => deleteOldHours(bucketSql(sql, bucket), bucket, Date.now(), OLD_HOURS_A_STEP),
    }),
    inEveryBucket('deleting expired cap counts', {
      pollMs: UPKEEP_MS,
      rest: 1,
      step: (bucket) => deleteExpiredCapUse(bucketSql(sql, bucket), bucket, DELETED_A_ROUND),
    }),
    inEveryBucket('passing the ends of months', {
      pollMs: MONTH_ENDS_MS,
      step: async (bucket) => {
        await passMonthEnds(bucketSql(sql, bucket), bucket, Date.now());
        return false;
      },
    }),
    inEveryBucket('deleting old commit marks', {
      pollMs: COMMIT_MARKS_MS,
      step: (bucket) => deleteOldCommitMarks(bucketSql(sql, bucket), bucket, KEPT_FOR_MS),
    }),
    runLoop({
      name: 'deleting old history',
      ...shared,
      pollMs: RETENTION_MS,
      step: () => endOldHistory(options, retention, signal),
    }),
    runLoop({
      name: 'erasing numbers',
      ...shared,
      pollMs: ERASE_MS,
      step: eraseOpen(options, erasing, signal),
    }),
    ...(options.notices === undefined
      ? []
      : [
          runLoop({
            name: 'mailing notices',
            ...shared,
            pollMs: UPKEEP_MS,
            step: mailAll(mailNotices, { ...options, ...options.notices }),
          }),
          runLoop({
            name: 'mailing digests',
            ...shared,
            pollMs: UPKEEP_MS,
            step: mailAll(mailDigest, { ...options, ...options.notices }),
          }),
        ]),
    runLoop({ name: 'upkeep', ...shared, pollMs: UPKEEP_MS, step: () => runUpkeep(options) }),
  ];
  return {
    async stopped() {
      await Promise.all(loops);
      // Without the database, both end by themselves.
      await Promise.allSettled([retention.stop(), erasing.stop()]);
    },
  };
}

/** Deletes old history in small steps. Open tasks keep theirs: `postrider retention` shows them. */
async function endOldHistory(
  { sql, log, retentionMs }: UpkeepOptions,
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

/** All news since the last look is in one mail. */
function mailAll(mail: (deps: NoticeDeps) => Promise<void>, deps: NoticeDeps): () => Promise<boolean> {
  return async () => {
    await mail(deps);
    return false;
  };
}

/** Numbers with open tasks are retried later. */
function eraseOpen(
  { sql, sealer, snapshot }: UpkeepOptions,
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
