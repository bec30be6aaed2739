// The money an operator puts in or corrects, as it stands in the ledger.

import type { CustomerId } from '../../domain/id.js';
import { moneyFromMillionths } from '../../domain/money.js';
import type { LedgerEntry } from '../account.js';
import type { Sql } from '../connect.js';
import type { ListSource } from '../list.js';

export type CreditType = 'topup' | 'adjustment';

/** Newest first. */
export function listCredits(sql: Sql, customerId: CustomerId, type: CreditType): ListSource<LedgerEntry> {
  return {
    keyOf: (entry) => String(entry.seq),
    async rows({ after, offset, limit }) {
      const rows = await sql<CreditRow[]>`
        select seq, amount, available_delta, frozen_delta, available_after, frozen_after, remark, reference, created_at
        from ledger_entry
        where customer_id = ${customerId} and type = ${type}
          and (${after ?? null}::bigint is null or seq < ${after ?? null}::bigint)
        order by seq desc offset ${offset} limit ${limit}`;
      return rows.map((row) => toEntry(type, row));
    },
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select from ledger_entry where customer_id = ${customerId} and type = ${type} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

interface CreditRow {
  seq: bigint;
  amount: bigint;
  available_delta: bigint;
  frozen_delta: bigint;
  available_after: bigint;
  frozen_after: bigint;
  remark: string | null;
  reference: string | null;
  created_at: Date;
}

function toEntry(type: CreditType, row: CreditRow): LedgerEntry {
  return {
    seq: row.seq,
    type,
    amount: moneyFromMillionths(row.amount),
    availableDelta: moneyFromMillionths(row.available_delta),
    frozenDelta: moneyFromMillionths(row.frozen_delta),
    availableAfter: moneyFromMillionths(row.available_after),
    frozenAfter: moneyFromMillionths(row.frozen_after),
    ...(row.remark === null ? {} : { remark: row.remark }),
    ...(row.reference === null ? {} : { reference: row.reference }),
    createdAt: row.created_at,
  };
}
