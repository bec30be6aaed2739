// Customers that were left out because another transaction has locked their account. They are served beside all others, who do not wait for
// them: those whose account is free again together, otherwise one alone.

import type { CustomerId } from '../../domain/id.js';
import { runUnlockedFirst, type ServeCustomers } from './unlocked-first.js';

export interface LockedCustomers {
  readonly size: number;
  has(customerId: CustomerId): boolean;
  add(customerIds: Iterable<CustomerId>): void;
  /** Resolves when none is being served. */
  idle(): Promise<void>;
}

export interface LockedCustomersOptions {
  readonly serve: ServeCustomers;
  /** Called after each transaction. After an error the set is empty. */
  readonly onServed: () => void;
  /** Nothing starts after it is aborted. */
  readonly signal?: AbortSignal;
}

export function createLockedCustomers({ serve, onServed, signal }: LockedCustomersOptions): LockedCustomers {
  const customers = new Set<CustomerId>();
  let serving: Promise<void> | undefined;

  const serveGroup: ServeCustomers = async (group, mayWait) => {
    const locked = await serve(group, mayWait);
    for (const customerId of group) if (!locked.has(customerId)) customers.delete(customerId);
    onServed();
    return locked;
  };

  const serveAll = async (): Promise<void> => {
    // Customers that are added in this tick of the event loop are served together.
    await new Promise((resolve) => setImmediate(resolve));
    while (customers.size > 0 && signal?.aborted !== true) await runUnlockedFirst(customers, serveGroup);
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
