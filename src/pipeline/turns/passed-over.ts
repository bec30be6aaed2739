// Customers that were left out because another transaction has locked their account. They are served beside all others, who do not wait for
// them: those whose account is free again together, otherwise one alone.

import type { CustomerId } from '../../domain/id.js';
import { runUnlockedFirst, type Turn } from './unlocked-first.js';

export interface PassedOver {
  readonly size: number;
  has(customerId: CustomerId): boolean;
  add(customerIds: Iterable<CustomerId>): void;
  /** Resolves when none is being served. */
  idle(): Promise<void>;
}

export interface PassedOverOptions {
  readonly serve: Turn;
  /** Called after each turn. After an error the set is empty. */
  readonly onServed: () => void;
  /** No turn starts after it is aborted. */
  readonly signal?: AbortSignal;
}

export function createPassedOver({ serve, onServed, signal }: PassedOverOptions): PassedOver {
  const customers = new Set<CustomerId>();
  let serving: Promise<void> | undefined;

  const serveTurn: Turn = async (turn, mayWait) => {
    const locked = await serve(turn, mayWait);
    for (const customerId of turn) if (!locked.has(customerId)) customers.delete(customerId);
    onServed();
    return locked;
  };

  const serveAll = async (): Promise<void> => {
    // Customers that are passed over in this turn of the event loop are served together.
    await new Promise((resolve) => setImmediate(resolve));
    while (customers.size > 0 && signal?.aborted !== true) await runUnlockedFirst(customers, serveTurn);
  };

  const endServing = (): void => {
    serving = undefined;
    if (customers.size === 0) return;
    customers.clear();
    onServed();
  };

  return {
    get size() {
      return customers.size;
    },
    has: (customerId) => customers.has(customerId),
    add(customerIds) {
      for (const customerId of customerIds) customers.add(customerId);
      serving ??= serveAll().then(endServing, endServing);
    },
    async idle() {
      await serving;
    },
  };
}
