// Which customers sent to a number, or heard from it. The records of the number name them, and each of them is then asked for its
// newest record. A number with very many records is not read through: every customer is asked for it instead, which is three
// look-ups a customer and month. So the cost grows with what the number was sent, up to that, and never with the history.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import { numericArray } from '../array-literal.js';
import type { Condition } from '../condition.js';
import type { ListSource } from '../list.js';
import type { Sql } from '../sql.js';

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

/** Runs the statements of a page for a number that does not exist, so that the connection has loaded the catalogue and planned them. */
export async function warmNumberCustomers(sql: Sql): Promise<void> {
  const noNumber = { bucket: 0, phoneKey: '0' };
  await readCustomersOf(sql, noNumber);
  await readNewest(sql, noNumber, [0n]);
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

/** How many records of a number are read, of each kind, to know its customers. */
const MAX_READ = 500;

async function readOfBucket(sql: Sql, bucket: number, phoneKey: string): Promise<NumberCustomer[]> {
  const own = { bucket, phoneKey };
  const customerIds = await readCustomersOf(sql, own);
  return customerIds?.length === 0 ? [] : await readNewest(sql, own, customerIds);
}

/** Of these customers, or of all. */
async function readNewest(
  sql: Sql,
  own: OwnNumber,
  customerIds: readonly bigint[] | undefined,
): Promise<NumberCustomer[]> {
  const { bucket, phoneKey } = own;
  const among = customerIds && sql`and customer.customer_id = any(${numericArray(customerIds)}::bigint[])`;
  const rows = await sql<NumberRow[]>`
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
    where customer.bucket = ${bucket} ${among ?? sql``}`;
  return rows.map((row) => ({ ...row, customerId: asCustomerId(row.customerId) }));
}

interface OwnNumber {
  readonly bucket: number;
  readonly phoneKey: string;
}

/** The customers of a number; undefined when it has too many records to be sure of all of them. */
async function readCustomersOf(sql: Sql, own: OwnNumber): Promise<bigint[] | undefined> {
  const rows = await sql<{ customerId: bigint; isCut: boolean }[]>`
    ${customersIn(sql, own, 'receipt')} union all ${customersIn(sql, own, 'submit')} union all ${customersIn(sql, own, 'uplink')}`;
  if (rows.some(({ isCut }) => isCut)) return undefined;
  return [...new Set(rows.map(({ customerId }) => customerId))];
}

/** Only the index by phone has this order, which would be none if the phone were said to be equal. */
function customersIn(sql: Sql, { bucket, phoneKey }: OwnNumber, table: 'receipt' | 'submit' | 'uplink'): Condition {
  return sql`
    select customer_id as "customerId", sum(count(*)) over () > ${MAX_READ} as "isCut" from (
      select customer_id from ${sql(table)}
      where bucket = ${bucket} and phone_key >= ${phoneKey}::bigint and phone_key <= ${phoneKey}::bigint
      order by phone_key, customer_id limit ${MAX_READ + 1}) as ${sql(`${table}s`)}
    group by customer_id`;
}

/**
 * The newest record of the number that the customer in the outer row has. Written as a range of the index by phone and in its
 * order: with equalities the planner may walk the primary key back from its end, in the hope of meeting the number soon, and
 * for a customer that never had it that is everything the customer ever sent.
 */
function newestOf(
  sql: Sql,
  { bucket, phoneKey }: OwnNumber,
  table: 'receipt' | 'submit' | 'uplink',
  outcome: Condition,
): Condition {
  const id = sql(`${table}_id`);
  return sql`(
    select ${table}::text as event, ${id} as id, task_id, phone, ${outcome} from ${sql(table)} as record
    where record.bucket = ${bucket}
      and (phone_key, record.customer_id, ${id}) >= (${phoneKey}::bigint, customer.customer_id, 0)
      and (phone_key, record.customer_id, ${id}) < (${phoneKey}::bigint, customer.customer_id + 1, 0)
    order by phone_key desc, record.customer_id desc, ${id} desc limit 1)`;
}
