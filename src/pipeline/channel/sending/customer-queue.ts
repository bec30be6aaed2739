// Customers in the order of their turns, grouped by bucket, because a transaction covers one bucket.

import type { CustomerId } from '../../../domain/id.js';

export interface QueuedCustomer {
  readonly customerId: CustomerId;
  readonly bucket: number;
}

export interface CustomerQueue {
  readonly size: number;
  /** How many buckets have customers here. */
  readonly bucketCount: number;
  /** At the end, unless the customer is in it. */
  add(customer: QueuedCustomer): void;
  delete(customer: QueuedCustomer): void;
  /** The first of all buckets. */
  first(): QueuedCustomer | undefined;
  /** Those of one bucket, in order. The iterator also returns customers added during the iteration. */
  inBucket(bucket: number): Iterable<CustomerId>;
  countIn(bucket: number): number;
  /** All, bucket by bucket. */
  [Symbol.iterator](): Iterator<CustomerId>;
}

interface BucketQueue {
  /** The number of each customer's turn: the lowest is the first. */
  readonly turns: Map<CustomerId, number>;
  /** Kept until it is deleted: a map takes long to find its first entry after many were deleted. */
  head: { readonly customer: QueuedCustomer; readonly turn: number } | undefined;
}

export function createCustomerQueue(): CustomerQueue {
  /** Without buckets that have no customer. */
  const buckets = new Map<number, BucketQueue>();
  let lastTurn = 0;
  let size = 0;

  const headOf = (bucket: number, queue: BucketQueue): BucketQueue['head'] => {
    if (queue.head === undefined) {
      const [entry] = queue.turns;
      if (entry !== undefined) queue.head = { customer: { customerId: entry[0], bucket }, turn: entry[1] };
    }
    return queue.head;
  };

  const inBucket = (bucket: number): Iterable<CustomerId> => buckets.get(bucket)?.turns.keys() ?? [];

  return {
    get size() {
      return size;
    },
    get bucketCount() {
      return buckets.size;
    },
    add({ customerId, bucket }) {
      const queue: BucketQueue = buckets.get(bucket) ?? { turns: new Map(), head: undefined };
      buckets.set(bucket, queue);
      if (queue.turns.has(customerId)) return;
      lastTurn += 1;
      size += 1;
      queue.turns.set(customerId, lastTurn);
    },
    delete({ customerId, bucket }) {
      const queue = buckets.get(bucket);
      if (queue === undefined || !queue.turns.delete(customerId)) return;
      size -= 1;
      if (queue.head?.customer.customerId === customerId) queue.head = undefined;
      if (queue.turns.size === 0) buckets.delete(bucket);
    },
    first() {
      let first: BucketQueue['head'];
      for (const [bucket, queue] of buckets) {
        const head = headOf(bucket, queue);
        if (head !== undefined && (first === undefined || head.turn < first.turn)) first = head;
      }
      return first?.customer;
    },
    inBucket,
    countIn: (bucket) => buckets.get(bucket)?.turns.size ?? 0,
    *[Symbol.iterator]() {
      for (const bucket of buckets.keys()) yield* inBucket(bucket);
    },
  };
}
