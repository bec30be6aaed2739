import type { Owner } from '../../domain/entities/customer.js';
import { type BookedCredit, type Credit, creditAccount } from '../money/credit.js';
import type { AnySql } from '../sql.js';
import { type ActorContext, recordAudit } from './change.js';

/** Books what the operator puts in or corrects. A reference that was used before changes nothing and yields the first entry. */
export async function creditCustomer(acting: ActorContext, owner: Owner, credit: Credit): Promise<BookedCredit> {
  const { sql, actor, within } = acting;
  const book = async (tx: AnySql): Promise<BookedCredit> => {
    const booked = await creditAccount(tx, owner, credit);
    if (!booked.repeated) {
      const { type, ...change } = credit;
      const audited = { ...change, available_after: booked.entry.availableAfter };
      await recordAudit(tx, actor, { action: `${type}.create`, subject: owner.customer_no, change: audited });
    }
    return booked;
  };
  return within === undefined ? await sql.begin(book) : await book(within.tx);
}
