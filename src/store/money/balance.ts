import type { FreezeLimits } from '../../domain/money/freeze.js';
import { type Money, moneyFromMillionths } from '../../domain/money/money.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Sql } from '../sql.js';

export interface Balance extends Readonly<FreezeLimits> {
  readonly frozen: Money;
  /** The number of the newest ledger entry; zero before the first. */
  readonly ledgerSeq: number;
  /** The database's clock, which decides on the day. */
  readonly now: Date;
}

/** Without the lock: what a client may look at, not what money may be moved by. */
export async function readBalance(sql: Sql, { bucket, customerId }: Tenant): Promise<Balance> {
  const [row] = await sql`
    select available, frozen, credit_limit, daily_limit, frozen_on::text, frozen_that_day, entry_seq, clock_timestamp() as now
    from account where bucket = ${bucket} and customer_id = ${customerId}`;
  if (row === undefined) throw new Error(`customer ${customerId} has no account in bucket ${bucket}`);
  return {
    available: moneyFromMillionths(row.available),
    frozen: moneyFromMillionths(row.frozen),
    creditLimit: moneyFromMillionths(row.credit_limit),
    dailyLimit: row.daily_limit === null ? null : moneyFromMillionths(row.daily_limit),
    frozenOn: row.frozen_on,
    frozenThatDay: moneyFromMillionths(row.frozen_that_day),
    ledgerSeq: Number(row.entry_seq),
    now: row.now,
  };
}
