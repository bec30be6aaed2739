// A step that is taken for many at once, and what becomes of it when it cannot be taken for one of them: one that is wrong
// never takes the others along.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import { LeaseLostError } from '../../store/channel/channel-lease.js';
import { isRetryable } from '../../store/retry.js';

/** Whose something is: a task's, or a customer's as a whole. */
export interface Owner {
  readonly customerId: CustomerId;
  readonly taskId?: TaskId | undefined;
}

export interface BisectOptions<Item> {
  /** A transaction: all of it is done, or nothing. */
  readonly step: (items: readonly Item[]) => Promise<void>;
  /** One customer's things stay together as long as there are others', and one task's always. Without it each stands alone. */
  readonly ownerOf?: (item: Item) => Owner;
  /** The step failed for these. They are one's, unless it would fail for anybody now: a round throws such an error on. */
  readonly onFailure: (items: readonly Item[], error: unknown) => void;
  /** For a passing reason, or for want of the lease: nothing is split. */
  readonly isTransient?: (error: unknown) => boolean;
}

/**
 * Where so many stand alone, it is not they that are wrong but what they have in common: the rest is not tried one by one, or
 * a thousand reports would hold up everybody else for a thousand tries.
 */
const MAX_ALONE = 8;

/**
 * Takes the step for all items together, in their order. Where that fails it is taken for halves of them, until the roundQuarantine
 * are left: one among two hundred costs some sixteen transactions, and nobody else notices.
 */
export async function bisectFailures<Item>(
  items: readonly Item[],
  apart: BisectOptions<Item>,
  found = { alone: 0 },
): Promise<void> {
  if (items.length === 0) return;
  try {
    await apart.step(items);
  } catch (error) {
    await splitFailures(items, error, apart, found);
  }
}

/** The same for those who have tried it with all of them. */
export async function splitFailures<Item>(
  items: readonly Item[],
  error: unknown,
  apart: BisectOptions<Item>,
  found = { alone: 0 },
): Promise<void> {
  const { ownerOf, onFailure, isTransient = isTransientOrLeaseLost } = apart;
  const groups = ownerOf === undefined ? items.map((item) => [item]) : groupByOwner(items, ownerOf);
  if (ownerOf === undefined && items.length === 1) found.alone += 1;
  const isWhole = groups.length === 1 || found.alone >= MAX_ALONE || isTransient(error);
  if (isWhole) return onFailure(items, error);
  const middle = Math.ceil(groups.length / 2);
  for (const half of [groups.slice(0, middle), groups.slice(middle)]) await bisectFailures(half.flat(), apart, found);
}

function isTransientOrLeaseLost(error: unknown): boolean {
  return isRetryable(error) || error instanceof LeaseLostError;
}

/** Along customers, and then along the tasks of one. */
function groupByOwner<Item>(items: readonly Item[], ownerOf: (item: Item) => Owner): Item[][] {
  const byCustomer = groupBy(items, (item) => ownerOf(item).customerId);
  const groups = byCustomer.size > 1 ? byCustomer : groupBy(items, (item) => ownerOf(item).taskId);
  return [...groups.values()];
}
