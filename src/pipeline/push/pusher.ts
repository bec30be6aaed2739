// The loop of push, a part of the worker role: looks for endpoints with something to be told, and delivers to each of them by
// itself, so that a slow or dead one delays no other. Several processes share the work by claims.

import { setMaxListeners } from 'node:events';
import type { Log } from '../../domain/log.js';
import { type DueCursor, hasCursors, readDueCursors } from '../../store/webhook/webhook-cursor.js';
import { runBucketLoops } from '../bucket-loops.js';
import { makeQuietBuckets } from '../quiet-buckets.js';
import { NO_BUCKET, type Wake } from '../wake.js';
import { type DeliverDeps, deliver } from './deliver.js';
import type { Poster } from './post.js';

export interface PusherOptions extends DeliverDeps {
  readonly wake: Wake;
  readonly log: Log;
}

const POLL_MS = 1000;
/** Whoever has the first endpoint of a bucket made has it told to everybody. */
const QUIET_MS = 10_000;
/** What happens meanwhile goes in one call. */
const MIN_INTERVAL_MS = 100;
/** Each holds one message in memory at most. */
const MAX_QUICK = 200;
/** Those that failed or were slow last time have lanes of their own: they wait for each other and for nobody else. */
const MAX_SLOW = 64;
const SLOW_MS = 2000;
/** Endpoints that are gone are forgotten with all the others. */
const MAX_KNOWN = 50_000;
const STOP_GRACE_MS = 2000;

interface Known {
  isSlow: boolean;
  /** How far nothing was found, and from which position: a replay goes back. */
  lookedTo: string;
}

/** Remembers how quick the last call was. */
function watch(poster: Poster, memory: Known): Poster {
  return {
    ...poster,
    async post(...call) {
      const answer = await poster.post(...call);
      memory.isSlow = answer.error !== null || answer.latencyMs > SLOW_MS;
      return answer;
    },
  };
}

function keyOf({ customerId, webhookId, event }: DueCursor): string {
  return `${customerId}/${webhookId}/${event}`;
}

function lookOf({ position, head }: DueCursor): string {
  return `${position}/${head}`;
}

export function startPusher(options: PusherOptions): { stop(): Promise<void> } {
  const { sql, wake, log, poster } = options;
  const stopping = new AbortController();
  const cutOff = new AbortController();
  // Every call that is under way listens to it.
  setMaxListeners(MAX_QUICK + MAX_SLOW, cutOff.signal);
  const known = new Map<string, Known>();
  const running = new Map<string, Promise<void>>();
  const newsForAll = () => wake.count('push', NO_BUCKET);
  /** Buckets without endpoints. */
  const quiet = makeQuietBuckets(newsForAll, QUIET_MS);
  const wanted = new Set<number>();
  let quick = 0;
  let slow = 0;

  const start = (cursor: DueCursor): void => {
    const key = keyOf(cursor);
    const memory = known.get(key) ?? { isSlow: false, lookedTo: '' };
    known.set(key, memory);
    const isSlow = memory.isSlow || cursor.failures > 0;
    if (isSlow ? slow >= MAX_SLOW : quick >= MAX_QUICK) return;
    if (isSlow) slow += 1;
    else quick += 1;
    const observed = { ...options, poster: watch(poster, memory) };
    const run = deliver(observed, cursor, { stop: stopping.signal, cutOff: cutOff.signal })
      .then((end) => {
        if (end === 'told') memory.lookedTo = lookOf(cursor);
        if (end !== 'told' && end !== 'rest') return;
        // More may have happened than was there to see when this began.
        wake.rouse('push', cursor.bucket);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'a delivery to a webhook was interrupted and goes on later'))
      .finally(() => {
        if (isSlow) slow -= 1;
        else quick -= 1;
        running.delete(key);
      });
    running.set(key, run);
  };

  const look = async (bucket: number): Promise<boolean> => {
    if (known.size > MAX_KNOWN) known.clear();
    if (quiet.has(bucket)) return false;
    const news = newsForAll();
    const due = await readDueCursors(sql, bucket, new Date(options.now()));
    if (due.length === 0 && !wanted.has(bucket)) {
      if (await hasCursors(sql, bucket)) wanted.add(bucket);
      else quiet.add(bucket, news);
    }
    for (const cursor of due) {
      const key = keyOf(cursor);
      const isNew = cursor.messageEnd !== null || lookOf(cursor) !== known.get(key)?.lookedTo;
      if (isNew && !running.has(key) && !stopping.signal.aborted) start(cursor);
    }
    return false;
  };

  const loop = runBucketLoops({
    name: 'pushing',
    buckets: () => options.snapshot().buckets(),
    wake,
    topic: 'push',
    pollMs: POLL_MS,
    minIntervalMs: MIN_INTERVAL_MS,
    signal: stopping.signal,
    log,
    step: look,
  });
  return {
    async stop() {
      stopping.abort();
      await loop;
      const timer = setTimeout(() => cutOff.abort(), STOP_GRACE_MS);
      await Promise.all(running.values());
      clearTimeout(timer);
    },
  };
}
