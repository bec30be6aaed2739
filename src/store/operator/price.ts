import type { Owner } from '../../domain/entities/customer.js';
import { type Price, PriceFields, type PriceTerms } from '../../domain/entities/terms-of-use.js';
import type { CustomerId } from '../../domain/id.js';
import type { AnySql, Sql } from '../connect.js';
import { columnsOf, insertOf, updateOf } from '../entity-row.js';
import { type ActorContext, changeConfiguration, describeChange, recordAudit } from './change.js';

/** Undefined when the customer has a price at this firm. The firm must exist. */
export function createPrice(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  terms: PriceTerms,
): Promise<Price | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const others = { customer_id: customerId, version };
    const [row] = await tx<Price[]>`
      insert into price ${insertOf(tx, PriceFields, terms, others)} on conflict do nothing returning ${shownColumns(tx)}`;
    if (row === undefined) return undefined;
    await recordAudit(tx, actorContext.actor, { action: 'price.create', subject: customer_no, change: terms });
    return row;
  });
}

/** Undefined when the customer has no price at this firm. Numbers priced before keep their price. */
export function changePrice(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  next: PriceTerms,
): Promise<Price | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const [current] = await tx<Price[]>`
      select ${shownColumns(tx)} from price where customer_id = ${customerId} and firm = ${next.firm}`;
    if (current === undefined) return undefined;
    const change = describeChange(current, { ...current, ...next });
    if (change === undefined) return current;
    const [row = current] = await tx<Price[]>`
      update price set ${updateOf(tx, PriceFields, next)}, version = ${version}, updated_at = now()
      where customer_id = ${customerId} and firm = ${next.firm} returning ${shownColumns(tx)}`;
    const audited = { firm: next.firm, ...change };
    await recordAudit(tx, actorContext.actor, { action: 'price.change', subject: customer_no, change: audited });
    return row;
  });
}

/** Newest first. At most one a firm. */
export async function readPrices(sql: Sql, customerId: CustomerId): Promise<readonly Price[]> {
  return sql<Price[]>`
    select ${shownColumns(sql)} from price where customer_id = ${customerId} order by created_at desc, firm`;
}

function shownColumns(sql: AnySql) {
  return sql`${columnsOf(sql, 'price', PriceFields)}, created_at, updated_at`;
}
