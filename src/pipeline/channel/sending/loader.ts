// Fills a channel's turns from its queue in the database: first the customers that have just put something up, then the others
// in turn, a few chunks of each, so that neither a busy customer nor a thousand of them fill the memory.

import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import type { CustomerId } from '../../../domain/id.js';
import { readQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../../store/connect.js';
import { createQuietBuckets } from '../../quiet-buckets.js';
import { createQueueWatch, type QueueWatch } from './queue-watch.js';
import type { Turns } from './turns.js';

export interface LoaderOptions {
  readonly sql: Sql;
  readonly channelId: bigint;
  readonly buckets: () => readonly number[];
  readonly bucketOf: (customerId: CustomerId) => number | undefined;
  readonly turns: Turns;
  /** Parts that the channel takes at once. */
  readonly window: number;
  /** Changes when something may have been put up in a bucket by anybody. */
  readonly news: (bucket: number) => number;
  /** Called before chunks are added: another process may have accepted them for an account not heard of here yet. */
  readonly admit: (chunks: readonly StoredChunk[]) => Promise<void>;
}

export interface Loader {
  /** Reads more into the turns when little is left. */
  load(): Promise<void>;
  /** These customers have put something up in this process: they come first. */
  hint(customerIds: readonly CustomerId[]): void;
  /** Reads nothing more of this customer. */
  pause(customerId: CustomerId): void;
  /** Reads the queue of this customer again, from the start: as soon as nothing of it is between intent and recorded answer. */
  resume(customerId: CustomerId, isAtRest: () => boolean): void;
}

/** So many windows are kept in memory, and more is read while there are still so many, not when the last one is gone. */
const WINDOWS_AHEAD = 4;
export const READ_BELOW_WINDOWS = 2;
const MAX_CUSTOMERS_A_LOAD = 100;
const MAX_CHUNKS_A_LOAD = 400;
const PATIENCE_MS = 500;
/** So many buckets are read side by side. */
const READ_AT_ONCE = 4;
/** A bucket in which nothing was left is looked at again after this, whether somebody has told of it or not. */
const QUIET_MS = 900;

export function createLoader(options: LoaderOptions): Loader {
  const { sql, channelId, turns } = options;
  const marks = new Map<CustomerId, bigint>();
  const hinted = new Set<CustomerId>();
  const paused = new Set<CustomerId>();
  /** Paused customers that are to be read again. */
  const resuming = new Map<CustomerId, () => boolean>();
  /** By bucket: customers of whom not everything is in memory. The first has waited longest. */
  const unread = new Map<number, Set<CustomerId>>();
  const watches = new Map<number, QueueWatch>();
  const underWay = new Set<number>();
  /** On a cluster there are many buckets, and most of them have nothing to send at any moment. */
  const quiet = createQuietBuckets(options.news, QUIET_MS);
  /** The last bucket that was read in its turn. */
  let lastInTurn: number | undefined;
  let partsAChunk = 50;

  const load = async (): Promise<void> => {
    for (const [customerId, isAtRest] of resuming) {
      if (turns.size(customerId) > 0 || !isAtRest()) continue;
      resuming.delete(customerId);
      paused.delete(customerId);
      marks.delete(customerId);
      hinted.add(customerId);
    }
    const fresh = [...hinted];
    hinted.clear();
    const buckets = options.buckets();
    const faults: unknown[] = [];
    const readOne = async (bucket: number): Promise<void> => {
      const first = fresh.filter((customerId) => options.bucketOf(customerId) === bucket);
      const putBack = () => {
        for (const customerId of first) hinted.add(customerId);
      };
      if (underWay.has(bucket)) {
        putBack();
        return;
      }
      const reading = readBucket(bucket, first).catch((error) => {
        putBack();
        faults.push(error);
      });
      // The machine of a bucket that does not answer is not waited for where there are others.
      await (buckets.length === 1 ? reading : Promise.race([reading, sleep(PATIENCE_MS)]));
    };
    const waiting = rotate(buckets);
    const readSome = async (): Promise<void> => {
      for (let bucket = waiting.shift(); bucket !== undefined; bucket = waiting.shift()) await readOne(bucket);
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, readSome));
    if (faults.length > 0) throw faults[0];
  };

  /** Beginning behind the last one that was read, so that the backlog of one bucket does not leave the others out. */
  const rotate = (buckets: readonly number[]): number[] => {
    const from = lastInTurn === undefined ? 0 : buckets.indexOf(lastInTurn) + 1;
    return [...buckets.slice(from), ...buckets.slice(0, from)];
  };

  const readBucket = async (bucket: number, first: readonly CustomerId[]): Promise<void> => {
    underWay.add(bucket);
    try {
      if (first.length > 0) await read(bucket, first);
      if (unreadIn(bucket).size > 0) quiet.delete(bucket);
      if (turns.size() < READ_BELOW_WINDOWS * options.window && !quiet.has(bucket)) await readInTurn(bucket);
    } finally {
      underWay.delete(bucket);
    }
  };

  const unreadIn = (bucket: number): Set<CustomerId> => getOrAdd(unread, bucket, () => new Set());

  const readInTurn = async (bucket: number): Promise<void> => {
    lastInTurn = bucket;
    const news = options.news(bucket);
    const customers = unreadIn(bucket);
    const watch = getOrAdd(watches, bucket, () => createQueueWatch({ sql, bucket, channelId }));
    for (const { customerId, last } of await watch.look()) {
      const isRead = last !== undefined && (marks.get(customerId) ?? 0n) >= last;
      if (!isRead && !paused.has(customerId)) customers.add(customerId);
    }
    await read(bucket, [...customers].slice(0, MAX_CUSTOMERS_A_LOAD));
    if (customers.size === 0) quiet.add(bucket, news);
    else quiet.delete(bucket);
  };

  /** Reads on in the queues of these customers. Those of whom there is more go to the end of the line. */
  const read = async (bucket: number, customerIds: readonly CustomerId[]): Promise<void> => {
    const customers = unreadIn(bucket);
    for (const customerId of customerIds) {
      customers.delete(customerId);
      if (!paused.has(customerId)) customers.add(customerId);
    }
    // Whoever has a window in memory waits until that is gone.
    const hungry = customerIds.filter((id) => customers.has(id) && turns.size(id) < options.window);
    if (hungry.length === 0) return;
    // Of many buckets each gives one window, or who is in the last of them would wait for all the others.
    const windows = options.buckets().length === 1 ? WINDOWS_AHEAD : 1;
    const parts = Math.ceil((windows * options.window) / hungry.length);
    // As many as the last ones were large: that is how many are looked at, and their parts are counted.
    const chunks = Math.ceil(Math.min(parts / partsAChunk, MAX_CHUNKS_A_LOAD / hungry.length));
    const places = hungry.map((customerId) => ({ customerId, after: marks.get(customerId) ?? 0n }));
    const stored = await readQueuedChunks(sql, bucket, channelId, places, { chunks, parts });
    if (stored.length > 0) await options.admit(stored);
    const loaded = new Map<CustomerId, { chunks: number; parts: number }>();
    for (const entry of stored) {
      const { customerId, queueNo } = entry.chunk;
      if (paused.has(customerId)) continue;
      turns.add(entry);
      marks.set(customerId, queueNo);
      const own = getOrAdd(loaded, customerId, () => ({ chunks: 0, parts: 0 }));
      own.chunks += 1;
      own.parts += entry.state.partStates.length;
    }
    for (const customerId of hungry) {
      const own = loaded.get(customerId) ?? { chunks: 0, parts: 0 };
      if (own.chunks < chunks && own.parts < parts) customers.delete(customerId);
    }
    const total = stored.reduce((sum, { state }) => sum + state.partStates.length, 0);
    if (stored.length > 0) partsAChunk = total / stored.length;
  };

  return {
    load,
    hint: (customerIds) => {
      for (const customerId of customerIds) hinted.add(customerId);
    },
    pause(customerId) {
      paused.add(customerId);
      resuming.delete(customerId);
    },
    resume: (customerId, isAtRest) => void resuming.set(customerId, isAtRest),
  };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
