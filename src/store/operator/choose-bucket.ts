// The bucket of a new customer: the one with the least work, counted in parts that its customers have sent.

import { isDistributed } from '../cluster/distribution.js';
import type { AnySql, Sql } from '../sql.js';

/** The bucket that a customer was to be put into does not exist. */
export class NoSuchBucketError extends Error {
  override readonly name = 'NoSuchBucketError';
}

export interface BucketWork {
  readonly bucket: number;
  /** Parts sent by its customers. */
  readonly parts: number;
  /** How many of its customers have sent any. */
  readonly senders: number;
}

/** Before the transaction that writes the customer: Citus refuses to write a reference table behind a read of all shards. */
export async function readBucketWork(sql: Sql): Promise<readonly BucketWork[]> {
  if (!isDistributed(sql)) return [];
  return await sql<BucketWork[]>`
    select bucket, sum(submit_seq)::float8 as parts, count(*)::int as senders
    from account where submit_seq > 0 group by bucket`;
}

/** A customer that has sent nothing yet counts as an average one, so that many new ones do not all go to one bucket. */
export async function chooseBucket(
  tx: AnySql,
  work: readonly BucketWork[],
  wanted: number | undefined,
): Promise<number> {
  const buckets = await tx<{ bucket: number; customers: number }[]>`
    select bucket.bucket, count(customer.customer_id)::int as customers
    from bucket left join customer on customer.bucket = bucket.bucket
    where ${wanted ?? null}::smallint is null or bucket.bucket = ${wanted ?? null}::smallint
    group by bucket.bucket order by customers, bucket.bucket`;
  const sum = (pick: (of: BucketWork) => number) => work.reduce((total, of) => total + pick(of), 0);
  const partsEach =
    sum(({ parts }) => parts) /
    Math.max(
      1,
      sum(({ senders }) => senders),
    );
  const byBucket = new Map(work.map((of) => [of.bucket, of]));
  const workOf = ({ bucket, customers }: { readonly bucket: number; readonly customers: number }): number => {
    const { parts = 0, senders = 0 } = byBucket.get(bucket) ?? {};
    return parts + (customers - senders) * partsEach;
  };
  const [first] = buckets.toSorted((one, other) => workOf(one) - workOf(other));
  if (first === undefined) throw new NoSuchBucketError();
  return first.bucket;
}
