// Rejected numbers by their code, over all customers of a bucket. Read from the sums by hour, so the cost depends on the customers and
// codes of those hours, not on the numbers.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import type { AnySql } from '../sql.js';

/** Of each code, those with the most rejected numbers. */
const MAX_CUSTOMERS = 3;

export interface Rejections {
  readonly code: string;
  readonly count: number;
  readonly customers: readonly { readonly customerId: CustomerId; readonly count: number }[];
}

/** From the hour on that begins then. */
export async function readRejections(sql: AnySql, bucket: number, since: Date): Promise<Rejections[]> {
  const rows = await sql<{ code: string; count: number; customer_id: bigint; customer_count: number }[]>`
    select code, count::float8 as count, customer_id, customer_count::float8 as customer_count from (
      select key as code, customer_id, sum(rejected) as customer_count,
        sum(sum(rejected)) over (partition by key) as count,
        row_number() over (partition by key order by sum(rejected) desc, customer_id) as place
      from receipt_sum
      where bucket = ${bucket} and series = 'code' and grain = 'hour' and at >= ${since} and rejected > 0
      group by key, customer_id
    ) as ranked
    where place <= ${MAX_CUSTOMERS} order by code, place`;
  return addRejections(
    rows.map((row) => ({
      code: row.code,
      count: row.count,
      customers: [{ customerId: asCustomerId(row.customer_id), count: row.customer_count }],
    })),
    (one) => one,
  );
}

/** Of several buckets, the most frequent first. */
export function joinRejections(found: readonly (readonly Rejections[])[]): Rejections[] {
  return addRejections(found.flat(), (one, other) => one + other).toSorted((one, other) => other.count - one.count);
}

/** One of each code, with the customers of all. */
function addRejections(found: readonly Rejections[], add: (one: number, other: number) => number): Rejections[] {
  const byCode = new Map<string, Rejections>();
  for (const { code, count, customers } of found) {
    const known = byCode.get(code);
    const all = [...(known?.customers ?? []), ...customers].toSorted((one, other) => other.count - one.count);
    byCode.set(code, {
      code,
      count: known === undefined ? count : add(known.count, count),
      customers: all.slice(0, MAX_CUSTOMERS),
    });
  }
  return [...byCode.values()];
}
