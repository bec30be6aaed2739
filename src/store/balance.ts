import type { Tenant } from '../domain/ledger.js';
import { type Money, moneyFromMillionths, ZERO } from '../domain/money.js';
import type { Sql } from './connect.js';

export interface Balance {
  readonly available: Money;
  readonly frozen: Money;
  readonly creditLimit: Money;
  /** The number of the newest ledger entry; zero before the first. */
  readonly ledgerSeq: number;
}

/** Without the lock: what a client may look at, not what money may be moved by. */
export async function readBalance(sql: Sql, { bucket, customerId }: Tenant): Promise<Balance> {
  const [row] = await sql<{ available: bigint; frozen: bigint; credit_limit: bigint; entry_seq: bigint }[]>`
    select available, frozen, credit_limit, entry_seq from account
    where bucket = ${bucket} and customer_id = ${customerId}`;
  if (row === undefined) return { available: ZERO, frozen: ZERO, creditLimit: ZERO, ledgerSeq: 0 };
  return {
    available: moneyFromMillionths(row.available),
    frozen: moneyFromMillionths(row.frozen),
    creditLimit: moneyFromMillionths(row.credit_limit),
    ledgerSeq: Number(row.entry_seq),
  };
}
