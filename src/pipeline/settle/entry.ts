// One call of the recorder, as it waits for its transaction.

import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { News, Settled } from './settle-apart.js';

/** Called with the events of a call that wait for a locked account, and their outcome. */
export type OnHeld = (deliveryEvents: readonly DeliveryEvent[], settled: Promise<Settled>) => void;

export interface Entry extends News {
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
export function partEntry<Each extends Entry>(
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
