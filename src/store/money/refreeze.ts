// Requests to retry the freeze of waiting tasks: a mark in the account, which survives a crash.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import type { FreezeLimits } from '../../domain/money/freeze.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import { bucketOfKey } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, Statement } from '../sql.js';
import { toFreezeLimits } from './account.js';

/** Money came in, or a limit was raised: tasks of this customer that wait for it are to be tried again. */
export function wantRefreeze(tx: AnySql, { bucket, customerId }: Tenant): Statement {
  return tx`update account set wants_refreeze = true
    where bucket = ${bucket} and customer_id = ${customerId} and not wants_refreeze`;
}

/** These customers' tasks were tried again, under the locks of their accounts. */
export function endRefreeze(tx: AnySql, bucket: number, customerIds: readonly CustomerId[]): Statement {
  return tx`update account set wants_refreeze = false
    where bucket = ${bucket} and customer_id = any(${numericArray(customerIds)}::bigint[])`;
}

/**
 * Customers with tasks that wait for the next day, which has begun. Found by an index that is empty while no customer is over a limit.
 */
export async function readDaysToBegin(sql: AnySql, bucket: number): Promise<CustomerId[]> {
  const waiting = sql`from task where bucket = ${bucket} and over_limit`;
  const rows = await sql<{ customerId: CustomerId }[]>`
    with recursive walk (customer_id) as (
      (select customer_id ${waiting} order by customer_id limit 1)
      union all
      select (select customer_id ${waiting} and customer_id > walk.customer_id order by customer_id limit 1)
      from walk where walk.customer_id is not null
    )
    select a.customer_id as "customerId" from account a
    where a.bucket = ${bucket} and a.customer_id in (select customer_id from walk) and ${isDayPast(sql)}`;
  return rows.map((row) => row.customerId);
}

/**
 * Starts a new day for these customers, and requests a retry of their waiting tasks. Locks in the order of ids, as all transactions do.
 * Returns the customers that are left out: without `mayWait`, those whose account another transaction has locked.
 */
export async function beginDays(
  sql: AnySql,
  bucket: number,
  customerIds: readonly CustomerId[],
  mayWait: boolean,
): Promise<ReadonlySet<CustomerId>> {
  const begun = await sql<{ customerId: CustomerId }[]>`
    with due as (
      select customer_id from account a
      where a.bucket = ${bucket} and a.customer_id = any(${numericArray(customerIds)}::bigint[]) and ${isDayPast(sql)}
      order by a.customer_id for update ${mayWait ? sql`` : sql`skip locked`}
    )
    update account a set frozen_on = (now() at time zone 'utc')::date, frozen_that_day = 0, wants_refreeze = true
    from due where a.bucket = ${bucket} and a.customer_id = due.customer_id
    returning a.customer_id as "customerId"`;
  const left = new Set(mayWait ? [] : customerIds);
  for (const { customerId } of begun) left.delete(customerId);
  return left;
}

function isDayPast(sql: AnySql) {
  return sql`(a.frozen_on is null or a.frozen_on < (now() at time zone 'utc')::date)`;
}

/** What a customer had to freeze from after one of its ledger entries. */
export interface LimitsAtEntry extends FreezeLimits {
  readonly entrySeq: bigint;
}

/** Customers whose waiting tasks are to be tried again, and what they have to freeze from. */
export async function readRefreezeWanted(
  sql: AnySql,
  bucket: number,
  after: CustomerId | 0n,
  limit: number,
): Promise<Map<CustomerId, LimitsAtEntry>> {
  const rows = await sql`
    select customer_id, available, credit_limit, daily_limit, frozen_on::text, frozen_that_day, entry_seq from account
    where bucket = ${bucket} and wants_refreeze and customer_id > ${after}
    order by customer_id limit ${limit}`;
  return new Map(
    rows.map((row) => [asCustomerId(row.customer_id), { ...toFreezeLimits(row), entrySeq: BigInt(row.entry_seq) }]),
  );
}

const LAST_ENTRIES = defineRows('k', { customerId: 'bigint', after: 'bigint' });

/** Those of these customers who got money, however little is left of it, after this entry of their ledger. */
export async function readPaidSince(
  tx: AnySql,
  bucket: number,
  entries: ReadonlyMap<CustomerId, bigint>,
): Promise<ReadonlySet<CustomerId>> {
  const keys = [...entries].map(([customerId, after]) => ({ customerId, after }));
  const rows = await tx<{ customerId: CustomerId }[]>`
    select k.customer_id as "customerId" from ${LAST_ENTRIES.unnest(tx, keys)}
    where exists (
      select 1 from ledger_entry e
      where e.bucket = ${bucketOfKey(tx, bucket, 'k')} and e.customer_id = k.customer_id and e.seq > k.after and e.available_delta > 0)`;
  return new Set(rows.map((row) => row.customerId));
}
