// A call of the recorder, as an entry that waits for its transaction.

import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import type { LeasedEvents, Settled } from './settle-batch.js';

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
  /** If set, the call does not wait for events whose account is locked: this is called with them and their outcome. */
  readonly onHeld?: OnHeld;
}

export interface RecordEntry extends LeasedEvents {
  readonly onSettled: (outcome: Settled) => void;
  /** In a separate transaction. */
  readonly isIsolated: boolean;
  /** Committed with or after everything that was recorded before it. */
  readonly isOrdered: boolean;
  readonly onHeld?: OnHeld | undefined;
}

/** Bounds how long a transaction holds its locks. */
export const MAX_EVENTS = 2000;

export const NOTHING_SETTLED: Settled = { refused: new Set(), failed: new Map() };

/** Removes and returns the entries of the next transaction. An entry for which `isAlone` is true shares it with no other. */
export function takeBatch<Each extends RecordEntry>(queue: Each[], isAlone: (entry: Each) => boolean): Each[] {
  let size = 0;
  let count = 0;
  const [head] = queue;
  const isHeadAlone = head !== undefined && isAlone(head);
  for (const entry of queue) {
    const endsBatch = isHeadAlone || isAlone(entry);
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
export function splitEntry<Each extends RecordEntry>(
  entry: Each,
  isHeld: (customerId: CustomerId) => boolean,
): { readonly free: Each; readonly held: Each | undefined } {
  const deliveryEvents = entry.deliveryEvents.filter(({ chunk }) => isHeld(chunk.customerId));
  if (deliveryEvents.length === 0) return { free: entry, held: undefined };
  const rest = entry.deliveryEvents.filter(({ chunk }) => !isHeld(chunk.customerId));
  const { onSettled, onHeld } = entry;
  let onHeldSettled = (_: Settled): void => {};
  const heldOutcome = new Promise<Settled>((resolve) => {
    onHeldSettled = resolve;
  });
  const mergeWithHeld = (outcome: Settled): void =>
    void heldOutcome.then((ofHeld) => onSettled(merge([outcome, ofHeld])));
  onHeld?.(deliveryEvents, heldOutcome);
  return {
    free: { ...entry, deliveryEvents: rest, onSettled: onHeld === undefined ? mergeWithHeld : onSettled },
    held: { ...entry, deliveryEvents, onSettled: onHeldSettled, onHeld: undefined },
  };
}
