// What happened to a customer's money in a month, from the sums over the ledger. Balances are those that entries carry.

import type { Tenant } from '../../domain/tenant.js';
import { ownRows } from '../condition.js';
import type { AnySql } from '../sql.js';

export interface Balances {
  readonly available: bigint;
  readonly frozen: bigint;
}

export interface EntrySum {
  readonly type: string;
  readonly entries: bigint;
  readonly amount: bigint;
}

export interface MonthOfEntries {
  readonly opening: Balances;
  readonly types: readonly EntrySum[];
  readonly days: readonly (EntrySum & { readonly day: string })[];
  readonly templates: readonly (EntrySum & { readonly templateId: bigint })[];
  /** After the last entry of each day that has one, oldest first. */
  readonly closings: readonly (Balances & { readonly day: string })[];
}

interface SumRow extends EntrySum {
  readonly day: string | null;
  readonly templateId: bigint | null;
}

/** Days as `2026-11-01`; `until` is exclusive. */
export async function readMonthOfEntries(
  tx: AnySql,
  tenant: Tenant,
  from: string,
  until: string,
): Promise<MonthOfEntries> {
  const own = ownRows(tx, tenant);
  const [[opening], sums, closings] = await Promise.all([
    tx<Balances[]>`
      select available_after as available, frozen_after as frozen from ledger_entry
      where ${own} and seq = (
        select last_seq from ledger_day where ${own} and day < ${from}::date order by day desc limit 1)`,
    tx<SumRow[]>`
      select day::text, template_id as "templateId", type, sum(entries)::bigint as entries, sum(amount)::bigint as amount
      from ledger_sum where ${own} and day >= ${from}::date and day < ${until}::date
      group by grouping sets ((type), (day, type), (template_id, type))
      order by day, template_id, type`,
    tx<(Balances & { day: string })[]>`
      select d.day::text, e.available_after as available, e.frozen_after as frozen
      from (select day, last_seq from ledger_day where ${own} and day >= ${from}::date and day < ${until}::date) as d
      join ledger_entry e on e.bucket = ${tenant.bucket} and e.customer_id = ${tenant.customerId} and e.seq = d.last_seq
      order by d.day`,
  ]);
  return {
    opening: opening ?? { available: 0n, frozen: 0n },
    types: sums.filter(({ day, templateId }) => day === null && templateId === null),
    days: sums.flatMap(({ day, ...sum }) => (day === null ? [] : [{ ...sum, day }])),
    templates: sums.flatMap(({ templateId, ...sum }) => (templateId === null ? [] : [{ ...sum, templateId }])),
    closings,
  };
}
