// Numbers that want nothing more from a customer. No part of the configuration snapshot: there can be millions, and the
// pipeline asks for the numbers of one task at a time.

import type { Owner } from '../../domain/entities/customer.js';
import type { OptOut } from '../../domain/entities/terms-of-use.js';
import type { Tenant } from '../../domain/tenant.js';
import type { AnySql } from '../connect.js';
import type { ListSource } from '../list.js';
import { type ActorContext, recordAudit } from './change.js';

/** Undefined when the number has opted out already. */
export async function createOptOut(
  { sql, actor }: ActorContext,
  { bucket, customerId, customer_no }: Owner,
  { phone, phoneKey }: { phone: string; phoneKey: string },
): Promise<OptOut | undefined> {
  return sql.begin(async (tx) => {
    const [row] = await tx<OptOut[]>`
      insert into opt_out (bucket, customer_id, phone_key, phone, source)
      values (${bucket}, ${customerId}, ${phoneKey}, ${phone}, 'operator')
      on conflict do nothing returning phone_key, phone, source, created_at`;
    if (row === undefined) return undefined;
    await recordAudit(tx, actor, { action: 'opt_out.create', subject: customer_no, change: { phone } });
    return row;
  });
}

/** Undefined when the number is not on the list. */
export async function deleteOptOut(
  { sql, actor }: ActorContext,
  { bucket, customerId, customer_no }: Owner,
  phoneKey: string,
): Promise<OptOut | undefined> {
  return sql.begin(async (tx) => {
    const [row] = await tx<OptOut[]>`
      delete from opt_out where bucket = ${bucket} and customer_id = ${customerId} and phone_key = ${phoneKey}
      returning phone_key, phone, source, created_at`;
    if (row === undefined) return undefined;
    await recordAudit(tx, actor, { action: 'opt_out.delete', subject: customer_no, change: { phone: row.phone } });
    return row;
  });
}

/** In the order of the numbers, which is the one order that has an index. */
export function listOptOuts(sql: AnySql, { bucket, customerId }: Tenant, phoneKey?: string): ListSource<OptOut> {
  const matching = () => sql`
    bucket = ${bucket} and customer_id = ${customerId} ${phoneKey === undefined ? sql`` : sql`and phone_key = ${phoneKey}`}`;
  return {
    keyOf: (optOut) => String(optOut.phone_key),
    rows: ({ after, offset, limit }) => sql<OptOut[]>`
      select phone_key, phone, source, created_at from opt_out
      where ${matching()} and (${after ?? null}::bigint is null or phone_key > ${after ?? null}::bigint)
      order by phone_key offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select 1 from opt_out where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
