// Events of customers whose account another transaction has locked. They leave the line of their bucket, so that other customers do
// not wait for that account, and are settled here. What is recorded of such a customer meanwhile waits behind them, and goes back to
// the line, which writes more at a time, once they are settled.

import type { CustomerId } from '../../domain/id.js';
import { freeFirst } from '../free-first.js';
import { type Entry, merge, takeBatch } from './entry.js';
import type { LeasedEvents, PlaceInLine, Settled } from './settle-apart.js';

export interface HeldEntry extends Entry {
  /** It is not settled before this. */
  readonly after?: Promise<unknown> | undefined;
}

export interface HeldLine {
  readonly isEmpty: boolean;
  /** Events of this customer wait here. */
  has(customerId: CustomerId): boolean;
  add(entry: HeldEntry): void;
  /** Resolves when everything that was ever held so far is settled. */
  flush(): Promise<void>;
}

export interface HeldLineOptions {
  readonly settle: (events: readonly LeasedEvents[], place?: PlaceInLine) => Promise<Settled>;
  /** What waits behind what was settled goes to the front of the line, in this order. The held line is empty then. */
  readonly giveBack: (entries: readonly Entry[]) => void;
}

export function createHeldLine({ settle, giveBack }: HeldLineOptions): HeldLine {
  const entries: HeldEntry[] = [];
  const eventsOf = new Map<CustomerId, number>();
  /** Of all entries that were ever held and are not settled. */
  const open = new Set<Promise<void>>();
  let isRunning = false;

  const count = ({ deliveryEvents }: Entry, by: 1 | -1): void => {
    for (const { chunk } of deliveryEvents) {
      const events = (eventsOf.get(chunk.customerId) ?? 0) + by;
      if (events === 0) eventsOf.delete(chunk.customerId);
      else eventsOf.set(chunk.customerId, events);
    }
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    // What is handled in this turn of the event loop still joins.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = takeBatch(entries, ({ isIsolated, isOrdered }) => isIsolated || isOrdered);
    await Promise.all(batch.map(({ after }) => after));
    await settleByCustomer(settle, batch, (entry, outcome) => {
      count(entry, -1);
      entry.settled(outcome);
    });
    eventsOf.clear();
    isRunning = false;
    giveBack(entries.splice(0));
  };

  /** Until its events are settled, here or in the line. */
  const keepOpen = (entry: HeldEntry): HeldEntry => {
    let close = (): void => {};
    const settled: Promise<void> = new Promise<void>((resolve) => {
      close = resolve;
    }).finally(() => open.delete(settled));
    open.add(settled);
    return {
      ...entry,
      settled(outcome) {
        entry.settled(outcome);
        close();
      },
    };
  };

  return {
    get isEmpty() {
      return !isRunning;
    },
    has: (customerId) => eventsOf.has(customerId),
    add(entry) {
      entries.push(keepOpen(entry));
      count(entry, 1);
      if (!isRunning) void run();
    },
    async flush() {
      await Promise.all(open);
    },
  };
}

/** An entry ends with the last of its customers. */
async function settleByCustomer(
  settle: HeldLineOptions['settle'],
  batch: readonly HeldEntry[],
  end: (entry: HeldEntry, outcome: Settled) => void,
): Promise<void> {
  const outcomes: Settled[] = [];
  const left = new Set(batch.flatMap(customersOf));
  let open = batch;
  await freeFirst(left, async (turn, mayWait) => {
    let locked: ReadonlySet<CustomerId> = new Set();
    const onLocked = (customerIds: ReadonlySet<CustomerId>): void => {
      locked = customerIds;
    };
    outcomes.push(await settle(eventsOf(open, turn), mayWait ? {} : { onLocked }));
    for (const customerId of turn) if (!locked.has(customerId)) left.delete(customerId);
    const isOpen = (entry: HeldEntry) => customersOf(entry).some((customerId) => left.has(customerId));
    const outcome = merge(outcomes);
    for (const entry of open) if (!isOpen(entry)) end(entry, outcome);
    open = open.filter(isOpen);
    return locked;
  });
}

function customersOf({ deliveryEvents }: LeasedEvents): CustomerId[] {
  return deliveryEvents.map(({ chunk }) => chunk.customerId);
}

function eventsOf(batch: readonly LeasedEvents[], customerIds: ReadonlySet<CustomerId>): LeasedEvents[] {
  return batch.map(({ lease, deliveryEvents }) => ({
    lease,
    deliveryEvents: deliveryEvents.filter(({ chunk }) => customerIds.has(chunk.customerId)),
  }));
}
