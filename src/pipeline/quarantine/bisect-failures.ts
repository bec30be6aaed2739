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
  /** Groups are split by customer first, then by task. */
  readonly ownerOf?: (item: Item) => Owner;
  /**
   * The smallest groups of items of one task, in order. Default: with `ownerOf` all of them together, without it each item alone.
   */
  readonly unitsOf?: (items: readonly Item[]) => readonly (readonly Item[])[];
  /** The step failed for these items of one group, or, with an error that is not split, for all that were left. */
  readonly onFailure: (items: readonly Item[], error: unknown) => void;
  /**
   * Which groups are tried alone after such an error. `none`: it says nothing about the items. `tasks`: another customer or task may be
   * the cause, and a try takes long. Default: `none` for a transient error or a lost lease, otherwise `all`.
   */
  readonly splitAfter?: (error: unknown) => 'none' | 'tasks' | 'all';
}

/**
 * When so many units of a task have failed alone, the cause is something they share: the rest is not tried one by one, or a thousand
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

async function splitFailures<Item>(
  items: readonly Item[],
  error: unknown,
  options: BisectOptions<Item>,
  found: { alone: number },
): Promise<void> {
  const { ownerOf, onFailure, splitAfter = splitUnlessTransient } = options;
  const { unitsOf = ownerOf === undefined ? eachAlone : allTogether } = options;
  const split = splitAfter(error);
  if (split === 'none') return onFailure(items, error);
  const owned = ownerOf === undefined ? [items] : groupByOwner(items, ownerOf);
  if (owned.length > 1) {
    const parts = split === 'tasks' ? owned : halvesOf(owned);
    for (const part of parts) await bisectFailures(part, options);
    return;
  }
  const units = unitsOf(items);
  if (units.length === 1) found.alone += 1;
  if (split === 'tasks' || units.length === 1 || found.alone >= MAX_ALONE) return onFailure(items, error);
  for (const half of halvesOf(units)) await bisectFailures(half, options, found);
}

function splitUnlessTransient(error: unknown): 'none' | 'all' {
  return isRetryable(error) || error instanceof LeaseLostError ? 'none' : 'all';
}

/** By customer, or by task where there is one customer. */
function groupByOwner<Item>(items: readonly Item[], ownerOf: (item: Item) => Owner): Item[][] {
  const byCustomer = groupBy(items, (item) => ownerOf(item).customerId);
  const groups = byCustomer.size > 1 ? byCustomer : groupBy(items, (item) => ownerOf(item).taskId);
  return [...groups.values()];
}

function eachAlone<Item>(items: readonly Item[]): Item[][] {
  return items.map((item) => [item]);
}

function allTogether<Item>(items: readonly Item[]): (readonly Item[])[] {
  return [items];
}

function halvesOf<Item>(groups: readonly (readonly Item[])[]): Item[][] {
  const middle = Math.ceil(groups.length / 2);
  return [groups.slice(0, middle).flat(), groups.slice(middle).flat()];
}
