// Customers in the order of their turns, by bucket: a transaction is of one bucket, so a batch takes the customers of one.

import type { CustomerId } from '../../../domain/id.js';

export interface CustomerQueue {
  readonly size: number;
  /** At the end, unless the customer is in it. */
  add(customerId: CustomerId, bucket: number): void;
  delete(customerId: CustomerId, bucket: number): void;
  /** Those of one bucket, in order. Customers that are added meanwhile are reached, too. */
  of(bucket: number): Iterable<CustomerId>;
  hasAny(bucket: number): boolean;
  /** The bucket of the first of all. */
  firstBucket(): number | undefined;
  [Symbol.iterator](): Iterator<CustomerId>;
}

/** The number of each customer's turn: the lowest is the first. */
type TurnNumbers = Map<CustomerId, number>;

export function createCustomerQueue(): CustomerQueue {
  const buckets = new Map<number, TurnNumbers>();
  let lastTurn = 0;
  let size = 0;

  const of = (bucket: number): Iterable<CustomerId> => buckets.get(bucket)?.keys() ?? [];

  return {
    get size() {
      return size;
    },
    add(customerId, bucket) {
      const turns: TurnNumbers = buckets.get(bucket) ?? new Map();
      buckets.set(bucket, turns);
      if (turns.has(customerId)) return;
      lastTurn += 1;
      size += 1;
      turns.set(customerId, lastTurn);
    },
    delete(customerId, bucket) {
      if (buckets.get(bucket)?.delete(customerId) === true) size -= 1;
    },
    of,
    hasAny: (bucket) => (buckets.get(bucket)?.size ?? 0) > 0,
    firstBucket() {
      let first: number | undefined;
      let firstTurn = Number.POSITIVE_INFINITY;
      for (const [bucket, turns] of buckets) {
        const turn: number = turns.values().next().value ?? Number.POSITIVE_INFINITY;
        if (turn < firstTurn) [first, firstTurn] = [bucket, turn];
      }
      return first;
    },
    *[Symbol.iterator]() {
      for (const bucket of buckets.keys()) yield* of(bucket);
    },
  };
}
