// A step that is taken for many customers at once, and what becomes of it when it cannot be taken for one of them.

import { groupBy } from '../domain/group-by.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { isRetryable } from '../store/retry.js';

/** Whose something is: a task's, or a customer's as a whole. */
export interface Owner {
  readonly customerId: CustomerId;
  readonly taskId?: TaskId | undefined;
}

export interface ApartOptions<Item> {
  readonly ownerOf: (item: Item) => Owner;
  /** A transaction: all of it is done, or nothing. */
  readonly step: (items: readonly Item[]) => Promise<void>;
  /** The step cannot be taken for these, which are of one task or one customer. */
  readonly onCulprit: (items: readonly Item[], error: unknown) => void;
  /** It would fail for anybody now, so nothing is split, and the error is the caller's. */
  readonly isNobodysFault?: (error: unknown) => boolean;
}

/**
 * Takes the step for all items together. Where that fails it is taken for halves of them, along customers and then along
 * tasks, until the culprits are left: one among two hundred costs some sixteen transactions, and nobody else notices.
 */
export async function runApart<Item>(items: readonly Item[], options: ApartOptions<Item>): Promise<void> {
  if (items.length === 0) return;
  const { ownerOf, step, onCulprit, isNobodysFault = isRetryable } = options;
  try {
    await step(items);
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    const halves = halve(items, ownerOf);
    if (halves.length === 1) onCulprit(items, error);
    else for (const half of halves) await runApart(half, options);
  }
}

/** One customer's things stay together as long as there are others', and one task's always. */
function halve<Item>(items: readonly Item[], ownerOf: (item: Item) => Owner): (readonly Item[])[] {
  const byCustomer = groupBy(items, (item) => ownerOf(item).customerId);
  const groups = byCustomer.size > 1 ? byCustomer : groupBy(items, (item) => ownerOf(item).taskId);
  if (groups.size === 1) return [items];
  const inOrder = [...groups.values()];
  const middle = Math.ceil(inOrder.length / 2);
  return [inOrder.slice(0, middle).flat(), inOrder.slice(middle).flat()];
}
