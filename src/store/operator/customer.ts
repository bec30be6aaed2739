import {
  type Customer,
  CustomerFields,
  type CustomerPatch,
  type CustomerTerms,
} from '../../domain/entities/customer.js';
import { asCustomerId } from '../../domain/id.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import type { ListSource } from '../list.js';
import { wantRefreeze } from '../money/refreeze.js';
import { columnsOf, fieldsOf, insertOf, updateOf } from '../rows/entity-row.js';
import type { AnySql, Sql } from '../sql.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';
import { chooseBucket, readBucketWork } from './choose-bucket.js';

/** Also opens the customer's account, empty. Without a bucket of the caller's choice, it goes where the least work is. */
export async function createCustomer(
  actorContext: ActorContext,
  customerNo: string,
  terms: CustomerTerms,
  wanted?: number,
): Promise<Customer> {
  const work = wanted === undefined ? await readBucketWork(actorContext.sql) : [];
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const bucket = await chooseBucket(tx, work, wanted);
    const others = { customer_no: customerNo, version, bucket };
    const [row] = await tx<{ customer_id: bigint }[]>`
      insert into customer ${insertOf(tx, CustomerFields, terms, others)} returning customer_id`;
    await tx`
      insert into account (bucket, customer_id, credit_limit, daily_limit, counts_sends)
      values (${bucket}, ${row?.customer_id ?? null}, ${accountLimit(terms)}, ${terms.daily_limit}, ${terms.caps.length > 0})`;
    await recordAudit(tx, actorContext.actor, { action: 'customer.create', subject: customerNo, change: terms });
    return mustRead(tx, customerNo);
  });
}

const UNKNOWN_TIME_ZONE = '22023';

/** The database adds up by the clock of the time zone, and may know fewer of them than we do. */
export async function knowsTimeZone(sql: Sql, name: string): Promise<boolean> {
  try {
    await sql`select timezone(${name}::text, now())`;
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNKNOWN_TIME_ZONE) return false;
    throw error;
  }
}

export type CustomerChange =
  | { readonly kind: 'ok'; readonly customer: Customer }
  | { readonly kind: 'not_found' }
  /** Entries of the ledger are in the old currency. */
  | { readonly kind: 'currency_in_use' };

/** The account's limits follow in the same transaction. */
export function changeCustomer(
  actorContext: ActorContext,
  customerNo: string,
  patch: CustomerPatch,
): Promise<CustomerChange> {
  return changeConfiguration<CustomerChange>(actorContext, async ({ tx, version }) => {
    const current = await readCustomer(tx, customerNo);
    if (current === undefined) return { kind: 'not_found' };
    const { policy, ...rest } = patch;
    const next = mergePatch<CustomerTerms>(current.terms, {
      ...rest,
      policy: mergePatch(current.terms.policy, policy ?? {}),
    });
    const change = describeChange(current.terms, next);
    if (change === undefined) return { kind: 'ok', customer: current };
    if (next.currency !== current.terms.currency && (await hasEntries(tx, current))) {
      return { kind: 'currency_in_use' };
    }
    await tx`
      update customer set ${updateOf(tx, CustomerFields, next)}, version = ${version}, updated_at = now()
      where customer_id = ${current.customerId}`;
    await changeLimits(tx, current, next);
    if (next.caps.length > 0) await countSends(tx, current);
    await recordAudit(tx, actorContext.actor, { action: 'customer.change', subject: customerNo, change });
    return { kind: 'ok', customer: await mustRead(tx, customerNo) };
  });
}

/** More credit is money too, and more may be frozen below a higher limit: tasks that wait for it are tried again. */
async function changeLimits(tx: AnySql, { terms, ...tenant }: Customer, next: CustomerTerms): Promise<void> {
  const { bucket, customerId } = tenant;
  const isSame = accountLimit(next) === accountLimit(terms) && next.daily_limit === terms.daily_limit;
  if (isSame) return;
  await tx`
    update account set credit_limit = ${accountLimit(next)}, daily_limit = ${next.daily_limit}
    where bucket = ${bucket} and customer_id = ${customerId}`;
  const hasMoreRoom = terms.daily_limit !== null && (next.daily_limit === null || next.daily_limit > terms.daily_limit);
  if (hasMoreRoom || accountLimit(next) > accountLimit(terms)) await wantRefreeze(tx, tenant);
}

/** From now on, also after its caps are gone: what they have counted is taken out of the count when it is rejected. */
async function countSends(tx: AnySql, { bucket, customerId }: Tenant): Promise<void> {
  await tx`
    update account set counts_sends = true where bucket = ${bucket} and customer_id = ${customerId} and not counts_sends`;
}

export async function readCustomer(sql: AnySql, customerNo: string): Promise<Customer | undefined> {
  const [row] = await sql<CustomerRow[]>`${selectCustomer(sql)} where customer_no = ${customerNo}`;
  return row === undefined ? undefined : toCustomer(row);
}

