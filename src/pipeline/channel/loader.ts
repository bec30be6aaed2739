// Fills a channel's turns from its queue in the database: first the customers that have just put something up, then the others
// in turn, a few chunks of each, so that neither a busy customer nor a thousand of them fill the memory.

import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredChunk } from '../../domain/chunk.js';
import type { CustomerId } from '../../domain/id.js';
import { readQueuedChunks, readQueuedCustomers } from '../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../store/connect.js';
import { makeQuietBuckets } from '../quiet-buckets.js';
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
  leaveOut(customerId: CustomerId): void;
  /**
   * Reads this customer's queue again, and from the start, because what was taken from it did not go out: as soon as nothing
   * of it is in anybody's hands.
   */
  takeIn(customerId: CustomerId, isAtRest: () => boolean): void;
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

export function makeLoader(options: LoaderOptions): Loader {
  const { sql, channelId, turns } = options;
  const marks = new Map<CustomerId, bigint>();
  const hinted = new Set<CustomerId>();
  const leftOut = new Set<CustomerId>();
  /** Those that were left out and are to be taken in. */
  const returning = new Map<CustomerId, () => boolean>();
  /** The last customer served in each bucket. */
  const served = new Map<number, bigint>();
  const underWay = new Set<number>();
  /** On a cluster there are many buckets, and most of them have nothing to send at any moment. */
  const quiet = makeQuietBuckets(options.news, QUIET_MS);
  /** The last bucket that was read in its turn. */
  let lastInTurn: number | undefined;
  let partsAChunk = 50;

  const load = async (): Promise<void> => {
    for (const [customerId, isAtRest] of returning) {
      if (turns.size(customerId) > 0 || !isAtRest()) continue;
      returning.delete(customerId);
      leftOut.delete(customerId);
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
      if (first.length > 0 && !(await read(bucket, first))) quiet.delete(bucket);
      if (turns.size() < READ_BELOW_WINDOWS * options.window && !quiet.has(bucket)) await readInTurn(bucket);
    } finally {
      underWay.delete(bucket);
    }
  };

  const readInTurn = async (bucket: number): Promise<void> => {
    lastInTurn = bucket;
    const news = options.news(bucket);
    const isDrained = await read(bucket, await nextInTurn(bucket));
    if (isDrained) quiet.add(bucket, news);
    else quiet.delete(bucket);
  };

  const nextInTurn = async (bucket: number): Promise<CustomerId[]> => {
    const after = served.get(bucket) ?? 0n;
    const page = await readQueuedCustomers(sql, bucket, channelId, after, MAX_CUSTOMERS_A_LOAD);
    const isLast = page.length < MAX_CUSTOMERS_A_LOAD;
    const wrapped = isLast && after > 0n;
    const again = wrapped ? await readQueuedCustomers(sql, bucket, channelId, 0n, MAX_CUSTOMERS_A_LOAD) : [];
    served.set(bucket, isLast ? 0n : (page.at(-1) ?? 0n));
    return [...new Set([...page, ...again])];
  };

  /** True when everything of these customers is in memory. */
  const read = async (bucket: number, customerIds: readonly CustomerId[]): Promise<boolean> => {
    const served = customerIds.filter((id) => !leftOut.has(id));
    // Whoever has a window in memory waits until that is gone.
    const hungry = served.filter((id) => turns.size(id) < options.window);
    if (hungry.length === 0) return served.length === 0;
    // Of many buckets each gives one window, or who is in the last of them would wait for all the others.
    const windows = options.buckets().length === 1 ? WINDOWS_AHEAD : 1;
    const parts = Math.ceil((windows * options.window) / hungry.length);
    // As many as the last ones were large: that is how many are looked at, and their parts are counted.
    const chunks = Math.ceil(Math.min(parts / partsAChunk, MAX_CHUNKS_A_LOAD / hungry.length));
    const places = hungry.map((customerId) => ({ customerId, after: marks.get(customerId) ?? 0n }));
    const stored = await readQueuedChunks(sql, bucket, channelId, places, { chunks, parts });
    if (stored.length === 0) return hungry.length === served.length;
    await options.admit(stored);
    let loaded = 0;
    for (const entry of stored) {
      if (leftOut.has(entry.chunk.customerId)) continue;
      turns.add(entry);
      marks.set(entry.chunk.customerId, entry.chunk.queueNo);
      loaded += entry.state.partStates.length;
    }
    partsAChunk = loaded / stored.length;
    return false;
  };

  return {
    load,
    hint: (customerIds) => {
      for (const customerId of customerIds) hinted.add(customerId);
    },
    leaveOut(customerId) {
      leftOut.add(customerId);
      returning.delete(customerId);
    },
    takeIn: (customerId, isAtRest) => void returning.set(customerId, isAtRest),
  };
}
