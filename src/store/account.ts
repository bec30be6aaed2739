// The account of one customer, its ledger, and the holds of its tasks. Every change of money, of a task's stage and of a
// chunk is made in a transaction that first locks the account row: one customer's writes happen one after another, in one
// order of locks, and what is read under the lock stays true until the commit.

import type { BillingTerms } from '../domain/billing.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { type Money, moneyFromMillionths } from '../domain/money.js';
import { numericArray, textArray } from './array-literal.js';
import { type Lease, LeaseLostError } from './channel-lease.js';
import type { AnySql, Statement } from './connect.js';

export type EntryType = 'freeze' | 'charge' | 'release' | 'refund' | 'topup' | 'adjustment';

export interface Account {
  readonly customerId: CustomerId;
  readonly available: Money;
  readonly frozen: Money;
  readonly creditLimit: Money;
  readonly entrySeq: bigint;
  /** The database's clock when the lock was granted. */
  readonly now: Date;
}

export interface Entry {
  readonly type: EntryType;
  readonly amount: Money;
  readonly taskId?: TaskId;
  readonly numbers?: number;
  readonly remark?: string;
  readonly reference?: string;
}

export interface LedgerEntry extends Entry {
  readonly seq: bigint;
  readonly availableDelta: Money;
  readonly frozenDelta: Money;
  readonly availableAfter: Money;
  readonly frozenAfter: Money;
  readonly createdAt: Date;
}

const EFFECT: Record<EntryType, { readonly available: bigint; readonly frozen: bigint }> = {
  freeze: { available: -1n, frozen: 1n },
  charge: { available: 0n, frozen: -1n },
  release: { available: 1n, frozen: -1n },
  refund: { available: 1n, frozen: 0n },
  topup: { available: 1n, frozen: 0n },
  adjustment: { available: 1n, frozen: 0n },
};

/**
 * Locks the account, and with it the leases under which the caller writes: they cannot be lost before the commit. Throws
 * when one has been lost already.
 */
export async function lockAccount(tx: AnySql, customerId: CustomerId, leases: readonly Lease[] = []): Promise<Account> {
  const [row] = await tx`
    select available, frozen, credit_limit, entry_seq, date_trunc('milliseconds', clock_timestamp()) as now,
      (
        select count(*)::int from (
          select 1
          from unnest(
            ${numericArray(leases.map((l) => l.channelId))}::bigint[], ${numericArray(leases.map((l) => l.token))}::bigint[]
          ) as k (channel_id, token)
          join channel_lease l on l.channel_id = k.channel_id and l.token = k.token
          for share of l
        ) as held
      ) as leases_held
    from account where customer_id = ${customerId} for update`;
  if (row === undefined) throw new Error(`customer ${customerId} has no account`);
  if (row.leases_held < leases.length) throw new LeaseLostError(leases.map((lease) => lease.channelId));
  return {
    customerId,
    available: moneyFromMillionths(row.available),
    frozen: moneyFromMillionths(row.frozen),
    creditLimit: moneyFromMillionths(row.credit_limit),
    entrySeq: row.entry_seq,
    now: row.now,
  };
}

/** Numbers the entries, computes the balances after each, and the account as it will be. Pure: nothing is written. */
export function postEntries(account: Account, entries: readonly Entry[]): { account: Account; posted: LedgerEntry[] } {
  let { available, frozen, entrySeq } = account;
  const posted = entries.map((entry): LedgerEntry => {
    const effect = EFFECT[entry.type];
    const availableDelta = moneyFromMillionths(effect.available * entry.amount);
    const frozenDelta = moneyFromMillionths(effect.frozen * entry.amount);
    available = moneyFromMillionths(available + availableDelta);
    frozen = moneyFromMillionths(frozen + frozenDelta);
    entrySeq += 1n;
    const balances = { availableDelta, frozenDelta, availableAfter: available, frozenAfter: frozen };
    return { ...entry, ...balances, seq: entrySeq, createdAt: account.now };
  });
  return { account: { ...account, available, frozen, entrySeq }, posted };
}

/** Writes posted entries and the balances they lead to, in the transaction that holds the account's lock. */
export function writeEntries(tx: AnySql, account: Account, posted: readonly LedgerEntry[]): Statement[] {
  if (posted.length === 0) return [];
  return [
    tx`update account set available = ${account.available}, frozen = ${account.frozen}, entry_seq = ${account.entrySeq}
       where customer_id = ${account.customerId}`,
    tx`
      insert into ledger_entry (customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta,
        available_after, frozen_after, remark, reference, created_at)
      select ${account.customerId}::bigint, e.*, ${account.now}::timestamptz
      from unnest(
        ${numericArray(posted.map((e) => e.seq))}::bigint[], ${textArray(posted.map((e) => e.type))}::text[],
        ${numericArray(posted.map((e) => e.amount))}::bigint[], ${numericArray(posted.map((e) => e.taskId ?? null))}::bigint[],
        ${numericArray(posted.map((e) => e.numbers ?? null))}::int[], ${numericArray(posted.map((e) => e.availableDelta))}::bigint[],
        ${numericArray(posted.map((e) => e.frozenDelta))}::bigint[], ${numericArray(posted.map((e) => e.availableAfter))}::bigint[],
        ${numericArray(posted.map((e) => e.frozenAfter))}::bigint[], ${textArray(posted.map((e) => e.remark ?? null))}::text[],
        ${textArray(posted.map((e) => e.reference ?? null))}::text[]
      ) as e`,
  ];
}

export interface NewHold {
  readonly taskId: TaskId;
  readonly frozen: Money;
}

export function insertHolds(
  tx: AnySql,
  customerId: CustomerId,
  holds: readonly NewHold[],
  terms: BillingTerms,
): Statement {
  return tx`
    insert into hold (customer_id, task_id, frozen, charge_on, refund_on_failure)
    select ${customerId}, h.task_id, h.frozen, ${terms.chargeOn}, ${terms.refundOnFailure}
    from unnest(${numericArray(holds.map((h) => h.taskId))}::bigint[], ${numericArray(holds.map((h) => h.frozen))}::bigint[]) as h (task_id, frozen)`;
}

export interface HoldMovement {
  readonly taskId: TaskId;
  readonly charged: Money;
  readonly released: Money;
  readonly refunded: Money;
}

/** Adds what was charged, released and refunded. The table's checks refuse more than was frozen. */
export function moveHolds(tx: AnySql, customerId: CustomerId, movements: readonly HoldMovement[]): Statement {
  return tx`
    update hold h set charged = h.charged + m.charged, released = h.released + m.released,
      refunded = h.refunded + m.refunded
    from unnest(
      ${numericArray(movements.map((m) => m.taskId))}::bigint[], ${numericArray(movements.map((m) => m.charged))}::bigint[],
      ${numericArray(movements.map((m) => m.released))}::bigint[], ${numericArray(movements.map((m) => m.refunded))}::bigint[]
    ) as m (task_id, charged, released, refunded)
    where h.customer_id = ${customerId} and h.task_id = m.task_id`;
}
