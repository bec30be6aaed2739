// The line of one bucket: calls of the recorder wait here until a transaction takes their events. One batch is written at a time, and the
// next large one already waits for its locks and reads its rows. Events of customers whose account another transaction has locked leave
// for the held line.

import { setTimeout as sleep } from 'node:timers/promises';
import { cutInto } from '../../domain/cut-into.js';
import { createGate, type Gate } from '../../domain/gate.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { MAX_EVENTS, merge, type RecordEntry, type RecordOptions, splitEntry, takeBatch } from './entry.js';
import { createHeldLine, type HeldLine } from './held-line.js';
import { createBatchSettler, type SettleBatch, type SettleBatchOptions, type Settled } from './settle-batch.js';

/** The semaphores that all buckets share. */
export interface WriteGates {
  /** Batches, of all buckets, that are written or prepared at the same time. A bucket has at most two. */
  readonly working: Gate;
  /**
   * On a cluster the machine of a bucket may be away while others work: buckets that failed share a separate gate until a write
   * succeeds.
   */
  readonly failing: Gate;
  /** Transactions that wait for locked accounts, each with a connection. */
  readonly waitingForLocks: Gate;
}

const WAITING_FOR_LOCKS = 2;

export function createWriteGates(concurrency: number): WriteGates {
  return {
    working: createGate(concurrency),
    failing: createGate(1),
    waitingForLocks: createGate(WAITING_FOR_LOCKS),
  };
}

interface LineEntry extends RecordEntry {
  /** A transaction to run instead of recording delivery events. */
  readonly run?: () => Promise<void>;
}

/** A batch, from waiting at a gate until its calls have their outcome. */
interface Batch {
  /** The gate that it has passed, or waits at. */
  gate: Gate;
  /** The first attempt at the whole batch, once it is being written. */
  written: Promise<unknown> | undefined;
  done: Promise<void>;
}

/** Answers and reports arrive one by one, and wait this long for more. */
const GATHER_MS = 4;
/** Fewer wait until the batch ahead is committed: more are written together then. */
const MIN_BEHIND = 100;
const NO_EVENTS = { deliveryEvents: [], lease: undefined, isOrdered: false } as const;

export interface BucketLineOptions extends Omit<SettleBatchOptions, 'pause'> {
  readonly gates: WriteGates;
  /** Called when nothing waits or is being written. */
  readonly onIdle: () => void;
}

export class BucketLine {
  readonly #gates: WriteGates;
  readonly #onIdle: () => void;
  readonly #settleInLine: SettleBatch;
  readonly #settleConcurrently: SettleBatch;
  readonly #held: HeldLine;
  #queue: LineEntry[] = [];
  /** The batch that is being written. */
  #current: Batch | undefined;
  /** The batch behind it. */
  #next: Batch | undefined;
  /** Set while the first events of a batch wait for more. */
  #gathering: NodeJS.Timeout | undefined;
  /** A write had to be retried, and no batch has been recorded without failures since. */
  #isFailing = false;

