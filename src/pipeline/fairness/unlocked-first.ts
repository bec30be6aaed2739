import type { CustomerId } from '../../domain/id.js';

/**
 * Works for these customers in one transaction. Without `mayWait` it leaves out those whose account another transaction has locked, and
 * returns them.
 */
export type ServeCustomers = (
  customerIds: ReadonlySet<CustomerId>,
  mayWait: boolean,
) => Promise<ReadonlySet<CustomerId>>;

/**
 * Runs work for customers whose accounts may be locked: first for all with a free account together, then again for the others. If none is
 * free, it waits for the first one alone, so that no other account is locked meanwhile. Every customer is served.
 */
export async function runUnlockedFirst(customerIds: Iterable<CustomerId>, serve: ServeCustomers): Promise<void> {
  const left = new Set(customerIds);
  let isWaiting = left.size === 1;
  while (left.size > 0) {
    const group: ReadonlySet<CustomerId> = new Set(isWaiting ? [...left].slice(0, 1) : left);
    const locked = await serve(group, isWaiting);
    for (const customerId of group) if (!locked.has(customerId)) left.delete(customerId);
    isWaiting = left.size === 1 || locked.size === group.size;
  }
}
