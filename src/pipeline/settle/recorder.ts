// The recorder: delivery events of all customers of a bucket share transactions. What arrives while a transaction is under way
// goes into the next one: a lone event is written at once, under load batches grow. Each bucket writes one transaction at a
// time, so a commit follows everything that was recorded before it. Meanwhile the next large batch stands ready behind it:
// begun, waiting for its locks, its rows read as soon as it has them.

import { setTimeout as sleep } from 'node:timers/promises';
import { createGate, type Gate } from '../../domain/gate.js';
import { groupBy } from '../../domain/group-by.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import { createSettleApart, type News, type SettleApartOptions, type Settled } from './settle-apart.js';

/**
 * batched: in the next transaction of the bucket, together with whatever waits, in the order of the calls.
 * isolated: in its turn, in its own transaction. What has failed before must not fail others again.
 * concurrent: at once, beside the transaction under way. For a few events that depend on nothing before them.
 */
export type RecordMode = 'batched' | 'isolated' | 'concurrent';

export interface RecordOptions {
  /** The lease under which the events were obtained. */
  readonly lease?: Lease | undefined;
  /** `batched` unless told otherwise. */
  readonly mode?: RecordMode;
}

export interface Recorder {
  /** Writes delivery events of one bucket. Does not reject: the result says which were refused and which failed. */
  record(deliveryEvents: readonly DeliveryEvent[], options?: RecordOptions): Promise<Settled>;
  /**
   * Runs another transaction of this bucket in line: no batch is recorded meanwhile, so that it waits for no account that a batch of
   * this process has locked. It must not fail.
   */
  runInLine(bucket: number, run: () => Promise<void>): void;
  /** How many delivery events of this bucket wait for their transaction. */
  waiting(bucket: number): number;
  /** Resolves when the batched and isolated events of this bucket so far are committed, or have failed. */
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
  readonly isIsolated: boolean;
  /** Instead of delivery events. */
  readonly run?: () => Promise<void>;
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
const MAX_EVENTS = 2000;
const GATHER_MS = 4;
/** Fewer can wait until the batch ahead is committed: there will be more of them by then, in one transaction. */
const MIN_BEHIND = 100;

export function createRecorder(options: RecorderOptions): Recorder {
  const waiting = new Map<number, Entry[]>();
  /** By bucket: the batch that is being written, and the one behind it. */
  const first = new Map<number, Run>();
  const second = new Map<number, Run>();
  const gathering = new Map<number, NodeJS.Timeout>();
  const concurrent = new Set<Promise<Settled>>();
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
    ahead.written !== undefined && !troubled.has(bucket) && !second.has(bucket) && countEvents(queue) >= MIN_BEHIND;

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
    const [only] = batch;
    if (only?.run !== undefined) {
      await ahead?.done;
      await only.run();
      return;
    }
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

  /** Between two tries another bucket has the place. Only the first batch of a bucket is retried. */
  const pause = async (bucket: number, ms: number): Promise<void> => {
    const run = first.get(bucket);
    run?.gate.leave();
    if (run !== undefined) run.gate = failing;
    troubled.add(bucket);
    await sleep(ms);
    await failing.enter();
  };
  const settleApart = createSettleApart({ ...options, pause });

  const settleConcurrently = createSettleApart({ ...options, pause: (_, ms) => sleep(ms) });

  const enqueue = (bucket: number, entry: Entry, isUrgent: boolean): void => {
    gather(bucket, isUrgent);
    const queue = waiting.get(bucket);
    if (queue === undefined) waiting.set(bucket, [entry]);
    else queue.push(entry);
    startWhatCan();
  };

  /** A list above the limit goes in several transactions, in its order. */
  const recordInLine = (
    bucket: number,
    events: readonly DeliveryEvent[],
    lease: Lease | undefined,
    isIsolated: boolean,
  ): Promise<Settled> => {
    const isUrgent = events[0]?.event.kind === 'intended';
    const outcomes = cutInto(events, MAX_EVENTS).map(
      (deliveryEvents) =>
        new Promise<Settled>((settled) => enqueue(bucket, { deliveryEvents, lease, settled, isIsolated }, isUrgent)),
    );
    const [only] = outcomes;
    return only !== undefined && outcomes.length === 1 ? only : Promise.all(outcomes).then(merge);
  };

  const recordConcurrently = (bucket: number, news: News): Promise<Settled> => {
    const work = settleConcurrently(bucket, [news]).finally(() => concurrent.delete(work));
    concurrent.add(work);
    return work;
  };

  return {
    record(deliveryEvents, { lease, mode = 'batched' } = {}) {
      const bucket = deliveryEvents[0]?.chunk.bucket;
      if (bucket === undefined) return Promise.resolve({ refused: new Set(), failed: new Map() });
      if (mode === 'concurrent') return recordConcurrently(bucket, { deliveryEvents, lease });
      return recordInLine(bucket, deliveryEvents, lease, mode === 'isolated');
    },
    flush: (bucket) =>
      new Promise((resolve) => {
        // Entries are settled in order: an empty one is reached when all before it are done.
        const empty = { deliveryEvents: [], lease: undefined, settled: () => resolve(), isIsolated: false };
        if (waiting.has(bucket) || first.has(bucket)) enqueue(bucket, empty, true);
        else resolve();
      }),
    runInLine: (bucket, run) =>
      enqueue(bucket, { deliveryEvents: [], lease: undefined, settled: () => {}, isIsolated: true, run }, true),
    waiting: (bucket) => countEvents(waiting.get(bucket) ?? []),
    async idle() {
      await Promise.all(concurrent);
      await new Promise<void>((resolve) => {
        idlers.push(resolve);
        startWhatCan();
      });
    },
  };
}

/**
 * Events of any buckets, for a caller that goes on only when all of them are written: throws the error of one that failed.
 * Returns the intents that were refused.
 */
export async function recordAll(
  recorder: Pick<Recorder, 'record'>,
  events: readonly DeliveryEvent[],
  lease?: Lease,
): Promise<ReadonlySet<DeliveryEvent>> {
  const groups = [...groupBy(events, ({ chunk }) => chunk.bucket).values()];
  const { refused, failed } = merge(await Promise.all(groups.map((group) => recorder.record(group, { lease }))));
  for (const event of events) if (failed.has(event)) throw failed.get(event);
  return refused;
}

function cutInto<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  if (items.length <= size) return [items];
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function merge(outcomes: readonly Settled[]): Settled {
  return {
    refused: new Set(outcomes.flatMap(({ refused }) => [...refused])),
    failed: new Map(outcomes.flatMap(({ failed }) => [...failed])),
  };
}

function takeBatch(queue: Entry[]): Entry[] {
  let size = 0;
  let count = 0;
  for (const entry of queue) {
    const isAlone = entry.isIsolated || queue[0]?.isIsolated;
    if (count > 0 && (isAlone || size + entry.deliveryEvents.length > MAX_EVENTS)) break;
    size += entry.deliveryEvents.length;
    count += 1;
  }
  return queue.splice(0, count);
}

function countEvents(queue: readonly Entry[]): number {
  return queue.reduce((count, { deliveryEvents }) => count + deliveryEvents.length, 0);
}
