import type { CustomerId } from '../../domain/id.js';
import { type Money, moneyFromMillionths } from '../../domain/money.js';
import type { Sql } from '../connect.js';
import { changeConfiguration, describeChange, recordAudit } from './change.js';
import type { Owner } from './credential.js';

export interface Price {
  readonly firm: string;
  readonly unit_price: Money;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Undefined when the customer has a price at this firm. The firm must exist. */
export function createPrice(
  sql: Sql,
  { customerId, customer_no }: Owner,
  firm: string,
  unitPrice: Money,
): Promise<Price | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const [row] = await tx<PriceRow[]>`
      insert into price (customer_id, firm, unit_price, version)
      values (${customerId}, ${firm}, ${unitPrice}, ${version})
      on conflict do nothing returning firm, unit_price, created_at, updated_at`;
    if (row === undefined) return undefined;
    await recordAudit(tx, { action: 'price.create', subject: customer_no, change: { firm, unit_price: unitPrice } });
    return toPrice(row);
  });
}

/** Undefined when the customer has no price at this firm. Numbers priced before keep their price. */
export function changePrice(
  sql: Sql,
  { customerId, customer_no }: Owner,
  firm: string,
  unitPrice: Money,
): Promise<Price | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const [current] = await tx<PriceRow[]>`
      select firm, unit_price, created_at, updated_at from price where customer_id = ${customerId} and firm = ${firm}`;
    if (current === undefined) return undefined;
    const change = describeChange({ unit_price: toPrice(current).unit_price }, { unit_price: unitPrice });
    if (change === undefined) return toPrice(current);
    const [row = current] = await tx<PriceRow[]>`
      update price set unit_price = ${unitPrice}, version = ${version}, updated_at = now()
      where customer_id = ${customerId} and firm = ${firm} returning firm, unit_price, created_at, updated_at`;
    await recordAudit(tx, { action: 'price.change', subject: customer_no, change: { firm, ...change } });
    return toPrice(row);
  });
}

/** Newest first. At most one a firm. */
export async function readPrices(sql: Sql, customerId: CustomerId): Promise<readonly Price[]> {
  const rows = await sql<PriceRow[]>`
    select firm, unit_price, created_at, updated_at from price
    where customer_id = ${customerId} order by created_at desc, firm`;
  return rows.map(toPrice);
}

interface PriceRow {
  firm: string;
  unit_price: bigint;
  created_at: Date;
  updated_at: Date;
}

function toPrice(row: PriceRow): Price {
  return { ...row, unit_price: moneyFromMillionths(row.unit_price) };
}
