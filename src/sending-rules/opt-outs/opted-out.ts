import type { CustomerId } from '../../domain/id.js';
import { bucketOfKey } from '../../store/bucket.js';
import { defineRows } from '../../store/rows/bulk-rows.js';
import type { AnySql } from '../../store/sql.js';

const NUMBERS = defineRows('n', { customerId: 'bigint', phoneKey: 'bigint' });

/**
 * Which numbers want nothing more from which of these customers, as `customer/number`. `erasedKeyOf` finds those that were erased since.
 */
export async function readOptedOut(
  sql: AnySql,
  bucket: number,
  numbers: readonly { readonly customerId: CustomerId; readonly phoneKey: string }[],
  erasedKeyOf: ((phoneKey: string) => string) | undefined,
): Promise<ReadonlySet<string>> {
  const keyOfErased = new Map<string, string>();
  const erased =
    erasedKeyOf === undefined ? [] : numbers.map((one) => ({ ...one, phoneKey: erasedKeyOf(one.phoneKey) }));
  for (const [index, { customerId, phoneKey }] of erased.entries()) {
    keyOfErased.set(`${customerId}/${phoneKey}`, `${customerId}/${numbers[index]?.phoneKey}`);
  }
  const rows = await sql<{ key: string }[]>`
    select o.customer_id::text || '/' || o.phone_key::text as key
    from ${NUMBERS.unnest(sql, [...numbers, ...erased])}
    join opt_out o on o.bucket = ${bucketOfKey(sql, bucket, 'n')} and o.customer_id = n.customer_id and o.phone_key = n.phone_key`;
  return new Set(rows.map(({ key }) => keyOfErased.get(key) ?? key));
}
