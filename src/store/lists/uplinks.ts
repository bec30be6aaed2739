import { allOf, countUpTo, idRange, type ListScope, ownRows, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';

export interface UplinkRow {
  readonly uplink_id: bigint;
  readonly phone: string;
  readonly service_account_id: bigint;
  readonly firm: string | null;
  readonly content: string;
  readonly task_id: bigint | null;
}

export const UPLINK_COLUMNS = ['uplink_id', 'phone', 'service_account_id', 'firm', 'content', 'task_id'] as const;

export interface UplinkFilters {
  readonly phoneKey?: string | undefined;
  readonly serviceAccountId?: bigint | undefined;
}

/** Both filters have an index that ends in the id; given together, the phone's is read and the account compared. */
export function listUplinks(sql: AnySql, scope: ListScope, filters: UplinkFilters): ListSource<UplinkRow> {
  const range = idRange(scope);
  const filtered = allOf(sql, ownRows(sql, scope), [
    filters.phoneKey === undefined ? undefined : sql`phone_key = ${filters.phoneKey}`,
    filters.serviceAccountId === undefined ? undefined : sql`service_account_id = ${filters.serviceAccountId}`,
    range.from === undefined ? undefined : sql`uplink_id >= ${range.from}`,
    range.until === undefined ? undefined : sql`uplink_id < ${range.until}`,
  ]);
  const matching = sql`from uplink where ${filtered}`;
  return {
    keyOf: (row) => String(row.uplink_id),
    count: (limit) => countUpTo(sql, matching, limit),
    rows: async ({ after, offset, limit, oldestFirst }) => {
      const { direction, beyond } = walkOf(sql, oldestFirst);
      return await sql<UplinkRow[]>`
        select ${sql([...UPLINK_COLUMNS])}
        ${matching} ${after === undefined ? sql`` : sql`and uplink_id ${beyond} ${after}`}
        order by uplink_id ${direction} limit ${limit} offset ${offset}`;
    },
  };
}
