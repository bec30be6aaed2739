// Which customers sent to a number, or heard from it. Every index by phone leads with the customer, and one that did not would
// cost each number sent; so each customer is asked for its newest record of the number. That is three look-ups a customer
// and month, however much was sent: the cost grows with the number of customers, never with the history.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import type { Sql } from '../connect.js';
import type { ListSource } from '../list.js';
import type { Condition } from '../lists/condition.js';
import { takeRows } from '../take-rows.js';

/** What a customer last did with a number or heard from it. */
export interface NumberCustomer {
  readonly customerId: CustomerId;
  readonly event: 'receipt' | 'submit' | 'uplink';
  /** Carries its time. */
  readonly eventId: bigint;
  readonly taskId: bigint | null;
  /** As the customer wrote it. */
  readonly phone: string;
  /** The result of a receipt, what the upstream answered to a submit; null for an uplink. */
  readonly status: string | null;
  readonly code: string | null;
  readonly optedOutAt: Date | null;
}

interface NumberRow extends Omit<NumberCustomer, 'customerId'> {
  readonly customerId: bigint;
}

/** The customer whose number changed last comes first. */
export function listNumberCustomers(
  sql: Sql,
  buckets: readonly number[],
  phoneKey: string,
): ListSource<NumberCustomer> {
  // A page is read once for its rows and at most once for their total.
  const read = async () => {
    const found = await Promise.all(buckets.map((bucket) => readOfBucket(sql, bucket, phoneKey)));
    return found.flat().sort(compare);
  };
  return {
    keyOf,
    rows: async ({ after, offset, limit }) => {
      const all = await read();
      const behind = after === undefined ? all : all.filter((row) => isBehind(row, after));
      return behind.slice(offset, offset + limit);
    },
    count: async (limit) => Math.min(limit, (await read()).length),
  };
}

function keyOf({ eventId, customerId }: NumberCustomer): string {
  return `${eventId}.${customerId}`;
}

export function isNumberCustomerKey(text: string): boolean {
  return /^\d{1,19}\.\d{1,18}$/.test(text);
}

function compare(one: NumberCustomer, other: NumberCustomer): number {
  if (one.eventId !== other.eventId) return one.eventId > other.eventId ? -1 : 1;
  return one.customerId > other.customerId ? -1 : 1;
}

function isBehind(row: NumberCustomer, key: string): boolean {
  const [eventId = '', customerId = ''] = key.split('.');
  return compare({ ...row, eventId: BigInt(eventId), customerId: asCustomerId(BigInt(customerId)) }, row) < 0;
}

async function readOfBucket(sql: Sql, bucket: number, phoneKey: string): Promise<NumberCustomer[]> {
  const own = { bucket, phoneKey };
  const rows = await takeRows(sql<NumberRow[]>`
    select customer.customer_id as "customerId", newest.event, newest.id as "eventId", newest.task_id as "taskId",
      newest.phone, newest.status, newest.code, opt_out.created_at as "optedOutAt"
    from customer
    cross join lateral (
      ${newestOf(sql, own, 'receipt', sql`result as status, code`)}
      union all ${newestOf(sql, own, 'submit', sql`status, code`)}
      union all ${newestOf(sql, own, 'uplink', sql`null::text as status, null::text as code`)}
      order by id desc limit 1
    ) as newest
    left join opt_out on opt_out.bucket = ${bucket} and opt_out.customer_id = customer.customer_id
      and opt_out.phone_key = ${phoneKey}
    where customer.bucket = ${bucket}`);
  return rows.map((row) => ({ ...row, customerId: asCustomerId(row.customerId) }));
}

/**
 * The newest record of the number that the customer in the outer row has. Written as a range of the index by phone and in its
 * order: with equalities the planner may walk the primary key back from its end, in the hope of meeting the number soon, and
 * for a customer that never had it that is everything the customer ever sent.
 */
function newestOf(
  sql: Sql,
  { bucket, phoneKey }: { readonly bucket: number; readonly phoneKey: string },
  table: 'receipt' | 'submit' | 'uplink',
  outcome: Condition,
): Condition {
  const id = sql(`${table}_id`);
  const after = String(BigInt(phoneKey) + 1n);
  return sql`(
    select ${table}::text as event, ${id} as id, task_id, phone, ${outcome} from ${sql(table)} as record
    where record.bucket = ${bucket}
      and (record.customer_id, phone_key, ${id}) >= (customer.customer_id, ${phoneKey}::bigint, 0)
      and (record.customer_id, phone_key, ${id}) < (customer.customer_id, ${after}::bigint, 0)
    order by record.customer_id desc, phone_key desc, ${id} desc limit 1)`;
}
