// Loads chunks from the queues in the database into the turns of a channel, in rotation, urgent classes first. A few chunks per queue,
// so that neither a busy customer nor a thousand of them fill the memory. A queue that has nothing in memory gets its turn at the next
// load, however much the others have there.

import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import type { CustomerId } from '../../../domain/id.js';
import { MESSAGE_CLASSES, type MessageClass } from '../../../domain/rules/message-class.js';
import {
  classOfQueue,
  customerOfQueue,
  type QueueKey,
  queueKeyOf,
  queueKeysOf,
} from '../../../domain/rules/queue-place.js';
import type { SendingHours } from '../../../domain/rules/send-windows.js';
import { readQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import type { Sql } from '../../../store/sql.js';
import { createQuietBuckets } from '../../loops/quiet-buckets.js';
import type { ClassTurns } from './class-turns.js';
import { createQueueWatch, type QueueWatch } from './queue-watch.js';

export interface LoaderOptions {
  readonly sql: Sql;
  readonly channelId: bigint;
  readonly buckets: () => readonly number[];
  readonly bucketOf: (customerId: CustomerId) => number | undefined;
  readonly turns: ClassTurns;
  /** The clock of the sending hours, in milliseconds since the epoch. */
  readonly now: () => number;
  /** How many parts the channel accepts at once. */
  readonly window: number;
  /** Whether none of a queue's parts is between intent and recorded answer. */
  readonly isIdle: (queue: QueueKey) => boolean;
  /** Changes when any process may have queued chunks in a bucket. */
  readonly queueVersion: (bucket: number) => number;
  /** Called before chunks are added: their service account may not be in the snapshot of this process yet. */
  readonly ensureSenders: (chunks: readonly StoredChunk[]) => Promise<void>;
  /** Whether a queue may be sent at this hour, and when that changes. */
  readonly hoursOf: (queue: QueueKey) => SendingHours;
  /** Rejects the messages of a queue that must not wait for its hours. */
  readonly reject: (bucket: number, queue: QueueKey) => void;
  /** Calls `load` soon. */
  readonly loadSoon: () => void;
}

export interface Loader {
  /** Reads the queues that have nothing in memory, and the others if the turns run low. */
  load(): Promise<void>;
  /** Whether a load reads more: the turns run low, or an unread queue has nothing in memory. */
  wantsMore(): boolean;
  /** This process queued chunks in these queues: they are read without a poll. */
  hint(queues: readonly QueueKey[]): void;
  /** Reads nothing more of this customer. */
  pause(customerId: CustomerId): void;
  /** Reads the queues of this customer again from their start, when none of its parts is between intent and recorded answer. */
  resume(customerId: CustomerId, isIdle: () => boolean): void;
  /** The hours of a queue are over: it is read again from its start, when they begin and none of its parts is in flight. */
  hold(queue: QueueKey): void;
  stop(): void;
}

/** How many windows of parts of one class a load fills the memory with. */
const WINDOWS_AHEAD = 4;
/** With fewer windows of parts of a class in memory, more are read. */
const READ_BELOW_WINDOWS = 2;
/** With this many parts of a class in memory nothing more is read, also of queues that have nothing there. */
const MAX_PARTS_OF_CLASS = 50_000;
const MAX_QUEUES_A_LOAD = 100;
const MAX_CHUNKS_A_LOAD = 400;
/** On a cluster, how long a bucket whose machine does not answer delays the others. */
const MAX_BUCKET_WAIT_MS = 500;
const BUCKETS_AT_ONCE = 4;
/** An empty bucket is polled again after this, also without a notification. */
const QUIET_MS = 900;
/** Hours that begin later are found by polling. */
const MAX_TIMER_MS = 2000;
/** While a class has enough in memory, the least time between two polls of a bucket. A load that comes earlier is repeated after it. */
const POLL_URGENT_MS = 100;

/** Queues with chunks that are not loaded. The first of each class has waited longest. A queue is not in it while it is read. */
type Unread = Readonly<Record<MessageClass, Set<QueueKey>>>;

/** How far a queue is loaded. One that is restarted gets another mark: what was read meanwhile is dropped. */
interface Mark {
  /** The place of the last chunk that was loaded. */
  after: bigint | undefined;
}

/** Why a queue is not read. It is restarted when `mayRead` returns true. */
interface Held {
  readonly by: 'hours' | 'quarantine';
  mayRead(): boolean;
}

interface LoadedCount {
  chunks: number;
  parts: number;
}

export function createLoader(options: LoaderOptions): Loader {
  const { sql, channelId, turns } = options;
  const marks = new Map<QueueKey, Mark>();
  const held = new Map<QueueKey, Held>();
  /** By bucket. */
  const unread = new Map<number, Unread>();
  let hoursTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  /** A load may still run after the stop. It sets no more timers. */
  let isStopped = false;
  /** By bucket. */
  const watches = new Map<number, QueueWatch>();
  /** When each bucket was last polled, by the monotonic clock. */
  const polledMs = new Map<number, number>();
  /** Buckets that a load is reading. It may still run when the next begins. */
  const beingRead = new Set<number>();
  /** Buckets that were read to their end. On a cluster most are: they are not read until something is queued, or after a while. */
  const quiet = createQuietBuckets(options.queueVersion, QUIET_MS);
  /** The bucket that was last read in rotation. */
  let lastInRotation: number | undefined;
  /** The average of the last load, by class. */
  const partsAChunk = { otp: 50, notice: 50, promotion: 50 };

  const load = async (): Promise<void> => {
    restartHeld();
    const buckets = options.buckets();
    const errors: unknown[] = [];
    const readOne = async (bucket: number): Promise<void> => {
      // An earlier load still reads this bucket.
      if (beingRead.has(bucket)) return;
      const reading = readBucket(bucket).catch((error) => void errors.push(error));
      await (buckets.length === 1 ? reading : Promise.race([reading, sleep(MAX_BUCKET_WAIT_MS)]));
    };
    const waiting = rotate(buckets);
    const readSome = async (): Promise<void> => {
      for (let bucket = waiting.shift(); bucket !== undefined; bucket = waiting.shift()) await readOne(bucket);
    };
    await Promise.all(Array.from({ length: BUCKETS_AT_ONCE }, readSome));
    if (errors.length > 0) throw errors[0];
  };

  const hint = (queues: readonly QueueKey[]): void => {
    for (const queue of queues) {
      const bucket = options.bucketOf(customerOfQueue(queue));
      if (bucket !== undefined) unreadIn(bucket)[classOfQueue(queue)].add(queue);
    }
  };

  /** The next load reads the queues that may be read again, from their start. Sets a timer for the next hours that begin. */
  const restartHeld = (): void => {
    let next = Number.POSITIVE_INFINITY;
    for (const [queue, { mayRead }] of held) {
      const { isOpen, changesAt } = options.hoursOf(queue);
      if (!isOpen) next = Math.min(next, changesAt);
      if (!mayRead()) continue;
      held.delete(queue);
      marks.delete(queue);
      hint([queue]);
    }
    clearTimeout(hoursTimer);
    const inMs = next - options.now();
    if (inMs < MAX_TIMER_MS && !isStopped) hoursTimer = setTimeout(options.loadSoon, Math.max(1, inMs));
  };

  /** The hours of the queue may begin while parts are in flight, which would be loaded twice. */
  const holdForHours = (queue: QueueKey): void => {
    const mayRead = () => options.hoursOf(queue).isOpen && turns.sizeOfQueue(queue) === 0 && options.isIdle(queue);
    if (held.get(queue)?.by !== 'quarantine') held.set(queue, { by: 'hours', mayRead });
    rejectOutside(queue);
  };

  /** Outside of the hours, messages that must not wait for them are rejected. */
  const rejectOutside = (queue: QueueKey): void => {
    const bucket = options.bucketOf(customerOfQueue(queue));
    const { isOpen, outside } = options.hoursOf(queue);
    if (bucket !== undefined && !isOpen && outside === 'reject') options.reject(bucket, queue);
  };

  const quarantine = (customerId: CustomerId, mayRead: () => boolean): void => {
    for (const queue of queueKeysOf(customerId)) held.set(queue, { by: 'quarantine', mayRead });
  };

  /** Starts after the last bucket that was read, so that the backlog of one bucket does not starve the others. */
  const rotate = (buckets: readonly number[]): number[] => {
    const from = lastInRotation === undefined ? 0 : buckets.indexOf(lastInRotation) + 1;
    return [...buckets.slice(from), ...buckets.slice(0, from)];
  };

  const readBucket = async (bucket: number): Promise<void> => {
    beingRead.add(bucket);
    try {
      // What was hinted does not wait for the poll.
      await readClasses(bucket);
      if (hasUnread(bucket)) quiet.delete(bucket);
      if (!quiet.has(bucket)) await pollAndRead(bucket);
    } finally {
      beingRead.delete(bucket);
    }
  };

  const unreadIn = (bucket: number): Unread =>
    getOrAdd(unread, bucket, () => ({ otp: new Set(), notice: new Set(), promotion: new Set() }));
  const hasUnread = (bucket: number): boolean => MESSAGE_CLASSES.some((each) => unreadIn(bucket)[each].size > 0);

  /** Per class, so that the backlog of one does not keep the others from being read. */
  const isLow = (messageClass: MessageClass): boolean =>
    turns.sizeOfClass(messageClass) < READ_BELOW_WINDOWS * options.window;

  const readClasses = async (bucket: number): Promise<void> => {
    for (const messageClass of MESSAGE_CLASSES) await read(bucket, messageClass);
  };

  const pollAndRead = async (bucket: number): Promise<void> => {
    const version = options.queueVersion(bucket);
    const isPolled = isPollDue(bucket);
    if (isPolled) await poll(bucket);
    else loadWhenPollDue();
    await readClasses(bucket);
    // Without a poll, chunks may have been queued that are not found yet.
    if (isPolled && !hasUnread(bucket)) quiet.add(bucket, version);
  };

  /** A bucket that was never polled is due. */
  const isPollDue = (bucket: number): boolean =>
    MESSAGE_CLASSES.every(isLow) || performance.now() - (polledMs.get(bucket) ?? -POLL_URGENT_MS) >= POLL_URGENT_MS;

  /** The load that follows polls, and so sets no timer. */
  const loadWhenPollDue = (): void => {
    if (isStopped) return;
    pollTimer ??= setTimeout(() => {
      pollTimer = undefined;
      options.loadSoon();
    }, POLL_URGENT_MS);
  };

  /** Adds the queues with new chunks to the unread ones. */
  const poll = async (bucket: number): Promise<void> => {
    const watch = getOrAdd(watches, bucket, () => createQueueWatch({ sql, bucket, channelId }));
    polledMs.set(bucket, performance.now());
    for (const { queue, last } of await watch.poll()) {
      const isLoaded = last !== undefined && (marks.get(queue)?.after ?? 0n) >= last;
      if (!isLoaded) unreadIn(bucket)[classOfQueue(queue)].add(queue);
    }
  };

  /**
   * The unread queues that a load may read, those that have waited longest first. While a class has enough in memory, only those that have
   * nothing there: otherwise a few busy customers, who always have more, would keep the others from being read.
   */
  function* findReadable(bucket: number, messageClass: MessageClass): Iterable<QueueKey> {
    if (turns.sizeOfClass(messageClass) >= MAX_PARTS_OF_CLASS) return;
    const enough = isLow(messageClass) ? options.window : 1;
    for (const queue of unreadIn(bucket)[messageClass]) if (turns.sizeOfQueue(queue) < enough) yield queue;
  }

  const hasReadable = (messageClass: MessageClass): boolean =>
    [...unread.keys()].some((bucket) => isAny(findReadable(bucket, messageClass)));

  /** Takes queues from the unread ones, and holds those outside of their hours. Returns those that may be read. */
  const takeReadable = (bucket: number, messageClass: MessageClass): QueueKey[] => {
    const readable: QueueKey[] = [];
    for (const queue of findReadable(bucket, messageClass)) {
      unreadIn(bucket)[messageClass].delete(queue);
      if (held.get(queue)?.by === 'quarantine') continue;
      if (!options.hoursOf(queue).isOpen) holdForHours(queue);
      else if (!held.has(queue)) readable.push(queue);
      if (readable.length === MAX_QUEUES_A_LOAD) break;
    }
    // Sets the timer for the queues that are held now.
    if (held.size > 0) restartHeld();
    return readable;
  };

  const read = async (bucket: number, messageClass: MessageClass): Promise<void> => {
    const isFilling = isLow(messageClass);
    const readable = takeReadable(bucket, messageClass);
    if (readable.length === 0) return;
    if (isFilling) lastInRotation = bucket;
    const unreadQueues = unreadIn(bucket)[messageClass];
    try {
      for (const queue of await readQueues(bucket, messageClass, readable, isFilling)) unreadQueues.add(queue);
    } catch (error) {
      for (const queue of readable) unreadQueues.add(queue);
      throw error;
    }
  };

  /** Returns the queues that have more. */
  const readQueues = async (
    bucket: number,
    messageClass: MessageClass,
    readable: readonly QueueKey[],
    isFilling: boolean,
  ): Promise<QueueKey[]> => {
    // One window per bucket if there are many, so that the last bucket does not wait for large reads of the others.
    const windows = isFilling && options.buckets().length === 1 ? WINDOWS_AHEAD : 1;
    const parts = Math.ceil((windows * options.window) / readable.length);
    // Estimated from the last load; the statement counts the parts.
    const chunks = Math.ceil(Math.min(parts / partsAChunk[messageClass], MAX_CHUNKS_A_LOAD / readable.length));
    const from = new Map(readable.map((queue) => [queue, getOrAdd(marks, queue, (): Mark => ({ after: undefined }))]));
    const places = [...from].map(([queue, { after }]) => ({ queue, after }));
    const stored = await readQueuedChunks(bucketSql(sql, bucket), bucket, channelId, places, { chunks, parts });
    if (stored.length === 0) return [];
    await options.ensureSenders(stored);
    const loaded = addToTurns(stored, messageClass, from);
    partsAChunk[messageClass] = stored.reduce((sum, { state }) => sum + state.partStates.length, 0) / stored.length;
    // A queue that returned less than was asked for is read to its end.
    return readable.filter((queue) => {
      const { chunks: loadedChunks, parts: loadedParts } = loaded.get(queue) ?? { chunks: 0, parts: 0 };
      return loadedChunks >= chunks || loadedParts >= parts;
    });
  };

  /** Returns what was loaded of each queue. */
  const addToTurns = (
    stored: readonly StoredChunk[],
    messageClass: MessageClass,
    from: ReadonlyMap<QueueKey, Mark>,
  ): Map<QueueKey, LoadedCount> => {
    const loaded = new Map<QueueKey, LoadedCount>();
    for (const entry of stored) {
      const { customerId, queueNo } = entry.chunk;
      const queue = queueKeyOf(customerId, messageClass);
      const mark = from.get(queue);
      // Held or restarted since the read.
      if (mark === undefined || held.has(queue) || marks.get(queue) !== mark) continue;
      turns.add(entry);
      mark.after = queueNo;
      const count = getOrAdd(loaded, queue, () => ({ chunks: 0, parts: 0 }));
      count.chunks += 1;
      count.parts += entry.state.partStates.length;
    }
    return loaded;
  };

  const wantsMore = (): boolean =>
    turns.size() < READ_BELOW_WINDOWS * options.window || MESSAGE_CLASSES.some(hasReadable);

  return {
    load,
    wantsMore,
    hint,
    pause: (customerId) => quarantine(customerId, () => false),
    resume: (customerId, isIdle) => quarantine(customerId, () => turns.size(customerId) === 0 && isIdle()),
    hold: holdForHours,
    stop() {
      isStopped = true;
      clearTimeout(hoursTimer);
      clearTimeout(pollTimer);
    },
  };
}

function isAny(values: Iterable<unknown>): boolean {
  for (const _ of values) return true;
  return false;
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
}
