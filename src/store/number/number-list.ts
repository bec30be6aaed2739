// Lists of numbers that a customer's messages treat apart. No part of the configuration snapshot: there can be millions, and the
// pipeline asks for the numbers of one task at a time.

import type { Owner } from '../../domain/entities/customer.js';
import type { CapExemption, ListedNumber, OptOut } from '../../domain/entities/terms-of-use.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import type { ListSource } from '../list.js';
import { noteOptOut } from '../money/account.js';
import { type ActorContext, recordAudit } from '../operator/change.js';
import type { AnySql } from '../sql.js';

/** A place in a list of numbers: the customer and the number. */
export function isListedNumberKey(text: string): boolean {
  return /^\d{1,19}\/-?\d{1,18}$/.test(text);
}

export interface NumberList<Row extends ListedNumber> {
  /** Undefined when the number is on the list already. */
  add(
    context: ActorContext,
    owner: Owner,
    number: { phone: string; phoneKey: string },
  ): Promise<ListedNumber | undefined>;
  /** By any of its keys: an erased number has another one. Undefined when the number is not on the list. */
  remove(context: ActorContext, owner: Owner, phoneKeys: readonly string[]): Promise<ListedNumber | undefined>;
  /** In the order of the numbers, which is the one order that has an index. */
  list(sql: AnySql, tenant: Tenant, phoneKey?: string): ListSource<Row>;
}

/** Numbers that want nothing more from a customer. */
export const optOuts = defineNumberList<OptOut>('opt_out', { source: 'operator' }, noteOptOut);
/** Numbers that no cap of the customer applies to. */
export const capExemptions = defineNumberList<CapExemption>('cap_exemption', {});

function defineNumberList<Row extends ListedNumber>(
  table: string,
  given: Readonly<Record<string, string>>,
  /** Runs first in the transaction that adds a number. */
  onAdd?: (tx: AnySql, tenant: Tenant) => Promise<void>,
): NumberList<Row> {
  const columns = ['phone_key', 'phone', ...Object.keys(given), 'created_at'];
  return {
    add({ sql, actor }, { bucket, customerId, customer_no }, { phone, phoneKey }) {
      return sql.begin(async (tx) => {
        await onAdd?.(tx, { bucket, customerId });
        const added = { bucket, customer_id: customerId, phone_key: phoneKey, phone, ...given };
        const [row] = await tx<ListedNumber[]>`
          insert into ${tx(table)} ${tx(added)} on conflict do nothing returning ${tx(columns)}`;
        if (row === undefined) return undefined;
        await recordAudit(tx, actor, { action: `${table}.create`, subject: customer_no, change: { phone } });
        return row;
      });
    },
    remove({ sql, actor }, { bucket, customerId, customer_no }, phoneKeys) {
      return sql.begin(async (tx) => {
        const [row] = await tx<ListedNumber[]>`
          delete from ${tx(table)}
          where bucket = ${bucket} and customer_id = ${customerId} and phone_key = any(${numericArray(phoneKeys)}::bigint[])
          returning ${tx(columns)}`;
        if (row === undefined) return undefined;
        await recordAudit(tx, actor, { action: `${table}.delete`, subject: customer_no, change: { phone: row.phone } });
        return row;
      });
    },
    list(sql, { bucket, customerId }, phoneKey) {
      const matching = () => sql`
        bucket = ${bucket} and customer_id = ${customerId} ${phoneKey === undefined ? sql`` : sql`and phone_key = ${phoneKey}`}`;
      return {
        keyOf: (row) => `${customerId}/${row.phone_key}`,
        async rows({ after, offset, limit }) {
          const [owner, afterKey = null] = after?.split('/') ?? [];
          // A number that a caller put on another customer's list would tell which of these come behind it.
          if (after !== undefined && owner !== String(customerId)) return [];
          return sql<Row[]>`
            select ${sql(columns)} from ${sql(table)}
            where ${matching()} and (${afterKey}::bigint is null or phone_key > ${afterKey}::bigint)
            order by phone_key offset ${offset} limit ${limit}`;
        },
        async count(limit) {
          const [row] = await sql<{ count: number }[]>`
            select count(*)::int as count from (select 1 from ${sql(table)} where ${matching()} limit ${limit}) as counted`;
          return row?.count ?? 0;
        },
      };
    },
  };
}
