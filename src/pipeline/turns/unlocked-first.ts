import type { CustomerId } from '../../domain/id.js';

/**
 * One turn of work for these customers. Without `mayWait` it leaves out those whose account another transaction has locked, and
 * returns them.
 */
export type Turn = (customerIds: ReadonlySet<CustomerId>, mayWait: boolean) => Promise<ReadonlySet<CustomerId>>;

/**
 * Runs work for customers whose accounts may be locked: first for all with a free account together, then again for the others. If none is
 * free, it waits for the first one alone, so that no other account is locked meanwhile. Every customer gets a turn.
 */
export async function runUnlockedFirst(customerIds: Iterable<CustomerId>, runTurn: Turn): Promise<void> {
  const left = new Set(customerIds);
  let isWaiting = left.size === 1;
  while (left.size > 0) {
    const turn: ReadonlySet<CustomerId> = new Set(isWaiting ? [...left].slice(0, 1) : left);
    const locked = await runTurn(turn, isWaiting);
    for (const customerId of turn) if (!locked.has(customerId)) left.delete(customerId);
    isWaiting = left.size === 1 || locked.size === turn.size;
  }
}
