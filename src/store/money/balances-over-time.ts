import type { Tenant } from '../../domain/tenant.js';
import { timeArray } from '../array-literal.js';
import { ownRows } from '../condition.js';
import type { AnySql } from '../sql.js';

export interface BalanceAt {
  readonly available: bigint;
  readonly frozen: bigint;
}

/** What the last entry before each of these rising times left, nothing before the first one: one look into the index each. */
export async function readBalancesAt(sql: AnySql, tenant: Tenant, times: readonly Date[]): Promise<BalanceAt[]> {
  return await sql<BalanceAt[]>`
    select coalesce(available_after, 0) as available, coalesce(frozen_after, 0) as frozen
    from unnest(${timeArray(times)}::timestamptz[]) as moment (at) left join lateral (
      select available_after, frozen_after from ledger_entry where ${ownRows(sql, tenant)} and created_at < at
      order by created_at desc, seq desc limit 1) as last_entry on true
    order by at`;
}
