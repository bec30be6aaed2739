// The recorder writes delivery events of all customers of a bucket in shared transactions. Events that arrive during a transaction go into
// the next one: a single event is written at once, and batches grow under load. Each bucket commits one transaction at a time; the next
// large batch already waits for its locks and reads its rows. Events of customers whose account is locked by another transaction are
// settled separately (`held-line.ts`), so that others do not wait for them. Events of a customer are committed in order; with `isOrdered`,
// after all earlier events of the bucket.

import { setTimeout as sleep } from 'node:timers/promises';
import { createGate, type Gate } from '../../domain/gate.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import { type Entry, MAX_EVENTS, merge, NOTHING_SETTLED, type OnHeld, partEntry, takeBatch } from './entry.js';
import { createHeldLine, type HeldLine } from './held-line.js';
import { createSettleApart, type SettleApartOptions, type Settled } from './settle-apart.js';

/**
 * batched: in the next transaction of the bucket, with all waiting events, in the order of the calls.
 * isolated: in order, in a separate transaction, for events that failed before and must not make others fail.
 * concurrent: at once, concurrently with the current transaction, for a few events that do not depend on earlier ones.
 */
export type RecordMode = 'batched' | 'isolated' | 'concurrent';

export interface RecordOptions {
  /** The lease under which the events were obtained. */
  readonly lease?: Lease | undefined;
  /** Default: `batched`. */
  readonly mode?: RecordMode;
  /** Committed with or after all earlier events of the bucket, of any customer. */
  readonly isOrdered?: boolean;
  /** With it, the call does not wait for events whose account is locked: it gets them and their outcome. */
  readonly onHeld?: OnHeld;
}

export interface Recorder {
  /** Writes delivery events of one bucket. Does not reject: the result says which were refused and which failed. */
  record(deliveryEvents: readonly DeliveryEvent[], options?: RecordOptions): Promise<Settled>;
  /**
   * Runs another transaction of this bucket in its turn, while no batch is recorded: it never waits for an account that a batch of this
   * process has locked. It must not throw.
   */
  runInLine(bucket: number, run: () => Promise<void>): void;
  /** How many delivery events of this bucket wait for their transaction. */
  waiting(bucket: number): number;
  /** Resolves when the batched and isolated events of this bucket so far are committed, or have failed. */
  flush(bucket: number): Promise<void>;
  /** Resolves when nothing is waiting or being written. */
  idle(): Promise<void>;
}

export interface RecorderOptions extends Omit<SettleApartOptions, 'pause'> {
  /** Buckets whose transactions run at the same time. */
  readonly concurrency: number;
}

interface LineEntry extends Entry {
  /** Instead of delivery events. */
  readonly run?: () => Promise<void>;
}

/** A batch that is being written, or the next one. */
interface Run {
  /** The semaphore that it has entered, or waits for. */
  gate: Gate;
  /** The first attempt at the whole batch, once it is being written. */
  written: Promise<unknown> | undefined;
  done: Promise<void>;
}

const GATHER_MS = 4;
/** Fewer wait until the batch ahead is committed: more are written together then. */
const MIN_BEHIND = 100;
/** Transactions that wait for locked accounts, each with a connection, over all buckets. */
const HELD_CONCURRENCY = 2;
const IN_LINE = { deliveryEvents: [], lease: undefined, isOrdered: false } as const;