/** The oldest of that name: names need not be unique. */
export async function findCustomerByName(sql: Sql, name: string): Promise<Customer | undefined> {
  const [row] = await sql<CustomerRow[]>`
    ${selectCustomer(sql)} where name = ${name} order by customer.customer_id limit 1`;
  return row === undefined ? undefined : toCustomer(row);
}

export async function hasCustomers(sql: Sql): Promise<boolean> {
  return (await sql`select from customer limit 1`).length > 0;
}

export interface CustomerListFilters {
  readonly status?: string | undefined;
  /** What the name begins with; case is ignored. */
  readonly nameStart?: string | undefined;
}

/** Newest first; by name where it is searched by name, so that the index of names serves order and range alike. */
export function listCustomers(sql: Sql, { status: wanted, nameStart }: CustomerListFilters): ListSource<Customer> {
  if (nameStart !== undefined) return listCustomersByName(sql, wanted, nameStart);
  const status = wanted ?? null;
  return {
    keyOf: (customer) => String(customer.customerId),
    async rows({ after, offset, limit }) {
      const rows = await sql<CustomerRow[]>`
        ${selectCustomer(sql)}
        where (${status}::text is null or status = ${status})
          and (${after ?? null}::bigint is null or customer.customer_id < ${after ?? null}::bigint)
        order by customer.customer_id desc offset ${offset} limit ${limit}`;
      return rows.map(toCustomer);
    },
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select from customer where (${status}::text is null or status = ${status}) limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

/** Behind every character that a name can have. */
const LAST_CHARACTER = '\u{10FFFF}';

function listCustomersByName(sql: Sql, status: string | undefined, start: string): ListSource<Customer> {
  const name = sql`lower(customer.name) collate "C"`;
  const matching = sql`
    ${name} >= lower(${start}::text) collate "C" and ${name} < (lower(${start}::text) || ${LAST_CHARACTER}::text) collate "C"
    ${status === undefined ? sql`` : sql`and customer.status = ${status}`}`;
  return {
    keyOf: (customer) => String(customer.customerId),
    async rows({ after, offset, limit }) {
      const position = after === undefined ? undefined : await readNamePosition(sql, after);
      const behind =
        position === undefined
          ? sql``
          : sql`and (${name}, customer.customer_id) > (${position.name}::text collate "C", ${position.customer_id}::bigint)`;
      // The page first, from the index alone: with the accounts joined, the planner may sort all that match.
      const page = await sql<{ id: bigint }[]>`
        select customer_id as id from customer where ${matching} ${behind}
        order by ${name}, customer_id offset ${offset} limit ${limit}`;
      const ids = page.map(({ id }) => id);
      const rows = await sql<CustomerRow[]>`
        ${selectCustomer(sql)} where customer.customer_id = any(${numericArray(ids)}::bigint[])`;
      const byId = new Map(rows.map((row) => [row.customer_id, row]));
      return ids.flatMap((id) => byId.get(id) ?? []).map(toCustomer);
    },
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from customer where ${matching} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

/** The cursor is the id alone; where it stands among the names is read anew. */
async function readNamePosition(sql: Sql, customerId: string) {
  const [row] = await sql<{ name: string; customer_id: bigint }[]>`
    select lower(name) as name, customer_id from customer where customer_id = ${customerId}::bigint`;
  return row;
}

/** What available may fall below zero by. */
function accountLimit(terms: CustomerTerms): bigint {
  return terms.billing_mode === 'postpaid' ? terms.credit_limit : 0n;
}

async function hasEntries(tx: AnySql, { bucket, customerId }: Tenant): Promise<boolean> {
  // Locked, so that a first top-up cannot slip in before the currency has changed.
  const [row] = await tx<{ entry_seq: bigint }[]>`
    select entry_seq from account where bucket = ${bucket} and customer_id = ${customerId} for update`;
  return row !== undefined && row.entry_seq !== 0n;
}

interface CustomerRow {
  bucket: number;
  customer_id: bigint;
  customer_no: string;
  available: bigint;
  frozen: bigint;
  created_at: Date;
  updated_at: Date;
}

function selectCustomer(sql: AnySql) {
  return sql`
    select customer.bucket, customer.customer_id, customer_no, ${columnsOf(sql, 'customer', CustomerFields)}, available, frozen,
      created_at, updated_at
    from customer join account on account.bucket = customer.bucket and account.customer_id = customer.customer_id`;
}

function toCustomer(row: CustomerRow): Customer {
  return {
    bucket: row.bucket,
    customerId: asCustomerId(row.customer_id),
    customer_no: row.customer_no,
    terms: fieldsOf(CustomerFields, row),
    available: moneyFromMillionths(row.available),
    frozen: moneyFromMillionths(row.frozen),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

async function mustRead(tx: AnySql, customerNo: string): Promise<Customer> {
  const customer = await readCustomer(tx, customerNo);
  if (customer === undefined) throw new Error(`customer ${customerNo} is gone in the transaction that wrote it`);
  return customer;
}
