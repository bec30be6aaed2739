// The push loop of the worker role: finds due cursors and delivers to each in a pool, so that a slow or dead endpoint delays no other.
// Processes share the work by claims.

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../domain/log.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { type DueCursor, hasCursors } from '../../store/webhook/webhook-cursor.js';
import { markMissedCursors, readDueCursors } from '../../store/webhook/webhook-due.js';
import { runBucketLoops } from '../loops/bucket-loops.js';
import { createQuietBuckets } from '../loops/quiet-buckets.js';
import { NO_BUCKET, type Wake } from '../wake.js';
import { type DeliverDeps, deliver } from './deliver.js';
import { createDeliveryPool } from './delivery-pool.js';
import type { Poster } from './post.js';

export interface PusherOptions extends DeliverDeps {
  readonly wake: Wake;
  readonly log: Log;
  readonly concurrency?: PoolLimits;
  readonly pollMs?: number;
}

export interface PoolLimits {
  readonly quick: number;
  readonly slow: number;
}

const POLL_MS = 1000;
/** Interval of full polls, which find what the short ones miss. */
const FULL_LOOK_MS = 60_000;
/** The first endpoint of a bucket is announced to all processes. */
const QUIET_MS = 10_000;
/** Events of this period are sent in one call. */
const MIN_INTERVAL_MS = 100;
/** Each delivery holds one message in memory at most. Cursors that failed or were slow last time have a separate pool. */
const CONCURRENCY: PoolLimits = { quick: 200, slow: 64 };
/** Quick deliveries per customer; half as many slow ones. */
const PER_CUSTOMER = 8;
const SLOW_MS = 2000;
/** Beyond this, all are forgotten together. */
const MAX_SLOW_KNOWN = 50_000;
const STOP_GRACE_MS = 2000;
/** After the calls are aborted: how long the stop waits for deliveries to end. */
const STOP_LIMIT_MS = 5000;

function keyOf({ customerId, webhookId, event }: DueCursor): string {
  return `${customerId}/${webhookId}/${event}`;
}

export function startPusher(options: PusherOptions): { stop(): Promise<void> } {
  const { sql, wake, log, concurrency: limits = CONCURRENCY, pollMs = POLL_MS } = options;
  const stopping = new AbortController();
  const cutOff = new AbortController();
  // Every call listens to it.
  setMaxListeners(limits.quick + limits.slow, cutOff.signal);
  const quick = createDeliveryPool({ total: limits.quick, perCustomer: PER_CUSTOMER });
  const slow = createDeliveryPool({ total: limits.slow, perCustomer: PER_CUSTOMER / 2 });
  const slowKeys = new Set<string>();
  /** Found due again during their run. */
  const foundAgain = new Set<string>();
  const newsForAll = () => wake.count('push', NO_BUCKET);
  /** Buckets without endpoints. */
  const quiet = createQuietBuckets(newsForAll, QUIET_MS);
  const withCursors = new Set<number>();
  const looks = new Map<number, { readonly lookedMs: number; readonly fullMs: number }>();

  const rememberSpeed = (key: string, isSlow: boolean): void => {
    if (slowKeys.size >= MAX_SLOW_KNOWN) slowKeys.clear();
    if (isSlow) slowKeys.add(key);
    else slowKeys.delete(key);
  };

  /** Whether the last call was quick. */
  const watchPoster = (key: string): Poster => ({
    ...options.poster,
    async post(...call) {
      const answer = await options.poster.post(...call);
      rememberSpeed(key, answer.error !== null || answer.latencyMs > SLOW_MS);
      return answer;
    },
  });

  const run = async (key: string, cursor: DueCursor): Promise<void> => {
    foundAgain.delete(key);
    try {
      const deps = { ...options, poster: watchPoster(key) };
      const end = await deliver(deps, cursor, { stop: stopping.signal, cutOff: cutOff.signal });
      // The commit of the transaction that holds the lock wakes this loop, unless it was before the end of the run.
      const isFoundAgain = foundAgain.delete(key);
      if (end === 'more' || (end === 'busy' && isFoundAgain)) wake.notifyLocal('push', cursor.bucket);
    } catch (error) {
      log.warn({ err: error }, 'a delivery to a webhook was interrupted and is continued later');
    }
  };

  const look = async (bucket: number): Promise<boolean> => {
    if (quiet.has(bucket)) return false;
    const nowMs = performance.now();
    const last = looks.get(bucket);
    // A poll also reads the cursors that wait for their delivery, so it runs less often the more there are. The cursors of one customer
    // beyond its share of the pool do not count.
    const pauseMs = Math.min(pollMs, quick.waiting() + slow.waiting());
    if (last !== undefined && nowMs - last.lookedMs < pauseMs) return false;
    const isFull = last === undefined || nowMs - last.fullMs >= FULL_LOOK_MS;
    const news = newsForAll();
    const own = bucketSql(sql, bucket);
    if (isFull) await markMissedCursors(own, bucket);
    const due = await readDueCursors(own, bucket, { now: new Date(options.now()), isFull });
    looks.set(bucket, { lookedMs: nowMs, fullMs: isFull ? nowMs : last.fullMs });
    if (due.length === 0 && !withCursors.has(bucket)) {
      if (await hasCursors(own, bucket)) withCursors.add(bucket);
      else quiet.add(bucket, news);
    }
    for (const cursor of due) {
      const key = keyOf(cursor);
      if (stopping.signal.aborted) break;
      if (quick.has(key) || slow.has(key)) {
        foundAgain.add(key);
        continue;
      }
      const pool = slowKeys.has(key) || cursor.failures > 0 ? slow : quick;
      pool.add({ key, customerId: cursor.customerId, run: () => run(key, cursor) });
    }
    return false;
  };

  const loop = runBucketLoops({
    name: 'pushing',
    buckets: () => options.snapshot().buckets(),
    wake,
    topic: 'push',
    pollMs,
    minIntervalMs: MIN_INTERVAL_MS,
    signal: stopping.signal,
    log,
    step: look,
  });
  const drain = () => Promise.all([quick.drain(), slow.drain()]);
  return {
    async stop() {
      stopping.abort();
      await loop;
      const limit = new AbortController();
      const timer = setTimeout(() => cutOff.abort(), STOP_GRACE_MS);
      const giveUp = sleep(STOP_GRACE_MS + STOP_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined);
      await Promise.race([drain(), giveUp]);
      limit.abort();
      clearTimeout(timer);
    },
  };
}
