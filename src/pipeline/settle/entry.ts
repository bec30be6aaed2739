// One call of the recorder, and the entry that waits for its transaction.

import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import type { LeasedEvents, Settled } from './settle-apart.js';

/** Called with the events of a call that wait for a locked account, and their outcome. */
export type OnHeld = (deliveryEvents: readonly DeliveryEvent[], settled: Promise<Settled>) => void;

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

export interface Entry extends LeasedEvents {
  readonly settled: (outcome: Settled) => void;
  /** In its own transaction. */
  readonly isIsolated: boolean;
  /** Committed with or after everything that was recorded before it. */
  readonly isOrdered: boolean;
  readonly onHeld?: OnHeld | undefined;
}

/** Bounds how long a transaction holds its locks. */
export const MAX_EVENTS = 2000;

export const NOTHING_SETTLED: Settled = { refused: new Set(), failed: new Map() };

/** The first entries that one transaction takes. */
export function takeBatch<Each extends Entry>(queue: Each[], isAlone: (entry: Each) => boolean): Each[] {
  let size = 0;
  let count = 0;
  for (const entry of queue) {
    const [head] = queue;
    const endsBatch = isAlone(entry) || (head !== undefined && isAlone(head));
    if (count > 0 && (endsBatch || size + entry.deliveryEvents.length > MAX_EVENTS)) break;
    size += entry.deliveryEvents.length;
    count += 1;
  }
  return queue.splice(0, count);
}

export function merge(outcomes: readonly Settled[]): Settled {
  return {
    refused: new Set(outcomes.flatMap(({ refused }) => [...refused])),
    failed: new Map(outcomes.flatMap(({ failed }) => [...failed])),
  };
}

/**
 * Splits an entry in two: the events of these customers, which are held, and the others. Without `onHeld`, the caller gets its result when
 * both are settled.
 */
export function splitEntry<Each extends Entry>(
  entry: Each,
  isHeld: (customerId: CustomerId) => boolean,
): { readonly free: Each; readonly held: Each | undefined } {
  const deliveryEvents = entry.deliveryEvents.filter(({ chunk }) => isHeld(chunk.customerId));
  if (deliveryEvents.length === 0) return { free: entry, held: undefined };
  const rest = entry.deliveryEvents.filter(({ chunk }) => !isHeld(chunk.customerId));
  const { settled, onHeld } = entry;
  let settleHeld = (_: Settled): void => {};
  const later = new Promise<Settled>((resolve) => {
    settleHeld = resolve;
  });
  const settleFree =
    onHeld === undefined ? (now: Settled) => void later.then((own) => settled(merge([now, own]))) : settled;
  onHeld?.(deliveryEvents, later);
  return {
    free: { ...entry, deliveryEvents: rest, settled: settleFree },
    held: { ...entry, deliveryEvents, settled: settleHeld, onHeld: undefined },
  };
}
