// Which months of history there are, when each ends, and what keeps it open.

import { firstIdAt } from '../../domain/id.js';
import type { AnySql, Sql } from '../sql.js';

export interface Month {
  /** Its first moment, UTC. */
  readonly start: Date;
  /** The first moment behind it. */
  readonly end: Date;
}

export function monthOf(time: Date): Month {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** `2025-01`. */
export function nameMonth({ start }: Month): string {
  return start.toISOString().slice(0, 7);
}

/** When the history of a month ends: when all of it is older than what is kept. */
export function dueAt({ end }: Month, retentionMs: number): Date {
  return new Date(end.getTime() + retentionMs);
}

/** The last month whose time is over. */
export function lastDueMonth(now: Date, retentionMs: number): Month {
  const { start } = monthOf(new Date(now.getTime() - retentionMs));
  return monthOf(new Date(start.getTime() - 1));
}

export async function readDatabaseTime(sql: AnySql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now() as now`;
  return row?.now ?? new Date();
}

/** Of tasks before this id nothing is read again; 0 where no history has ended. */
export async function readTasksKeptFrom(sql: AnySql): Promise<bigint> {
  const [row] = await sql<{ month: Date | null }[]>`select max(month)::timestamptz as month from retention_month`;
  return row?.month == null ? 0n : firstIdAt(monthOf(row.month).end);
}

export interface OpenHistory {
  /** Tasks that are not completed, failed or cancelled, or hold money. Counted up to a limit. */
  readonly tasks: number;
  /** Customers whose receipts or ledger entries are not in the statistics yet. */
  readonly unsummed: number;
}

const COUNTED = 1000;

/** What is open of a bucket before the end of a month. */
export async function findOpenHistory(sql: Sql, bucket: number, { end }: Month): Promise<OpenHistory> {
  const before = firstIdAt(end);
  const [row] = await sql<{ tasks: number; unsummed: number }[]>`
    select (
      select count(*)::int from (
        select 1 as one from account a
        cross join lateral (
          select 1 as one from task t
          where t.bucket = ${bucket} and t.customer_id = a.customer_id and t.task_id < ${before}
            and (t.stage not in ('completed', 'failed', 'cancelled') or t.frozen <> t.charged + t.released) limit ${COUNTED}
        ) as found
        where a.bucket = ${bucket} limit ${COUNTED}
      ) as open
    ) as tasks, (
      select count(*)::int from account a
      left join history_reader h on h.bucket = ${bucket} and h.customer_id = a.customer_id
      where a.bucket = ${bucket} and (
        exists (
          select 1 from receipt r where r.bucket = ${bucket} and r.customer_id = a.customer_id
            and r.receipt_id > coalesce(h.receipt_id, 0) and r.receipt_id < ${before})
        or exists (
          select 1 from ledger_entry l where l.bucket = ${bucket} and l.customer_id = a.customer_id
            and l.seq = coalesce(h.entry_seq, 0) + 1 and l.created_at < ${end}))
    ) as unsummed`;
  return row ?? { tasks: 0, unsummed: 0 };
}
