// Shared transactions. What happens in a bucket while a transaction for it is under way goes into the next one together,
// whoever it happens to: alone it is written at once, under load in batches that grow by themselves. One is written at a time
// and bucket: what is committed in one is behind everything that was recorded before it. While it is, the next large one
// stands ready behind it: begun, waiting for its locks, and read as soon as it has them. Only what has nothing before it goes
// beside them.

import { setTimeout as sleep } from 'node:timers/promises';
import { createGate, type Gate } from '../../domain/gate.js';
import { groupBy } from '../../domain/group-by.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import { createSettleApart, type News, type SettleApartOptions, type Settled } from './settle-apart.js';

export interface Recorder {
  /** Delivery events of one bucket, applied in the order of the calls. */
  add(deliveryEvents: readonly DeliveryEvent[], lease: Lease | undefined, settled: (outcome: Settled) => void): void;
  /** The same in a transaction of their own: what has failed before must not fail others again. */
  addIsolated(
    deliveryEvents: readonly DeliveryEvent[],
    lease: Lease | undefined,
    settled: (outcome: Settled) => void,
  ): void;
  /** The same beside the transaction that is under way, for a few that are behind nothing and should not wait for it. */
  addConcurrent(
    deliveryEvents: readonly DeliveryEvent[],
    lease: Lease | undefined,
    settled: (outcome: Settled) => void,
  ): void;
  /** The same as a promise, of any buckets, for whoever has few. Rejects when any of them failed. */
  record(deliveryEvents: readonly DeliveryEvent[], lease?: Lease): Promise<ReadonlySet<DeliveryEvent>>;
  /** Resolves when everything that was added in line so far in this bucket is committed, or could not be. */
  flush(bucket: number): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export interface RecorderOptions extends Omit<SettleApartOptions, 'pause'> {
  /** Buckets whose transactions run at the same time. */
  readonly concurrency: number;
}

interface Entry extends News {
  readonly settled: (outcome: Settled) => void;
  readonly isApart: boolean;
}

/** A batch that is being written, or stands right behind one that is. */
interface Run {
  /** Where it has its place, or waits for one. */
  gate: Gate;
  /** The first try of all of it, once that is on its way. */
  written: Promise<unknown> | undefined;
  done: Promise<void>;
}

/** Keeps a transaction, and the locks it holds, short. */
const MAX_HAPPENINGS = 2000;
const GATHER_MS = 4;
/** Fewer can wait until the batch ahead is committed: there will be more of them by then, in one transaction. */
const MIN_BEHIND = 100;

export function createRecorder(options: RecorderOptions): Recorder {
  const waiting = new Map<number, Entry[]>();
  /** By bucket: the batch that is being written, and the one behind it. */
  const first = new Map<number, Run>();
  const second = new Map<number, Run>();
  const gathering = new Map<number, NodeJS.Timeout>();
  const beside = new Set<Promise<void>>();
  const idlers: (() => void)[] = [];
  // On a cluster the machine of a bucket may be away while the others work: those that failed share a place of their own, until
  // something of them is written.
  const working = createGate(options.concurrency);
  const failing = createGate(1);
  const troubled = new Set<number>();

  const startWhatCan = (): void => {
    for (const [bucket, queue] of waiting) {
      const ahead = first.get(bucket);
      if (ahead === undefined ? !gathering.has(bucket) : isWorthStartingBehind(bucket, ahead, queue))
        start(bucket, ahead);
    }
    if (waiting.size === 0 && first.size === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  /** Not behind one that failed: it would keep the place that the one ahead needs for its next try. */
  const isWorthStartingBehind = (bucket: number, ahead: Run, queue: readonly Entry[]): boolean =>
    ahead.written !== undefined && !troubled.has(bucket) && !second.has(bucket) && countHappenings(queue) >= MIN_BEHIND;

  /** Answers and reports come one by one and can wait for their like; an intent has a channel waiting for it. */
  const gather = (bucket: number, isUrgent: boolean): void => {
    const timer = gathering.get(bucket);
    if (isUrgent && timer !== undefined) {
      clearTimeout(timer);
      gathering.delete(bucket);
    } else if (!isUrgent && timer === undefined && !waiting.has(bucket)) {
      const start = () => {
        gathering.delete(bucket);
        startWhatCan();
      };
      gathering.set(bucket, setTimeout(start, GATHER_MS));
    }
  };

  const start = (bucket: number, ahead: Run | undefined): void => {
    const run: Run = { gate: troubled.has(bucket) ? failing : working, written: undefined, done: Promise.resolve() };
    (ahead === undefined ? first : second).set(bucket, run);
    run.done = settleNext(bucket, run, ahead).finally(() => {
      run.gate.leave();
      const next = second.get(bucket);
      second.delete(bucket);
      if (next === undefined) first.delete(bucket);
      else first.set(bucket, next);
      startWhatCan();
    });
  };

  const settleNext = async (bucket: number, run: Run, ahead: Run | undefined): Promise<void> => {
    await run.gate.enter();
    // What is being handled in this turn of the event loop still joins the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = waiting.get(bucket) ?? [];
    const batch = takeBatch(queue);
    // Set anew at the end of the map, so that buckets take turns.
    waiting.delete(bucket);
    if (queue.length > 0) waiting.set(bucket, queue);
    const outcome = await settleApart(bucket, batch, {
      ahead: ahead?.written,
      isFirst: ahead?.done,
      onWriting(written) {
        run.written = written;
        startWhatCan();
      },
    });
    if (outcome.failed.size === 0) troubled.delete(bucket);
    await ahead?.done;
    for (const entry of batch) entry.settled(outcome);
  };

  /** Between two tries the place is somebody else's. Only the first in a bucket tries again. */
  const pause = async (bucket: number, ms: number): Promise<void> => {
    const run = first.get(bucket);
    run?.gate.leave();
    if (run !== undefined) run.gate = failing;
    troubled.add(bucket);
    await sleep(ms);
    await failing.enter();
  };
  const settleApart = createSettleApart({ ...options, pause });

  const settleBeside = createSettleApart({ ...options, pause: (_, ms) => sleep(ms) });

  const addEntry = (entry: Entry): void => {
    const [first] = entry.deliveryEvents;
    if (first === undefined) entry.settled({ refused: new Set(), failed: new Map() });
    else for (const part of splitEntry(entry)) enqueue(first.chunk.bucket, part, first.event.kind === 'intended');
  };

  const add: Recorder['add'] = (deliveryEvents, lease, settled) =>
    addEntry({ deliveryEvents, lease, settled, isApart: false });

  const enqueue = (bucket: number, entry: Entry, isUrgent: boolean): void => {
    gather(bucket, isUrgent);
    const queue = waiting.get(bucket);
    if (queue === undefined) waiting.set(bucket, [entry]);
    else queue.push(entry);
    startWhatCan();
  };

  const recordIn = (
    deliveryEvents: readonly DeliveryEvent[],
    lease: Lease | undefined,
  ): Promise<ReadonlySet<DeliveryEvent>> =>
    new Promise((resolve, reject) => {
      add(deliveryEvents, lease, ({ refused, failed }) => {
        const own = deliveryEvents.find((deliveryEvent) => failed.has(deliveryEvent));
        if (own === undefined) resolve(refused);
        else reject(failed.get(own));
      });
    });

  return {
    add,
    addIsolated: (deliveryEvents, lease, settled) => addEntry({ deliveryEvents, lease, settled, isApart: true }),
    addConcurrent(deliveryEvents, lease, settled) {
      const bucket = deliveryEvents[0]?.chunk.bucket ?? 0;
      const work = settleBeside(bucket, [{ deliveryEvents, lease }])
        .then(settled)
        .finally(() => beside.delete(work));
      beside.add(work);
    },
    async record(deliveryEvents, lease) {
      const groups = [...groupBy(deliveryEvents, ({ chunk }) => chunk.bucket).values()];
      const refused = await Promise.all(groups.map((group) => recordIn(group, lease)));
      return new Set(refused.flatMap((set) => [...set]));
    },
    flush: (bucket) =>
      new Promise((resolve) => {
        // Entries are settled in order: an empty one is reached when all before it are done.
        const empty = { deliveryEvents: [], lease: undefined, settled: () => resolve(), isApart: false };
        if (waiting.has(bucket) || first.has(bucket)) enqueue(bucket, empty, true);
        else resolve();
      }),
    async idle() {
      await Promise.all(beside);
      await new Promise<void>((resolve) => {
        idlers.push(resolve);
        startWhatCan();
      });
    },
  };
}

/** A list above the limit goes in several transactions, in its order, and settles once, when the last of them is done. */
function splitEntry(entry: Entry): Entry[] {
  const { deliveryEvents } = entry;
  if (deliveryEvents.length <= MAX_HAPPENINGS) return [entry];
  const refused = new Set<DeliveryEvent>();
  const failed = new Map<DeliveryEvent, unknown>();
  const parts = Array.from({ length: Math.ceil(deliveryEvents.length / MAX_HAPPENINGS) }, (_, at) =>
    deliveryEvents.slice(at * MAX_HAPPENINGS, (at + 1) * MAX_HAPPENINGS),
  );
  let open = parts.length;
  const settled = (outcome: Settled): void => {
    for (const deliveryEvent of outcome.refused) refused.add(deliveryEvent);
    for (const [deliveryEvent, error] of outcome.failed) failed.set(deliveryEvent, error);
    open -= 1;
    if (open === 0) entry.settled({ refused, failed });
  };
  return parts.map((part) => ({ ...entry, deliveryEvents: part, settled }));
}

function takeBatch(queue: Entry[]): Entry[] {
  let size = 0;
  let count = 0;
  for (const entry of queue) {
    const isAlone = entry.isApart || queue[0]?.isApart;
    if (count > 0 && (isAlone || size + entry.deliveryEvents.length > MAX_HAPPENINGS)) break;
    size += entry.deliveryEvents.length;
    count += 1;
  }
  return queue.splice(0, count);
}

function countHappenings(queue: readonly Entry[]): number {
  return queue.reduce((count, { deliveryEvents }) => count + deliveryEvents.length, 0);
}
