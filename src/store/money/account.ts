// The account row is its customer's lock. Every transaction that changes the money, the stage of a task or the state of a chunk
// locks the accounts concerned first, in the order of their ids: one order of locks prevents deadlocks, and what is read
// under them stays true until the commit. One transaction may serve any customers of one bucket.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import type { FreezeLimits } from '../../domain/money/freeze.js';
import type { Account, LedgerEntry } from '../../domain/money/ledger.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import { bucketOfKey, bucketRow } from '../bucket.js';
import { readBucketFences } from '../channel/bucket-fence.js';
import type { Lease } from '../channel/channel-lease.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, PendingQuery, Row, Statement } from '../sql.js';
import { markDueCursors } from './mark-due-cursors.js';

type Fragment = PendingQuery<Row[]>;

export interface LockedAccounts {
  readonly bucket: number;
  readonly accounts: ReadonlyMap<CustomerId, Account>;
  /** The database's clock, read when all locks were granted. */
  readonly now: Date;
}

/**
 * Locks the accounts, and with them the fences of the leases under which the caller writes: they cannot be lost before the
 * commit. Throws when one has been lost already.
 */
export async function lockAccounts(
  tx: AnySql,
  bucket: number,
  customerIds: readonly CustomerId[],
  leases: readonly Lease[] = [],
): Promise<LockedAccounts> {
  const locked = await lockAndRead(tx, bucket, customerIds, leases, tx``);
  for (const id of customerIds)
    if (!locked.accounts.has(id)) throw new Error(`customer ${id} has no account in bucket ${bucket}`);
  return locked;
}

/** Without waiting: accounts that another transaction has locked are missing in the result. */
export async function lockFreeAccounts(
  tx: AnySql,
  bucket: number,
  customerIds: readonly CustomerId[],
  leases: readonly Lease[],
): Promise<LockedAccounts> {
  return await lockAndRead(tx, bucket, customerIds, leases, tx`skip locked`);
}

/** The accounts that are locked here, and the customers whose account another transaction has locked (see `runUnlockedFirst`). */
export interface TakenLocks {
  readonly locked: LockedAccounts;
  readonly leftOut: ReadonlySet<CustomerId>;
}

/** Waits for locked accounts only with `mayWait`. */
export async function lockAccountsOrSkip(
  tx: AnySql,
  bucket: number,
  customerIds: readonly CustomerId[],
  mayWait: boolean,
): Promise<TakenLocks> {
  const locked = await (mayWait ? lockAccounts : lockFreeAccounts)(tx, bucket, customerIds, []);
  return { locked, leftOut: new Set(customerIds.filter((customerId) => !locked.accounts.has(customerId))) };
}

async function lockAndRead(
  tx: AnySql,
  bucket: number,
  customerIds: readonly CustomerId[],
  leases: readonly Lease[],
  lockOption: Fragment,
): Promise<LockedAccounts> {
  // Two statements, because the clock must be read after the locks are granted. Each is in an async function, which starts it when
  // called, in this order; a bare query starts only when it is awaited.
  const [rows, now] = await Promise.all([
    lockRows(tx, bucket, customerIds, lockOption),
    readBucketFences(tx, bucket, leases),
  ]);
  const accounts = new Map<CustomerId, Account>();
  for (const row of rows) {
    const customerId = asCustomerId(row.customer_id);
    accounts.set(customerId, {
      bucket,
      customerId,
      ...toFreezeLimits(row),
      frozen: moneyFromMillionths(row.frozen),
      entrySeq: row.entry_seq,
      recordId: row.record_id,
      submitSeq: row.submit_seq,
      queueSeq: row.queue_seq,
      notifiesFinished: row.notifies_finished,
      hasWebhooks: row.has_webhooks,
      countsSends: row.counts_sends,
      optedOutAt: row.opted_out_at,
      locked: { entrySeq: row.entry_seq, recordId: row.record_id },
      posted: [],
    });
  }
  return { bucket, accounts, now };
}

async function lockRows(tx: AnySql, bucket: number, customerIds: readonly CustomerId[], lockOption: Fragment) {
  return await tx`
    select customer_id, available, frozen, credit_limit, daily_limit, frozen_on::text, frozen_that_day, entry_seq, record_id,
      submit_seq, queue_seq, notifies_finished, has_webhooks, counts_sends, opted_out_at
    from account
    where bucket = ${bucket} and customer_id = any(${numericArray(customerIds)}::bigint[])
    order by customer_id for update ${lockOption}`;
}

