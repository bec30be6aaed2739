import type { Owner } from '../../domain/entities/customer.js';
import type { CapExemption } from '../../domain/entities/terms-of-use.js';
import type { Tenant } from '../../domain/tenant.js';
import type { AnySql } from '../connect.js';
import type { ListSource } from '../list.js';
import { type ActorContext, recordAudit } from './change.js';

/** Undefined when the number is exempt already. */
export async function createCapExemption(
  { sql, actor }: ActorContext,
  { bucket, customerId, customer_no }: Owner,
  { phone, phoneKey }: { readonly phone: string; readonly phoneKey: string },
): Promise<CapExemption | undefined> {
  return sql.begin(async (tx) => {
    const [row] = await tx<CapExemption[]>`
      insert into cap_exemption (bucket, customer_id, phone_key, phone)
      values (${bucket}, ${customerId}, ${phoneKey}, ${phone})
      on conflict do nothing returning phone_key, phone, created_at`;
    if (row === undefined) return undefined;
    await recordAudit(tx, actor, { action: 'cap_exemption.create', subject: customer_no, change: { phone } });
    return row;
  });
}

/** Undefined when the number is not exempt. */
export async function deleteCapExemption(
  { sql, actor }: ActorContext,
  { bucket, customerId, customer_no }: Owner,
  phoneKey: string,
): Promise<CapExemption | undefined> {
  return sql.begin(async (tx) => {
    const [row] = await tx<CapExemption[]>`
      delete from cap_exemption where bucket = ${bucket} and customer_id = ${customerId} and phone_key = ${phoneKey}
      returning phone_key, phone, created_at`;
    if (row === undefined) return undefined;
    const change = { phone: row.phone };
    await recordAudit(tx, actor, { action: 'cap_exemption.delete', subject: customer_no, change });
    return row;
  });
}

/** In the order of the numbers, which is the one order that has an index. */
export function listCapExemptions(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  phoneKey?: string,
): ListSource<CapExemption> {
  const matching = () => sql`
    bucket = ${bucket} and customer_id = ${customerId} ${phoneKey === undefined ? sql`` : sql`and phone_key = ${phoneKey}`}`;
  return {
    keyOf: (exemption) => String(exemption.phone_key),
    rows: ({ after, offset, limit }) => sql<CapExemption[]>`
      select phone_key, phone, created_at from cap_exemption
      where ${matching()} and (${after ?? null}::bigint is null or phone_key > ${after ?? null}::bigint)
      order by phone_key offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select 1 from cap_exemption where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
