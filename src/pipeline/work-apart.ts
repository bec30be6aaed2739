// One that is wrong never takes the others along: what cannot be done together is done in ever smaller groups, in the order
// given, until the culprit stands alone.

import { LeaseLostError } from '../store/channel/channel-lease.js';
import { isRetryable } from '../store/retry.js';

/**
 * Where so many stand alone, it is not they that are wrong but what they have in common: the rest is not tried one by one, or
 * a thousand of them would hold up everybody else for a thousand tries.
 */
const MAX_CULPRITS = 8;

export interface Apart<Item> {
  readonly work: (items: readonly Item[]) => Promise<void>;
  readonly failed: (items: readonly Item[], error: unknown) => void;
}

/** Does the work for all, or for all but the culprits. */
export async function workApart<Item>(
  items: readonly Item[],
  apart: Apart<Item>,
  found = { culprits: 0 },
): Promise<void> {
  try {
    await apart.work(items);
  } catch (error) {
    await splitApart(items, error, apart, found);
  }
}

/** The same for those who have tried it with all of them. */
export async function splitApart<Item>(
  items: readonly Item[],
  error: unknown,
  apart: Apart<Item>,
  found = { culprits: 0 },
): Promise<void> {
  if (items.length === 1) found.culprits += 1;
  // What fails for a passing reason, or for want of the lease, fails for all of them.
  const isNobodys = isRetryable(error) || error instanceof LeaseLostError;
  if (items.length === 1 || found.culprits >= MAX_CULPRITS || isNobodys) return apart.failed(items, error);
  const middle = Math.ceil(items.length / 2);
  for (const half of [items.slice(0, middle), items.slice(middle)]) await workApart(half, apart, found);
}