export function createRecorder(options: RecorderOptions): Recorder {
  const waiting = new Map<number, LineEntry[]>();
  /** By bucket: the batch that is being written, and the one behind it. */
  const first = new Map<number, Run>();
  const second = new Map<number, Run>();
  const gathering = new Map<number, NodeJS.Timeout>();
  const concurrent = new Set<Promise<void>>();
  const idlers: (() => void)[] = [];
  const heldLines = new Map<number, HeldLine>();
  const waitingForLocks = createGate(HELD_CONCURRENCY);
  // On a cluster the machine of a bucket may be away while others work: buckets that failed share one separate place, until a write
  // succeeds.
  const working = createGate(options.concurrency);
  const failing = createGate(1);
  const troubled = new Set<number>();

  const startWhatCan = (): void => {
    for (const [bucket, queue] of waiting) {
      const ahead = first.get(bucket);
      if (ahead === undefined ? !gathering.has(bucket) : isWorthStartingBehind(bucket, ahead, queue))
        start(bucket, ahead);
    }
    if (waiting.size === 0 && first.size === 0 && !isHolding()) for (const resolve of idlers.splice(0)) resolve();
  };

  const isHolding = (): boolean => [...heldLines.values()].some((line) => !line.isEmpty);

  /** Not behind a batch that failed: it would hold the place that the one ahead needs for its retry. */
  const isWorthStartingBehind = (bucket: number, ahead: Run, queue: readonly LineEntry[]): boolean =>
    ahead.written !== undefined && !troubled.has(bucket) && !second.has(bucket) && countEvents(queue) >= MIN_BEHIND;

  /** Answers and reports arrive one by one and can wait for more; a channel waits for the commit of an intent. */
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
    // Events of this turn of the event loop join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = waiting.get(bucket) ?? [];
    const taken = takeBatch(queue, ({ isIsolated }) => isIsolated);
    // Moved to the end of the map, so that buckets take turns.
    waiting.delete(bucket);
    if (queue.length > 0) waiting.set(bucket, queue);
    const [only] = taken;
    if (only?.run !== undefined) {
      await ahead?.done;
      await only.run();
      return;
    }
    const batch = holdBack(bucket, taken, ahead);
    const mayWait = ahead !== undefined || batch.some(({ isOrdered }) => isOrdered);
    const outcome = await settleApart(bucket, batch, {
      ahead: ahead?.written,
      isFirst: ahead?.done,
      onWriting(written) {
        run.written = written;
        startWhatCan();
      },
      onLocked: mayWait ? undefined : (locked) => hold(bucket, batch, (customerId) => locked.has(customerId)),
    });
    if (outcome.failed.size === 0) troubled.delete(bucket);
    await ahead?.done;
    for (const entry of batch) entry.settled(outcome);
  };

  const heldLineOf = (bucket: number): HeldLine => {
    const known = heldLines.get(bucket);
    if (known !== undefined) return known;
    const line = createHeldLine({
      async settle(news, place) {
        await waitingForLocks.enter();
        return await settleConcurrently(bucket, news, place).finally(waitingForLocks.leave);
      },
      giveBack(entries) {
        const queue = [...entries, ...(waiting.get(bucket) ?? [])];
        if (queue.length > 0) waiting.set(bucket, queue);
        startWhatCan();
      },
    });
    heldLines.set(bucket, line);
    return line;
  };

  /** Moves events of these customers to the held line; what is left of the entries takes their place in the list. */
  const hold = (
    bucket: number,
    entries: Entry[],
    isHeld: (customerId: CustomerId) => boolean,
    after?: Promise<unknown>,
  ): void => {
    for (const [at, entry] of entries.entries()) {
      const { free, held } = partEntry(entry, isHeld);
      entries[at] = free;
      if (held !== undefined) heldLineOf(bucket).add({ ...held, after });
    }
  };

  /** What must follow held events is held, too. */
  const holdBack = (bucket: number, taken: readonly Entry[], ahead: Run | undefined): Entry[] => {
    const line = heldLines.get(bucket);
    const batch = [...taken];
    if (line === undefined || line.isEmpty) return batch;
    for (const [at, entry] of batch.entries()) {
      const own = [entry];
      hold(bucket, own, (customerId) => entry.isOrdered || line.has(customerId), ahead?.done);
      batch[at] = own[0] ?? entry;
    }
    return batch;
  };

  /** Between two attempts another bucket gets the place. Only the first batch of a bucket is retried. */
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

  const enqueue = (bucket: number, entry: LineEntry, isUrgent: boolean): void => {
    gather(bucket, isUrgent);
    const queue = waiting.get(bucket);
    if (queue === undefined) waiting.set(bucket, [entry]);
    else queue.push(entry);
    startWhatCan();
  };

  /** A list above the limit is written in several transactions, in order. */
  const recordInLine = (
    bucket: number,
    events: readonly DeliveryEvent[],
    { lease, mode, isOrdered = false, onHeld }: RecordOptions,
  ): Promise<Settled> => {
    const isUrgent = events[0]?.event.kind === 'intended';
    const about = { lease, isIsolated: mode === 'isolated', isOrdered, onHeld };
    const outcomes = cutInto(events, MAX_EVENTS).map(
      (deliveryEvents) =>
        new Promise<Settled>((settled) => enqueue(bucket, { ...about, deliveryEvents, settled }, isUrgent)),
    );
    const [only] = outcomes;
    return only !== undefined && outcomes.length === 1 ? only : Promise.all(outcomes).then(merge);
  };

  const recordConcurrently = (
    bucket: number,
    deliveryEvents: readonly DeliveryEvent[],
    { lease, onHeld }: RecordOptions,
  ): Promise<Settled> =>
    new Promise((settled) => {
      const batch: Entry[] = [{ deliveryEvents, lease, isIsolated: false, isOrdered: false, onHeld, settled }];
      const onLocked = (locked: ReadonlySet<CustomerId>) => hold(bucket, batch, (customerId) => locked.has(customerId));
      const work = settleConcurrently(bucket, batch, { onLocked })
        .then((outcome) => batch[0]?.settled(outcome))
        .finally(() => concurrent.delete(work));
      concurrent.add(work);
    });

  return {
    record(deliveryEvents, options = {}) {
      const bucket = deliveryEvents[0]?.chunk.bucket;
      if (bucket === undefined) return Promise.resolve(NOTHING_SETTLED);
      if (options.mode === 'concurrent') return recordConcurrently(bucket, deliveryEvents, options);
      return recordInLine(bucket, deliveryEvents, options);
    },
    flush: (bucket) =>
      new Promise((resolve) => {
        // Entries are settled in order: an empty one is reached when all before it are done, or held.
        const settled = () => void (heldLines.get(bucket)?.flush() ?? Promise.resolve()).then(resolve);
        if (waiting.has(bucket) || first.has(bucket)) enqueue(bucket, { ...IN_LINE, isIsolated: false, settled }, true);
        else settled();
      }),
    runInLine: (bucket, run) => enqueue(bucket, { ...IN_LINE, isIsolated: true, settled: () => {}, run }, true),
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
 * Records events of any buckets, and throws the error of one that failed. Returns the refused intents.
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

function countEvents(queue: readonly LineEntry[]): number {
  return queue.reduce((count, { deliveryEvents }) => count + deliveryEvents.length, 0);
}
