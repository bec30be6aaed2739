// Learns which queues of a channel have chunks, at the cost of what was queued since the last look. Deleted rows stay
// in the index while any snapshot is open, so a walk over the whole queue costs what was ever sent beside it. The walk is
// made when the watch begins and rarely again; in between, a look starts at a remembered time.

import type { QueueKey } from '../../../domain/rules/queue-place.js';
import { readQueues } from '../../../store/chunk/dispatch-queue.js';
import {
  type FoundQueue,
  type QueueHorizon,
  readNewlyQueued,
  readQueueHorizon,
} from '../../../store/chunk/newly-queued.js';
import { isDistributed } from '../../../store/cluster/distribution.js';
import type { Sql } from '../../../store/connect.js';

export interface QueueWatch {
  /** Queues that may have chunks: all at the first look, later those in which chunks were queued since. */
  look(): Promise<readonly FoundQueue[]>;
}

export interface QueueWatchOptions {
  readonly sql: Sql;
  readonly bucket: number;
  readonly channelId: bigint;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow?: () => number;
}

const QUEUES_A_PAGE = 100;
/** How far the database's clock may run back, or its times be rounded, without notice. */
const CLOCK_SLACK_MS = 1000;
/** A clock that falls back by more than this against ours has been set. */
const MAX_CLOCK_DRIFT_MS = 500;
/** The whole queue is walked again after this, and walking never takes more than a hundredth of the time. */
const WALK_EVERY_MS = 5 * 60_000;
const WALK_SHARE = 100;

interface Position {
  /** Chunks queued before this are in queues that a look has returned. Undefined until a walk has proved it of some time. */
  since: Date | undefined;
  /** Becomes the next `since`, as soon as the transactions that ran then have ended. */
  next: QueueHorizon;
  walkAfterMs: number;
  /** The database's clock at the last look, and ours. */
  lookedAt: Date;
  lookedMs: number;
}

/**
 * Why no chunk is missed: the time at which a chunk is queued is read under its account's lock, by a transaction that has its
 * id by then. When all transactions that had an id at time T have ended, every chunk queued before T is visible, and a
 * look that sees this may start the next one at T.
 */
export function createQueueWatch(options: QueueWatchOptions): QueueWatch {
  const { sql, bucket, channelId, monotonicNow = () => performance.now() } = options;
  let position: Position | undefined;
  let pageAfter: QueueKey | undefined;

  const readPage = (after: QueueKey | undefined) => readQueues(sql, bucket, channelId, after, QUEUES_A_PAGE);

  const walkAll = async (): Promise<QueueKey[]> => {
    const queues: QueueKey[] = [];
    for (let after: QueueKey | undefined, isMore = true; isMore; ) {
      const page: QueueKey[] = await readPage(after);
      queues.push(...page);
      isMore = page.length === QUEUES_A_PAGE;
      after = page.at(-1) ?? after;
    }
    return queues;
  };

  /** On a cluster each machine numbers its transactions, so there is no remembered time: a page of the walk at each look. */
  const walkPage = async (): Promise<QueueKey[]> => {
    const after = pageAfter;
    const page = await readPage(after);
    const isLast = page.length < QUEUES_A_PAGE;
    const again = isLast && after !== undefined ? await readPage(undefined) : [];
    pageAfter = isLast ? undefined : page.at(-1);
    return [...new Set([...page, ...again])];
  };

  /** Chunks are queued by a clock that was set back: the remembered time means nothing any more. */
  const isClockSetBack = ({ lookedAt, lookedMs }: Position, { at }: QueueHorizon, nowMs: number): boolean =>
    at.getTime() - lookedAt.getTime() < nowMs - lookedMs - MAX_CLOCK_DRIFT_MS;

  const walk = async (before: Position | undefined): Promise<FoundQueue[]> => {
    const startedMs = monotonicNow();
    const horizon = await readQueueHorizon(sql);
    const found = await walkAll();
    const known = before !== undefined && !isClockSetBack(before, horizon, startedMs) ? before : undefined;
    const hasEnded = known !== undefined && horizon.firstRunning >= known.next.firstUnassigned;
    const since = hasEnded ? known.next.at : known?.since;
    const restMs = Math.max(since === undefined ? 0 : WALK_EVERY_MS, WALK_SHARE * (monotonicNow() - startedMs));
    const next = hasEnded || known === undefined ? horizon : known.next;
    position = { since, next, walkAfterMs: startedMs + restMs, lookedAt: horizon.at, lookedMs: startedMs };
    return found.map(withoutLast);
  };

  const lookOn = async (before: Position): Promise<FoundQueue[]> => {
    const lookedMs = monotonicNow();
    const since = before.since ?? before.next.at;
    const start = new Date(since.getTime() - CLOCK_SLACK_MS);
    const { horizon, queues } = await readNewlyQueued(sql, bucket, channelId, start);
    if (isClockSetBack(before, horizon, lookedMs)) return await walk(undefined);
    // Before the first complete walk the remembered time stays: chunks queued before it may still come to light.
    const hasEnded = before.since !== undefined && horizon.firstRunning >= before.next.firstUnassigned;
    const later = hasEnded ? { since: before.next.at, next: horizon } : {};
    position = { ...before, ...later, lookedAt: horizon.at, lookedMs };
    return queues;
  };

  return {
    async look() {
      if (isDistributed(sql)) return (await walkPage()).map(withoutLast);
      const before = position;
      // A look that fails, such as one that meets a failover, leaves nothing remembered: the next one walks the whole queue.
      position = undefined;
      return before === undefined || monotonicNow() >= before.walkAfterMs ? await walk(before) : await lookOn(before);
    },
  };
}

const withoutLast = (queue: QueueKey): FoundQueue => ({ queue, last: undefined });