export async function lockAccount(tx: AnySql, tenant: Tenant): Promise<{ account: Account; now: Date }> {
  const { accounts, now } = await lockAccounts(tx, tenant.bucket, [tenant.customerId]);
  const account = accounts.get(tenant.customerId);
  if (account === undefined) throw new Error(`customer ${tenant.customerId} has no account`);
  return { account, now };
}

const BALANCES = defineRows('n', {
  customerId: 'bigint',
  available: 'bigint',
  frozen: 'bigint',
  entrySeq: 'bigint',
  recordId: 'bigint',
  submitSeq: 'bigint',
  queueSeq: 'bigint',
  frozenOn: 'date',
  frozenThatDay: 'bigint',
});

const ENTRIES = defineRows('e', {
  customerId: 'bigint',
  seq: 'bigint',
  type: 'text',
  amount: 'bigint',
  taskId: 'bigint',
  numbers: 'int',
  availableDelta: 'bigint',
  frozenDelta: 'bigint',
  availableAfter: 'bigint',
  frozenAfter: 'bigint',
  remark: 'text',
  reference: 'text',
  createdAt: 'timestamptz',
});

/** The statements that write the accounts and their posted entries, at the end of a transaction. */
export function writeAccounts(tx: AnySql, bucket: number, accounts: Iterable<Account>): (Statement | false)[] {
  const changed = [...accounts];
  // Removed from the accounts: a later call in the same transaction must not write them again.
  const posted = changed.flatMap(({ posted: entries, customerId }) =>
    entries.splice(0).map((entry) => toEntryRow(customerId, entry)),
  );
  return [
    changed.length > 0 &&
      tx`
        update account a set available = n.available, frozen = n.frozen, entry_seq = n.entry_seq, record_id = n.record_id,
          submit_seq = n.submit_seq, queue_seq = n.queue_seq, frozen_on = n.frozen_on, frozen_that_day = n.frozen_that_day
        from ${BALANCES.unnest(tx, changed)}
        where a.bucket = ${bucketOfKey(tx, bucket, 'n')} and a.customer_id = n.customer_id`,
    posted.length > 0 &&
      tx`
        insert into ledger_entry (bucket, ${ENTRIES.names(tx)})
        select b.bucket, ${ENTRIES.values(tx)}
        from ${bucketRow(tx, bucket)} cross join ${ENTRIES.unnest(tx, posted)}`,
    markDueCursors(tx, bucket, changed),
  ];
}

/** Field by field: see `postEntry`. */
function toEntryRow(customerId: CustomerId, entry: LedgerEntry) {
  return {
    customerId,
    seq: entry.seq,
    type: entry.type,
    amount: entry.amount,
    taskId: entry.taskId ?? null,
    numbers: entry.numbers ?? null,
    availableDelta: entry.availableDelta,
    frozenDelta: entry.frozenDelta,
    availableAfter: entry.availableAfter,
    frozenAfter: entry.frozenAfter,
    remark: entry.remark ?? null,
    reference: entry.reference ?? null,
    createdAt: entry.createdAt,
  };
}

/** The balance and limits that a freeze is checked against. */
export function toFreezeLimits(row: Row): FreezeLimits {
  return {
    available: moneyFromMillionths(row.available),
    creditLimit: moneyFromMillionths(row.credit_limit),
    dailyLimit: row.daily_limit === null ? null : moneyFromMillionths(row.daily_limit),
    frozenOn: row.frozen_on,
    frozenThatDay: moneyFromMillionths(row.frozen_that_day),
  };
}

/**
 * Before a number is added to the opt-outs: the account is locked first, as in every transaction that needs both. The time may be from before that
 * lock, by less than who compares it allows for clocks that differ; a cluster takes no other clock here.
 */
export async function noteOptOut(tx: AnySql, { bucket, customerId }: Tenant): Promise<void> {
  await tx`
    update account set opted_out_at = statement_timestamp() where bucket = ${bucket} and customer_id = ${customerId}`;
}