  constructor(bucket: number, { gates, onIdle, ...options }: BucketLineOptions) {
    this.#gates = gates;
    this.#onIdle = onIdle;
    this.#settleInLine = createBatchSettler(bucket, { ...options, pause: (ms) => this.#pauseBeforeRetry(ms) });
    this.#settleConcurrently = createBatchSettler(bucket, { ...options, pause: (ms) => sleep(ms) });
    this.#held = createHeldLine({
      settle: async (events, order) => {
        await gates.waitingForLocks.enter();
        return await this.#settleConcurrently(events, order).finally(gates.waitingForLocks.leave);
      },
      returnToLine: (entries) => {
        this.#queue = [...entries, ...this.#queue];
        this.#startBatches();
      },
    });
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#current === undefined && this.#held.isEmpty;
  }

  /** How many events wait for their transaction. */
  get waiting(): number {
    return this.#queue.reduce((count, { deliveryEvents }) => count + deliveryEvents.length, 0);
  }

  /** A list above the limit is written in several transactions, in order. */
  record(events: readonly DeliveryEvent[], options: RecordOptions): Promise<Settled> {
    const { lease, mode, isOrdered = false, onHeld } = options;
    const isUrgent = events[0]?.event.kind === 'intended';
    const isIsolated = mode === 'isolated';
    const outcomes = cutInto(events, MAX_EVENTS).map(
      (deliveryEvents) =>
        new Promise<Settled>((onSettled) =>
          this.#enqueue({ lease, isIsolated, isOrdered, onHeld, deliveryEvents, onSettled }, isUrgent),
        ),
    );
    const [only] = outcomes;
    return only !== undefined && outcomes.length === 1 ? only : Promise.all(outcomes).then(merge);
  }

  /** Resolves when the transaction has ended. The caller may get its outcome later, if accounts are locked. */
  async recordConcurrently(
    deliveryEvents: readonly DeliveryEvent[],
    { lease, onHeld }: RecordOptions,
    onSettled: (outcome: Settled) => void,
  ): Promise<void> {
    const batch: RecordEntry[] = [{ deliveryEvents, lease, isIsolated: false, isOrdered: false, onHeld, onSettled }];
    const onLocked = (locked: ReadonlySet<CustomerId>) => this.#hold(batch, (customerId) => locked.has(customerId));
    const outcome = await this.#settleConcurrently(batch, { onLocked });
    batch[0]?.onSettled(outcome);
  }

  /** Runs another transaction in its turn. It must not throw. */
  runInLine(run: () => Promise<void>): void {
    this.#enqueue({ ...NO_EVENTS, isIsolated: true, onSettled: () => {}, run }, true);
  }

  /** Resolves when all events in the line so far, and those held, of these customers or of all, are committed or have failed. */
  async flush(customerIds?: ReadonlySet<CustomerId>): Promise<void> {
    // Entries are settled in order: an empty one is reached when all before it are done, or held.
    if (this.#queue.length > 0 || this.#current !== undefined) {
      await new Promise((onSettled) => this.#enqueue({ ...NO_EVENTS, isIsolated: false, onSettled }, true));
    }
    await this.#held.flush(customerIds);
  }

  #enqueue(entry: LineEntry, isUrgent: boolean): void {
    this.#gather(isUrgent);
    this.#queue.push(entry);
    this.#startBatches();
  }

  /** Called before the event is queued: the first one in an empty line waits for more. Not an intent: a channel waits for its commit. */
  #gather(isUrgent: boolean): void {
    if (isUrgent) {
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
    } else if (this.#gathering === undefined && this.#queue.length === 0) {
      this.#gathering = setTimeout(() => {
        this.#gathering = undefined;
        this.#startBatches();
      }, GATHER_MS);
    }
  }

  #startBatches(): void {
    if (this.#queue.length > 0 && this.#current === undefined && this.#gathering === undefined) {
      this.#current = this.#createBatch();
      this.#run(this.#current, undefined);
    } else if (this.#current !== undefined && this.#isNextWorthwhile(this.#current)) {
      this.#next = this.#createBatch();
      this.#run(this.#next, this.#current);
    }
    if (this.isIdle) this.#onIdle();
  }

  /** Not behind a batch that failed: it would occupy the gate that the one ahead needs for its retry. */
  #isNextWorthwhile(current: Batch): boolean {
    const isWriting = current.written !== undefined && !this.#isFailing;
    return isWriting && this.#next === undefined && this.waiting >= MIN_BEHIND;
  }

  #createBatch(): Batch {
    const { working, failing } = this.#gates;
    return { gate: this.#isFailing ? failing : working, written: undefined, done: Promise.resolve() };
  }

  #run(batch: Batch, ahead: Batch | undefined): void {
    batch.done = this.#settleNext(batch, ahead).finally(() => {
      batch.gate.leave();
      // The batch behind waits for this one, so the one that ends is always the current one.
      this.#current = this.#next;
      this.#next = undefined;
      this.#startBatches();
    });
  }

  async #settleNext(batch: Batch, ahead: Batch | undefined): Promise<void> {
    await batch.gate.enter();
    // Events of this turn of the event loop join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const taken = takeBatch(this.#queue, ({ isIsolated }) => isIsolated);
    // An entry with a transaction is isolated, so it is the only one.
    const [first] = taken;
    if (first?.run !== undefined) {
      await ahead?.done;
      await first.run();
      return;
    }
    const entries = this.#holdFollowers(taken, ahead);
    // Behind another batch, most locked accounts are locked by that batch. Before ordered events, no earlier event may be left out.
    const mayWait = ahead !== undefined || entries.some(({ isOrdered }) => isOrdered);
    const outcome = await this.#settleInLine(entries, {
      ahead: ahead?.written,
      aheadDone: ahead?.done,
      onWriting: (written) => {
        batch.written = written;
        this.#startBatches();
      },
      onLocked: mayWait ? undefined : (locked) => this.#hold(entries, (customerId) => locked.has(customerId)),
    });
    if (outcome.failed.size === 0) this.#isFailing = false;
    await ahead?.done;
    for (const entry of entries) entry.onSettled(outcome);
  }

  /** Moves events of these customers to the held line. Each entry in the list is replaced by the rest of it. */
  #hold(entries: RecordEntry[], isHeld: (customerId: CustomerId) => boolean, after?: Promise<unknown>): void {
    for (const [at, entry] of entries.entries()) {
      const { free, held } = splitEntry(entry, isHeld);
      entries[at] = free;
      if (held !== undefined) this.#held.add({ ...held, after });
    }
  }

  /** Moves what must follow held events to the held line, and returns the rest. */
  #holdFollowers(taken: readonly RecordEntry[], ahead: Batch | undefined): RecordEntry[] {
    if (this.#held.isEmpty) return [...taken];
    return taken.flatMap((entry) => {
      const rest = [entry];
      this.#hold(rest, (customerId) => entry.isOrdered || this.#held.has(customerId), ahead?.done);
      return rest;
    });
  }

  /** Between two attempts another bucket may pass the gate. Only the current batch is retried. */
  async #pauseBeforeRetry(ms: number): Promise<void> {
    const { failing } = this.#gates;
    const batch = this.#current;
    batch?.gate.leave();
    if (batch !== undefined) batch.gate = failing;
    this.#isFailing = true;
    await sleep(ms);
    await failing.enter();
  }
}
