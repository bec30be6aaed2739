// Money that an operator moves: top-ups and adjustments, once per reference.

import { type LedgerEntry, postEntry } from '../../domain/money/ledger.js';
import { type Money, moneyFromMillionths } from '../../domain/money/money.js';
import type { Tenant } from '../../domain/tenant.js';
import { runTogether } from '../run-together.js';
import type { AnySql } from '../sql.js';
import { lockAccount, writeAccounts } from './account.js';
import { wantRefreeze } from './refreeze.js';

export interface Credit {
  readonly type: 'topup' | 'adjustment';
  /** Adjustments may be negative. */
  readonly amount: Money;
  readonly remark?: string;
  readonly reference?: string;
}

export interface BookedCredit {
  readonly entry: LedgerEntry;
  /** The reference was used before; this call booked nothing. */
  readonly repeated: boolean;
}

/**
 * Books the entry, or returns the one that was booked under the same reference before. Runs in the caller's transaction; the caller
 * then notifies the refreeze loop.
 */
export async function creditAccount(tx: AnySql, tenant: Tenant, credit: Credit): Promise<BookedCredit> {
  const { account, now } = await lockAccount(tx, tenant);
  const booked = credit.reference && (await readEntryByReference(tx, tenant, credit.type, credit.reference));
  if (booked) return { entry: booked, repeated: true };
  const entry = postEntry(account, credit, now);
  await runTogether(tx, writeAccounts(tx, tenant.bucket, [account]));
  if (credit.amount > 0n) await wantRefreeze(tx, tenant);
  return { entry, repeated: false };
}

async function readEntryByReference(
  tx: AnySql,
  { bucket, customerId }: Tenant,
  type: Credit['type'],
  reference: string,
): Promise<LedgerEntry | undefined> {
  const [row] = await tx`
    select seq, type, amount, available_delta, frozen_delta, available_after, frozen_after, remark, reference, created_at
    from ledger_entry where bucket = ${bucket} and customer_id = ${customerId} and type = ${type} and reference = ${reference}`;
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
