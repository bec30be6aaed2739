import type { CustomerId } from '../domain/id.js';

/**
 * One turn of work for these customers. Without `mayWait` it leaves out those whose account another transaction has locked, and
 * returns them.
 */
export type Turn = (customerIds: ReadonlySet<CustomerId>, mayWait: boolean) => Promise<ReadonlySet<CustomerId>>;

/**
 * Works for customers whose accounts may be locked: for those whose account is free together, and again for the others. Where none is
 * free, the first one is waited for alone, so that nobody else's account is locked meanwhile. Everybody gets a turn.
 */
export async function freeFirst(customerIds: Iterable<CustomerId>, runTurn: Turn): Promise<void> {
  const left = new Set(customerIds);
  let isWaiting = left.size === 1;
  while (left.size > 0) {
    const turn: ReadonlySet<CustomerId> = new Set(isWaiting ? [...left].slice(0, 1) : left);
    const locked = await runTurn(turn, isWaiting);
    for (const customerId of turn) if (!locked.has(customerId)) left.delete(customerId);
    isWaiting = left.size === 1 || locked.size === turn.size;
  }
}
