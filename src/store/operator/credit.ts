import type { Owner } from '../../domain/entities/customer.js';
import { type BookedCredit, type Credit, creditAccount } from '../ledger.js';
import { type Acting, recordAudit } from './change.js';

/** Books what the operator puts in or corrects. A reference that was used before changes nothing and yields the first entry. */
export function creditCustomer(
  { sql, actor }: Acting,
  { customerId, customer_no }: Owner,
  credit: Credit,
): Promise<BookedCredit> {
  return sql.begin(async (tx) => {
    const booked = await creditAccount(tx, customerId, credit);
    if (!booked.repeated) {
      const { type, ...change } = credit;
      const audited = { ...change, available_after: booked.entry.availableAfter };
      await recordAudit(tx, actor, { action: `${type}.create`, subject: customer_no, change: audited });
    }
    return booked;
  });
}
