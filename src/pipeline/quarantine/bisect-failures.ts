// Runs a step for many items in one transaction. When it fails, it runs for ever smaller groups until the failing items are alone,
// so that one item never fails the others.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import { LeaseLostError } from '../../store/channel/channel-lease.js';
import { isRetryable } from '../../store/retry.js';

/** The task or customer that an item belongs to. */
export interface Owner {
  readonly customerId: CustomerId;
  readonly taskId?: TaskId | undefined;
}

export interface BisectOptions<Item> {
  /** One transaction: all or nothing. */
  readonly step: (items: readonly Item[]) => Promise<void>;
  /** Groups are split by customer first, then by task; items of one task stay together. Without it each item is a group. */
  readonly ownerOf?: (item: Item) => Owner;
  /** The step failed for these items of one group, or, with a transient error, for all that were left. */
  readonly onFailure: (items: readonly Item[], error: unknown) => void;
  /** Nothing is split for such an error: it says nothing about the items. */
  readonly isTransient?: (error: unknown) => boolean;
}

/**
 * When so many items have failed alone, the cause is something they share: the rest is not tried one by one, or a thousand
 * reports would delay everything else by a thousand transactions.
 */
const MAX_ALONE = 8;

/**
 * Runs the step for all items together, in their order. When it fails, it runs for each half, until the failing groups are alone:
 * one among two hundred costs about sixteen transactions.
 */
export async function bisectFailures<Item>(
  items: readonly Item[],
  options: BisectOptions<Item>,
  found = { alone: 0 },
): Promise<void> {
  if (items.length === 0) return;
  try {
    await options.step(items);
  } catch (error) {
    await splitFailures(items, error, options, found);
  }
}

/** The same for a caller whose step has just failed for all items. */
export async function splitFailures<Item>(
  items: readonly Item[],
  error: unknown,
  options: BisectOptions<Item>,
  found = { alone: 0 },
): Promise<void> {
  const { ownerOf, onFailure, isTransient = isTransientOrLeaseLost } = options;
  const groups = ownerOf === undefined ? items.map((item) => [item]) : groupByOwner(items, ownerOf);
  if (ownerOf === undefined && items.length === 1) found.alone += 1;
  const isWhole = groups.length === 1 || found.alone >= MAX_ALONE || isTransient(error);
  if (isWhole) return onFailure(items, error);
  const middle = Math.ceil(groups.length / 2);
  for (const half of [groups.slice(0, middle), groups.slice(middle)]) await bisectFailures(half.flat(), options, found);
}

function isTransientOrLeaseLost(error: unknown): boolean {
  return isRetryable(error) || error instanceof LeaseLostError;
}

/** By customer, or by task where there is one customer. */
function groupByOwner<Item>(items: readonly Item[], ownerOf: (item: Item) => Owner): Item[][] {
  const byCustomer = groupBy(items, (item) => ownerOf(item).customerId);
  const groups = byCustomer.size > 1 ? byCustomer : groupBy(items, (item) => ownerOf(item).taskId);
  return [...groups.values()];
}
