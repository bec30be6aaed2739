// Fills a channel's turns from its queue in the database: first the queues that were hinted at, then the others in turn, the more
// urgent classes first, a few chunks of each, so that neither a busy customer nor a thousand of them fill the memory.

import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { groupBy } from '../../../domain/group-by.js';
import type { CustomerId } from '../../../domain/id.js';
import { MESSAGE_CLASSES, type MessageClass } from '../../../domain/rules/message-class.js';
import {
  classOfQueue,
  customerOfQueue,
  type QueueKey,
  queueKeyOf,
  queueKeysOf,
} from '../../../domain/rules/queue-place.js';
import type { WindowState } from '../../../domain/rules/send-windows.js';
import { readQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../../store/connect.js';
import { createQuietBuckets } from '../../quiet-buckets.js';
import type { ClassTurns } from './class-turns.js';
import { createQueueWatch, type QueueWatch } from './queue-watch.js';

export interface LoaderOptions {
  readonly sql: Sql;
  readonly channelId: bigint;
  readonly buckets: () => readonly number[];
  readonly bucketOf: (customerId: CustomerId) => number | undefined;
  readonly turns: ClassTurns;
  /** By the clock that windows are opened by, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Parts that the channel takes at once. */
  readonly window: number;
  /** Changes when chunks may have been queued in a bucket, by any process. */
  readonly news: (bucket: number) => number;
  /** Called before chunks are added: another process may have accepted them for an account that is not in the snapshot yet. */
  readonly admit: (chunks: readonly StoredChunk[]) => Promise<void>;
  /** Whether chunks of a queue may be handed over now, and when that changes. */
  readonly windowOf: (queue: QueueKey) => WindowState;
  /** A queue with chunks is closed and its messages are not to wait. */
  readonly reject: (bucket: number, queue: QueueKey) => void;
  /** Calls `load` soon. */
  readonly loadSoon: () => void;
}

export interface Loader {
  /** Reads more into the turns when little is left. */
  load(): Promise<void>;
  /** Chunks were queued here by this process: they are read first. */
  hint(queues: readonly QueueKey[]): void;
  /** Reads nothing more of this customer. */
  pause(customerId: CustomerId): void;
  /** Reads the queues of this customer again, from their start: as soon as nothing of it is between intent and recorded answer. */
  resume(customerId: CustomerId, isIdle: () => boolean): void;
  /** The window of a queue has closed: it is read again, from its start, when it opens and none of its parts is in hand. */
  hold(queue: QueueKey, isIdle: () => boolean): void;
  stop(): void;
}

/** So many windows of a class are kept in memory, and more is read while there are still so many, not when the last one is gone. */
const WINDOWS_AHEAD = 4;
export const READ_BELOW_WINDOWS = 2;
const MAX_QUEUES_A_LOAD = 100;
const MAX_CHUNKS_A_LOAD = 400;
const PATIENCE_MS = 500;
/** So many buckets are read side by side. */
const READ_AT_ONCE = 4;
/** A bucket in which nothing was left is looked at again after this, also without news. */
const QUIET_MS = 900;
/** An opening that is further away is found by a poll. */
const MAX_TIMER_MS = 2000;
/** While there is enough to send, a look is for classes that are more urgent than that. */
const LOOK_BESIDE_MS = 100;

/** Queues of which not everything is in memory. The first of each class has waited longest. */
type Unread = Readonly<Record<MessageClass, Set<QueueKey>>>;

export function createLoader(options: LoaderOptions): Loader {
  const { sql, channelId, turns } = options;
  const marks = new Map<QueueKey, bigint>();
  const hinted = new Set<QueueKey>();
  const paused = new Set<CustomerId>();
  /** Paused customers that are to be read again. */
  const resuming = new Map<CustomerId, () => boolean>();
  const unread = new Map<number, Unread>();
  /** Queues whose window is closed, and whether none of their parts is in hand. Nothing is read of them. */
  const closed = new Map<QueueKey, () => boolean>();
  let opening: NodeJS.Timeout | undefined;
  const watches = new Map<number, QueueWatch>();
  const lookedAt = new Map<number, number>();
  const underWay = new Set<number>();
  /** On a cluster there are many buckets, and most of them have nothing to send at any moment. */
  const quiet = createQuietBuckets(options.news, QUIET_MS);
  /** The last bucket that was read in its turn. */
  let lastInTurn: number | undefined;
  const partsAChunk = { otp: 50, notice: 50, promotion: 50 };

  const load = async (): Promise<void> => {
    for (const [customerId, isIdle] of resuming) {
      if (turns.size(customerId) > 0 || !isIdle()) continue;
      resuming.delete(customerId);
      paused.delete(customerId);
      for (const queue of queueKeysOf(customerId)) {
        marks.delete(queue);
        hinted.add(queue);
      }
    }
    reopen();
    const fresh = [...hinted];
    hinted.clear();
    const buckets = options.buckets();
    const faults: unknown[] = [];
    const readOne = async (bucket: number): Promise<void> => {
      const first = fresh.filter((queue) => options.bucketOf(customerOfQueue(queue)) === bucket);
      const putBack = () => {
        for (const queue of first) hinted.add(queue);
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

  /** Reads the queues again whose window has opened, and wakes up when the next one does. */
  const reopen = (): void => {
    let next = Number.POSITIVE_INFINITY;
    for (const [queue, isIdle] of closed) {
      const { isOpen, changesAt } = options.windowOf(queue);
      if (!isOpen) next = Math.min(next, changesAt);
      else if (turns.sizeOfQueue(queue) === 0 && isIdle()) {
        closed.delete(queue);
        marks.delete(queue);
        hinted.add(queue);
      }
    }
    clearTimeout(opening);
    // A poll finds the others: a timer is for the moment of opening.
    const inMs = next - options.now();
    if (inMs < MAX_TIMER_MS) opening = setTimeout(options.loadSoon, Math.max(1, inMs));
  };

  const hold = (bucket: number | undefined, queue: QueueKey, isIdle: () => boolean): void => {
    closed.set(queue, isIdle);
    if (bucket !== undefined && options.windowOf(queue).outside === 'reject') options.reject(bucket, queue);
  };

  /** Beginning behind the last one that was read, so that the backlog of one bucket does not leave the others out. */
  const rotate = (buckets: readonly number[]): number[] => {
    const from = lastInTurn === undefined ? 0 : buckets.indexOf(lastInTurn) + 1;
    return [...buckets.slice(from), ...buckets.slice(0, from)];
  };

  const readBucket = async (bucket: number, first: readonly QueueKey[]): Promise<void> => {
    underWay.add(bucket);
    try {
      await Promise.all([...groupBy(first, classOfQueue)].map(([of, queues]) => read(bucket, of, queues)));
      if (isUnread(bucket)) quiet.delete(bucket);
      if (MESSAGE_CLASSES.some(isShort) && !quiet.has(bucket)) await readInTurn(bucket);
    } finally {
      underWay.delete(bucket);
    }
  };

  const unreadIn = (bucket: number): Unread =>
    getOrAdd(unread, bucket, () => ({ otp: new Set(), notice: new Set(), promotion: new Set() }));
  const isUnread = (bucket: number): boolean => MESSAGE_CLASSES.some((of) => unreadIn(bucket)[of].size > 0);

  /** Whether there is little left of a class: the backlog of one must not keep the others from being read. */
  const isShort = (of: MessageClass): boolean => turns.sizeOfClass(of) < READ_BELOW_WINDOWS * options.window;

  const readInTurn = async (bucket: number): Promise<void> => {
    lastInTurn = bucket;
    const news = options.news(bucket);
    const queues = unreadIn(bucket);
    if (isLookDue(bucket)) await look(bucket);
    for (const of of MESSAGE_CLASSES) {
      if (isShort(of)) await read(bucket, of, [...queues[of]].slice(0, MAX_QUEUES_A_LOAD));
    }
    if (isUnread(bucket)) quiet.delete(bucket);
    else quiet.add(bucket, news);
  };

  const isLookDue = (bucket: number): boolean =>
    MESSAGE_CLASSES.every(isShort) || performance.now() - (lookedAt.get(bucket) ?? -LOOK_BESIDE_MS) >= LOOK_BESIDE_MS;

  const look = async (bucket: number): Promise<void> => {
    const watch = getOrAdd(watches, bucket, () => createQueueWatch({ sql, bucket, channelId }));
    lookedAt.set(bucket, performance.now());
    for (const { queue, last } of await watch.look()) {
      const isRead = last !== undefined && (marks.get(queue) ?? 0n) >= last;
      if (isRead || paused.has(customerOfQueue(queue))) continue;
      if (closed.has(queue)) hold(bucket, queue, closed.get(queue) ?? (() => true));
      else unreadIn(bucket)[classOfQueue(queue)].add(queue);
    }
  };

  /** Reads on in queues of one class. Those of which there is more go to the end of the line. */
  const read = async (bucket: number, of: MessageClass, queues: readonly QueueKey[]): Promise<void> => {
    const waiting = unreadIn(bucket)[of];
    for (const queue of queues) {
      waiting.delete(queue);
      if (paused.has(customerOfQueue(queue))) continue;
      if (options.windowOf(queue).isOpen) waiting.add(queue);
      else hold(bucket, queue, closed.get(queue) ?? (() => true));
    }
    if (closed.size > 0) reopen();
    // A queue with a window in memory waits until that is gone.
    const hungry = queues.filter((queue) => waiting.has(queue) && turns.sizeOfQueue(queue) < options.window);
    if (hungry.length === 0) return;
    // Of many buckets each gives one window, or the last of them would wait for all the others.
    const windows = options.buckets().length === 1 ? WINDOWS_AHEAD : 1;
    const parts = Math.ceil((windows * options.window) / hungry.length);
    // As many as the last ones were large: that is how many are looked at, and their parts are counted.
    const chunks = Math.ceil(Math.min(parts / partsAChunk[of], MAX_CHUNKS_A_LOAD / hungry.length));
    const places = hungry.map((queue) => ({ queue, after: marks.get(queue) }));
    const stored = await readQueuedChunks(sql, bucket, channelId, places, { chunks, parts });
    if (stored.length > 0) await options.admit(stored);
    const loaded = new Map<QueueKey, { chunks: number; parts: number }>();
    for (const entry of stored) {
      const { customerId, queueNo } = entry.chunk;
      const queue = queueKeyOf(customerId, of);
      if (paused.has(customerId) || closed.has(queue)) continue;
      turns.add(entry);
      marks.set(queue, queueNo);
      const own = getOrAdd(loaded, queue, () => ({ chunks: 0, parts: 0 }));
      own.chunks += 1;
      own.parts += entry.state.partStates.length;
    }
    for (const queue of hungry) {
      const own = loaded.get(queue) ?? { chunks: 0, parts: 0 };
      if (own.chunks < chunks && own.parts < parts) waiting.delete(queue);
    }
    const total = stored.reduce((sum, { state }) => sum + state.partStates.length, 0);
    if (stored.length > 0) partsAChunk[of] = total / stored.length;
  };

  return {
    load,
    hint: (queues) => {
      for (const queue of queues) hinted.add(queue);
    },
    pause(customerId) {
      paused.add(customerId);
      resuming.delete(customerId);
    },
    resume: (customerId, isIdle) => void resuming.set(customerId, isIdle),
    hold: (queue, isIdle) => hold(options.bucketOf(customerOfQueue(queue)), queue, isIdle),
    stop: () => clearTimeout(opening),
  };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
