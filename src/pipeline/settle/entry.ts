// A call of the recorder, as entries that wait for their transaction.

import { cutInto } from '../../domain/cut-into.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import type { LeasedEvents, Settled } from './settle-batch.js';

/**
 * batched: in the next transaction of the bucket, with all waiting events, in the order of the calls.
 * isolated: in order, in a separate transaction, for events that failed before and must not make others fail.
 * concurrent: at once, concurrently with the current transaction, for a few events that do not depend on earlier ones.
 */
export type RecordMode = 'batched' | 'isolated' | 'concurrent';

export type OnSettled = (deliveryEvents: readonly DeliveryEvent[], outcome: Settled) => void;

export interface RecordOptions {
  /** The lease under which the events were obtained. */
  readonly lease?: Lease | undefined;
  /** Default: `batched`. */
  readonly mode?: RecordMode;
  /** Committed with or after all earlier events of the bucket, of any customer. */
  readonly isOrdered?: boolean;
  /** Called with the events of each customer as soon as they are settled: one may wait for its account, and the others do not wait for it. */
  readonly onSettled?: OnSettled | undefined;
}

/** Events of one customer that are written together. */
export interface RecordEntry extends LeasedEvents {
  /** Counts the calls of the line: its order. */
  readonly callNo: number;
  readonly customerId: CustomerId;
  /** In a separate transaction. */
  readonly isIsolated: boolean;
  /** Committed with or after everything that was recorded before it. */
  readonly isOrdered: boolean;
  settle(outcome: Settled): void;
  /** Resolves when it is settled. */
  readonly settled: Promise<Settled>;
}

/** A transaction to run instead of recording delivery events. */
export interface TransactionEntry {
  readonly callNo: number;
  readonly run: () => Promise<void>;
}

export type LineEntry = RecordEntry | TransactionEntry;

/** Bounds how long a transaction holds its locks. */
const MAX_EVENTS = 2000;

export const NOTHING_SETTLED: Settled = { refused: new Set(), failed: new Map() };

/** The entries of a call: the events of each customer, at most as many as a transaction takes. */
export function createEntries(callNo: number, events: readonly DeliveryEvent[], options: RecordOptions): RecordEntry[] {
  const byCustomer = groupBy(events, ({ chunk }) => chunk.customerId);
  return [...byCustomer].flatMap(([customerId, ofCustomer]) =>
    cutInto(ofCustomer, MAX_EVENTS).map((deliveryEvents) => createEntry(callNo, customerId, deliveryEvents, options)),
  );
}

function createEntry(
  callNo: number,
  customerId: CustomerId,
  deliveryEvents: readonly DeliveryEvent[],
  { lease, mode, isOrdered = false, onSettled }: RecordOptions,
): RecordEntry {
  let settle = (_: Settled): void => {};
  const settled = new Promise<Settled>((resolve) => {
    settle = resolve;
  }).then((outcome) => {
    onSettled?.(deliveryEvents, outcome);
    return outcome;
  });
  return { callNo, customerId, deliveryEvents, lease, isIsolated: mode === 'isolated', isOrdered, settle, settled };
}

type Customers = Pick<ReadonlySet<CustomerId>, 'size' | 'has'>;

/**
 * The entries that the next batches may take, in order: not those of customers whose account is locked, nor ordered ones behind any that is
 * left out, nor what follows one of these. What a locked customer gets later holds no ordered one back: with two such customers, one may be
 * locked at any time.
 */
export function* findTakeable(queue: Iterable<LineEntry>, locked: Customers): Iterable<LineEntry> {
  if (locked.size === 0) return yield* queue;
  const leftOut = new Set<CustomerId>();
  for (const entry of queue) {
    if ('run' in entry) yield entry;
    else if (locked.has(entry.customerId) || (entry.isOrdered ? leftOut.size > 0 : leftOut.has(entry.customerId)))
      leftOut.add(entry.customerId);
    else yield entry;
  }
}

/** Those of locked customers. An ordered one goes with the batches, behind what is being written. */
export function* findTakeableOf(queue: Iterable<LineEntry>, locked: Customers): Iterable<LineEntry> {
  const leftOut = new Set<CustomerId>();
  for (const entry of queue) {
    if ('run' in entry || !locked.has(entry.customerId)) continue;
    if (entry.isOrdered || leftOut.has(entry.customerId)) leftOut.add(entry.customerId);
    else yield entry;
  }
}

export function countEvents(entries: Iterable<LineEntry>): number {
  let count = 0;
  for (const entry of entries) if (!('run' in entry)) count += entry.deliveryEvents.length;
  return count;
}

/** The entries of the next transaction. An isolated one shares it with no other. */
export function takeBatch(takeable: Iterable<LineEntry>): RecordEntry[] | TransactionEntry {
  const batch: RecordEntry[] = [];
  let size = 0;
  for (const entry of takeable) {
    if ('run' in entry) {
      if (batch.length === 0) return entry;
      break;
    }
    size += entry.deliveryEvents.length;
    if (batch.length > 0 && (entry.isIsolated || size > MAX_EVENTS)) break;
    batch.push(entry);
    if (entry.isIsolated) break;
  }
  return batch;
}

export function merge(outcomes: readonly Settled[]): Settled {
  const [first = NOTHING_SETTLED, ...others] = new Set(outcomes);
  if (others.length === 0) return first;
  return {
    refused: new Set([first, ...others].flatMap(({ refused }) => [...refused])),
    failed: new Map([first, ...others].flatMap(({ failed }) => [...failed])),
  };
}
