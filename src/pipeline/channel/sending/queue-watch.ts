// Finds the queues of a channel that have chunks, at the cost of what was queued since the last poll. Deleted rows stay in the index
// while any snapshot is open, so a scan of the whole queue costs as much as was sent meanwhile. The scan runs at the start and rarely
// later; in between, a poll starts at a remembered time.

import type { QueueKey } from '../../../domain/rules/queue-place.js';
import { readQueues } from '../../../store/chunk/dispatch-queue.js';
import {
  type FoundQueue,
  type QueueHorizon,
  readNewlyQueued,
  readQueueHorizon,
} from '../../../store/chunk/newly-queued.js';
import { bucketSql, isDistributed } from '../../../store/cluster/distribution.js';
import type { Sql } from '../../../store/sql.js';

export interface QueueWatch {
  /** Queues that may have chunks: all at the first call, later those in which chunks were queued since. */
  poll(): Promise<readonly FoundQueue[]>;
}

export interface QueueWatchOptions {
  readonly sql: Sql;
  readonly bucket: number;
  readonly channelId: bigint;
  /** In milliseconds. */
  readonly monotonicNow?: () => number;
}

const QUEUES_A_PAGE = 100;
/** Tolerates rounding, and small steps back of the database's clock. */
const CLOCK_SLACK_MS = 1000;
/** If the database's clock falls behind ours by more than this, it was set back. */
const MAX_CLOCK_DRIFT_MS = 500;
/** How often the whole queue is scanned. Scans never take more than a hundredth of the time. */
const SCAN_EVERY_MS = 5 * 60_000;
const SCAN_SHARE = 100;

interface Position {
  /** Chunks queued before this are in queues that were returned. Undefined until the first complete scan. */
  since: Date | undefined;
  /** Becomes the next `since` when the transactions that ran at that time have ended. */
  next: QueueHorizon;
  scanAfterMs: number;
  /** The database's clock at the last poll, and ours. */
  polledAt: Date;
  polledMs: number;
}

/**
 * Why no chunk is missed: the time at which a chunk is queued is read under its account's lock, by a transaction that already has its
 * id. When all transactions that had an id at time T have ended, every chunk queued before T is visible, and the next poll may start
 * at T.
 */
export function createQueueWatch(options: QueueWatchOptions): QueueWatch {
  const { sql, bucket, channelId, monotonicNow = () => performance.now() } = options;
  let position: Position | undefined;
  let pageAfter: QueueKey | undefined;

  const readPage = (after: QueueKey | undefined) =>
    readQueues(bucketSql(sql, bucket), bucket, channelId, after, QUEUES_A_PAGE);

  const scanAll = async (): Promise<QueueKey[]> => {
    const queues: QueueKey[] = [];
    for (let after: QueueKey | undefined, isMore = true; isMore; ) {
      const page: QueueKey[] = await readPage(after);
      queues.push(...page);
      isMore = page.length === QUEUES_A_PAGE;
      after = page.at(-1) ?? after;
    }
    return queues;
  };

  /** On a cluster each machine numbers its own transactions, so no time can be remembered: each poll scans one page. */
  const scanPage = async (): Promise<QueueKey[]> => {
    const after = pageAfter;
    const page = await readPage(after);
    const isLast = page.length < QUEUES_A_PAGE;
    const again = isLast && after !== undefined ? await readPage(undefined) : [];
    pageAfter = isLast ? undefined : page.at(-1);
    return [...new Set([...page, ...again])];
  };

  /** Then chunks are queued with times before the remembered one. */
  const isClockSetBack = ({ polledAt, polledMs }: Position, { at }: QueueHorizon, nowMs: number): boolean =>
    at.getTime() - polledAt.getTime() < nowMs - polledMs - MAX_CLOCK_DRIFT_MS;

  const scan = async (before: Position | undefined): Promise<FoundQueue[]> => {
    const startedMs = monotonicNow();
    const horizon = await readQueueHorizon(sql);
    const found = await scanAll();
    const known = before !== undefined && !isClockSetBack(before, horizon, startedMs) ? before : undefined;
    const hasEnded = known !== undefined && horizon.firstRunning >= known.next.firstUnassigned;
    const since = hasEnded ? known.next.at : known?.since;
    const restMs = Math.max(since === undefined ? 0 : SCAN_EVERY_MS, SCAN_SHARE * (monotonicNow() - startedMs));
    const next = hasEnded || known === undefined ? horizon : known.next;
    position = { since, next, scanAfterMs: startedMs + restMs, polledAt: horizon.at, polledMs: startedMs };
    return found.map(withoutLast);
  };

  const pollNew = async (before: Position): Promise<FoundQueue[]> => {
    const polledMs = monotonicNow();
    const since = before.since ?? before.next.at;
    const start = new Date(since.getTime() - CLOCK_SLACK_MS);
    const { horizon, queues } = await readNewlyQueued(sql, bucket, channelId, start);
    if (isClockSetBack(before, horizon, polledMs)) return await scan(undefined);
    // Until the first complete scan the remembered time stays: chunks queued before it may become visible later.
    const hasEnded = before.since !== undefined && horizon.firstRunning >= before.next.firstUnassigned;
    const later = hasEnded ? { since: before.next.at, next: horizon } : {};
    position = { ...before, ...later, polledAt: horizon.at, polledMs };
    return queues;
  };

  return {
    async poll() {
      if (isDistributed(sql)) return (await scanPage()).map(withoutLast);
      const before = position;
      // After a failed poll, for example during a failover, the next one scans the whole queue.
      position = undefined;
      return before === undefined || monotonicNow() >= before.scanAfterMs ? await scan(before) : await pollNew(before);
    },
  };
}

const withoutLast = (queue: QueueKey): FoundQueue => ({ queue, last: undefined });
