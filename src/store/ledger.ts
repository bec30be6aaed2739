// Money that an operator moves: top-ups and adjustments, once per reference.

import type { CustomerId } from '../domain/id.js';
import { type Money, moneyFromMillionths } from '../domain/money.js';
import { type LedgerEntry, lockAccount, postEntries, writeEntries } from './account.js';
import type { AnySql } from './connect.js';
import { insertTaskJob } from './job.js';
import { runTogether } from './run-together.js';

export interface Credit {
  readonly type: 'topup' | 'adjustment';
  /** Adjustments may be negative. */
  readonly amount: Money;
  readonly remark?: string;
  readonly reference?: string;
}

export interface BookedCredit {
  readonly entry: LedgerEntry;
  /** The reference was used before; nothing was booked now. */
  readonly repeated: boolean;
}

/**
 * Books the entry, or returns the one that was booked under the same reference before. In the caller's transaction, after
 * which the caller wakes whoever tries waiting freezes again.
 */
export async function creditAccount(tx: AnySql, customerId: CustomerId, credit: Credit): Promise<BookedCredit> {
  const account = await lockAccount(tx, customerId);
  const booked = credit.reference && (await readEntryByReference(tx, customerId, credit.type, credit.reference));
  if (booked) return { entry: booked, repeated: true };
  const { account: after, posted } = postEntries(account, [credit]);
  await runTogether(tx, writeEntries(tx, after, posted));
  if (credit.amount > 0n) await insertTaskJob(tx, 'refreeze', customerId, [0n]);
  const [entry] = posted;
  if (entry === undefined) throw new Error('an entry was posted and is gone');
  return { entry, repeated: false };
}

async function readEntryByReference(
  tx: AnySql,
  customerId: CustomerId,
  type: Credit['type'],
  reference: string,
): Promise<LedgerEntry | undefined> {
  const [row] = await tx`
    select seq, type, amount, available_delta, frozen_delta, available_after, frozen_after, remark, reference, created_at
    from ledger_entry where customer_id = ${customerId} and type = ${type} and reference = ${reference}`;
  if (row === undefined) return undefined;
  return {
    seq: row.seq,
    type: row.type,
    amount: moneyFromMillionths(row.amount),
    availableDelta: moneyFromMillionths(row.available_delta),
    frozenDelta: moneyFromMillionths(row.frozen_delta),
    availableAfter: moneyFromMillionths(row.available_after),
    frozenAfter: moneyFromMillionths(row.frozen_after),
    createdAt: row.created_at,
    ...(row.remark === null ? {} : { remark: row.remark }),
    ...(row.reference === null ? {} : { reference: row.reference }),
  };
}
