// The line of one bucket: events wait here until a transaction takes them, those of a customer in their order. One batch is written at a
// time, and the next large one already waits for its locks and reads its rows. A customer whose account another transaction has locked is
// left out: its events stay in the line, and it waits for its account in a transaction beside the batches.

import { setTimeout as sleep } from 'node:timers/promises';
import { createGate, type Gate } from '../../domain/gate.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { createLockedCustomers, type LockedCustomers } from '../fairness/locked-customers.js';
import {
  countEvents,
  createEntries,
  findTakeable,
  findTakeableOf,
  type LineEntry,
  merge,
  type RecordEntry,
  type RecordOptions,
  takeBatch,
} from './entry.js';
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
  #calls = 0;
  /** In the order of the calls. What is written beside the batches stays here until it is settled: ordered events behind it wait for it. */
  #queue: LineEntry[] = [];
  /** Everything that is not settled: the queue, and what batches have taken. */
  readonly #open = new Set<RecordEntry>();
  /** Customers whose account was locked. No batch takes events of theirs until they have been served. */
  readonly #locked: LockedCustomers;
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
    this.#locked = createLockedCustomers({
      serve: (customerIds, mayWait) => this.#settleLocked(customerIds, mayWait),
      onServed: () => this.#startBatches(),
    });
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#current === undefined && this.#locked.size === 0;
  }

  /** How many events the next transactions of the line take. */
  get waiting(): number {
    return countEvents(findTakeable(this.#queue, this.#locked));
  }

  async record(events: readonly DeliveryEvent[], options: RecordOptions): Promise<Settled> {
    const entries = createEntries(++this.#calls, events, options);
    for (const entry of entries) this.#open.add(entry);
    this.#enqueue(entries, events[0]?.event.kind === 'intended');
    return merge(await Promise.all(entries.map(({ settled }) => settled)));
  }

  /** In a transaction beside the batches. The events of customers whose account is locked go in line. */
  async recordConcurrently(events: readonly DeliveryEvent[], { lease, onSettled }: RecordOptions): Promise<Settled> {
    let locked: ReadonlySet<CustomerId> = new Set();
    const onLocked = (customerIds: ReadonlySet<CustomerId>): void => {
      locked = customerIds;
    };
    const outcome = await this.#settleConcurrently([{ deliveryEvents: events, lease }], { onLocked });
    const isLocked = ({ chunk }: DeliveryEvent) => locked.has(chunk.customerId);
    onSettled?.(locked.size === 0 ? events : events.filter((event) => !isLocked(event)), outcome);
    if (locked.size === 0) return outcome;
    return merge([outcome, await this.record(events.filter(isLocked), { lease, onSettled })]);
  }

  /** Runs another transaction in the order of the line, while no batch is recorded. It must not throw. */
  runExclusive(run: () => Promise<void>): void {
    this.#enqueue([{ callNo: ++this.#calls, run }], true);
  }

  /** Resolves when all events so far, of these customers or of all, are committed or have failed. */
  async flush(customerIds?: ReadonlySet<CustomerId>): Promise<void> {
    const awaited = [...this.#open].filter((entry) => customerIds?.has(entry.customerId) !== false);
    await Promise.allSettled(awaited.map(({ settled }) => settled));
  }

  #enqueue(entries: readonly LineEntry[], isUrgent: boolean): void {
    this.#gather(isUrgent);
    for (const entry of entries) this.#queue.push(entry);
    this.#startBatches();
  }

  /** Called before the event is queued: the first one in an empty line waits for more. Not an intent: a channel waits for its commit. */
  #gather(isUrgent: boolean): void {
    if (isUrgent) {
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
    } else if (this.#gathering === undefined && !this.#hasTakeable()) {
      this.#gathering = setTimeout(() => {
        this.#gathering = undefined;
        this.#startBatches();
      }, GATHER_MS);
    }
  }

  #startBatches(): void {
    if (this.#current === undefined && this.#gathering === undefined && this.#hasTakeable()) {
      this.#current = this.#createBatch();
      this.#run(this.#current, undefined);
    } else if (this.#current !== undefined && this.#isNextWorthwhile(this.#current)) {
      this.#next = this.#createBatch();
      this.#run(this.#next, this.#current);
    }
    if (this.isIdle) this.#onIdle();
  }

  #hasTakeable(): boolean {
    for (const _ of findTakeable(this.#queue, this.#locked)) return true;
    return false;
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
    // Events of this tick of the event loop join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const taken = takeBatch(findTakeable(this.#queue, this.#locked));
    this.#dequeue('run' in taken ? [taken] : taken);
    if ('run' in taken) {
      await ahead?.done;
      await taken.run();
      return;
    }
    // Behind another batch, most locked accounts are locked by that batch. Before ordered events, no earlier event may be left out.
    const mayWait = ahead !== undefined || taken.some(({ isOrdered }) => isOrdered);
    let entries: readonly RecordEntry[] = taken;
    const onLocked = (customerIds: ReadonlySet<CustomerId>): void => {
      entries = this.#leaveOut(customerIds, entries);
    };
    const outcome = await this.#settleInLine(entries, {
      ahead: ahead?.written,
      aheadDone: ahead?.done,
      onWriting: (written) => {
        batch.written = written;
        this.#startBatches();
      },
      onLocked: mayWait ? undefined : onLocked,
    });
    if (outcome.failed.size === 0) this.#isFailing = false;
    await ahead?.done;
    this.#end(entries, outcome);
  }

  #dequeue(entries: readonly LineEntry[]): void {
    const isTaken = new Set(entries);
    this.#queue = this.#queue.filter((entry) => !isTaken.has(entry));
  }

  #end(entries: readonly RecordEntry[], outcome: Settled): void {
    for (const entry of entries) {
      this.#open.delete(entry);
      entry.settle(outcome);
    }
  }

  /** Puts the events of these customers back to their place. Returns the other entries. */
  #leaveOut(customerIds: ReadonlySet<CustomerId>, entries: readonly RecordEntry[]): RecordEntry[] {
    const leftOut = entries.filter(({ customerId }) => customerIds.has(customerId));
    this.#queue = [...leftOut, ...this.#queue].sort((a, b) => a.callNo - b.callNo);
    this.#locked.add(customerIds);
    return entries.filter(({ customerId }) => !customerIds.has(customerId));
  }

  /** Later events of these customers go with the batches again, which write more at a time. Returns those that are still locked. */
  async #settleLocked(served: ReadonlySet<CustomerId>, mayWait: boolean): Promise<ReadonlySet<CustomerId>> {
    const { waitingForLocks } = this.#gates;
    await waitingForLocks.enter();
    const taken = takeBatch(findTakeableOf(this.#queue, served));
    const entries = 'run' in taken ? [] : taken;
    let locked: ReadonlySet<CustomerId> = new Set();
    const onLocked = (customerIds: ReadonlySet<CustomerId>): void => {
      locked = customerIds;
    };
    const outcome = await this.#settleConcurrently(entries, mayWait ? {} : { onLocked });
    waitingForLocks.leave();
    const settled = entries.filter(({ customerId }) => !locked.has(customerId));
    this.#dequeue(settled);
    this.#end(settled, outcome);
    return locked;
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
