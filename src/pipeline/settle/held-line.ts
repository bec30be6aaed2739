// Events of customers whose account another transaction has locked. They leave the line of their bucket, so that other customers do
// not wait for that account, and are settled here. Later events of such a customer wait behind them. Once the first are settled, the
// later ones go back to the line, which writes more at a time.

import type { CustomerId } from '../../domain/id.js';
import { freeFirst } from '../turns/free-first.js';
import { merge, type RecordEntry, takeBatch } from './entry.js';
import type { BatchOrder, LeasedEvents, Settled } from './settle-batch.js';

export interface HeldEntry extends RecordEntry {
  /** It is settled only after this has resolved. */
  readonly after?: Promise<unknown> | undefined;
}

export interface HeldLine {
  readonly isEmpty: boolean;
  /** Whether events of this customer wait here. */
  has(customerId: CustomerId): boolean;
  add(entry: HeldEntry): void;
  /** Resolves when everything that was held so far, of these customers or of all, is settled, here or in the line. */
  flush(customerIds?: ReadonlySet<CustomerId>): Promise<void>;
}

export interface HeldLineOptions {
  readonly settle: (events: readonly LeasedEvents[], order?: BatchOrder) => Promise<Settled>;
  /** Called with the entries that waited behind the settled ones: they go to the front of the line. The held line is empty then. */
  readonly returnToLine: (entries: readonly RecordEntry[]) => void;
}

export function createHeldLine({ settle, returnToLine }: HeldLineOptions): HeldLine {
  const entries: HeldEntry[] = [];
  /** How many events of each customer are held. */
  const heldEvents = new Map<CustomerId, number>();
  /** For each entry that was ever held and is not settled. */
  const unsettled = new Map<Promise<void>, HeldEntry>();
  let isRunning = false;

  const count = ({ deliveryEvents }: RecordEntry, by: 1 | -1): void => {
    for (const { chunk } of deliveryEvents) {
      const events = (heldEvents.get(chunk.customerId) ?? 0) + by;
      if (events === 0) heldEvents.delete(chunk.customerId);
      else heldEvents.set(chunk.customerId, events);
    }
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    // Entries that are added in this turn of the event loop join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = takeBatch(entries, ({ isIsolated, isOrdered }) => isIsolated || isOrdered);
    await Promise.all(batch.map(({ after }) => after));
    await settleByCustomer(settle, batch, (entry, outcome) => {
      count(entry, -1);
      entry.onSettled(outcome);
    });
    // All that is left goes back to the line.
    heldEvents.clear();
    isRunning = false;
    returnToLine(entries.splice(0));
  };

  /** Tracks the entry until its events are settled, here or in the line. */
  const track = (entry: HeldEntry): HeldEntry => {
    let markSettled = (): void => {};
    const settled: Promise<void> = new Promise<void>((resolve) => {
      markSettled = resolve;
    }).finally(() => unsettled.delete(settled));
    unsettled.set(settled, entry);
    return {
      ...entry,
      onSettled(outcome) {
        entry.onSettled(outcome);
        markSettled();
      },
    };
  };

  return {
    // A run starts with the first entry and ends without any.
    get isEmpty() {
      return !isRunning;
    },
    has: (customerId) => heldEvents.has(customerId),
    add(entry) {
      entries.push(track(entry));
      count(entry, 1);
      if (!isRunning) void run();
    },
    async flush(customerIds) {
      const isAwaited = (entry: HeldEntry) =>
        customerIds === undefined || entry.deliveryEvents.some(({ chunk }) => customerIds.has(chunk.customerId));
      await Promise.all([...unsettled].flatMap(([settled, entry]) => (isAwaited(entry) ? [settled] : [])));
    },
  };
}

/** An entry is settled with the last of its customers. */
async function settleByCustomer(
  settle: HeldLineOptions['settle'],
  batch: readonly HeldEntry[],
  onSettled: (entry: HeldEntry, outcome: Settled) => void,
): Promise<void> {
  const outcomes: Settled[] = [];
  const customersLeft = new Set(batch.flatMap(customersOf));
  let open = batch;
  await freeFirst(customersLeft, async (turn, mayWait) => {
    let locked: ReadonlySet<CustomerId> = new Set();
    const onLocked = (customerIds: ReadonlySet<CustomerId>): void => {
      locked = customerIds;
    };
    outcomes.push(await settle(selectEvents(open, turn), mayWait ? {} : { onLocked }));
    for (const customerId of turn) if (!locked.has(customerId)) customersLeft.delete(customerId);
    const isOpen = (entry: HeldEntry) => customersOf(entry).some((customerId) => customersLeft.has(customerId));
    const outcome = merge(outcomes);
    for (const entry of open) if (!isOpen(entry)) onSettled(entry, outcome);
    open = open.filter(isOpen);
    return locked;
  });
}

function customersOf({ deliveryEvents }: LeasedEvents): CustomerId[] {
  return deliveryEvents.map(({ chunk }) => chunk.customerId);
}

function selectEvents(batch: readonly LeasedEvents[], customerIds: ReadonlySet<CustomerId>): LeasedEvents[] {
  return batch.map(({ lease, deliveryEvents }) => ({
    lease,
    deliveryEvents: deliveryEvents.filter(({ chunk }) => customerIds.has(chunk.customerId)),
  }));
}
