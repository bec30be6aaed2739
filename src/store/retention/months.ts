// The months of history: when each ends, and what keeps it open.

import { firstIdAt } from '../../domain/id.js';
import { numericArray } from '../array-literal.js';
import { defineRows } from '../rows/bulk-rows.js';
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

/** History before it is deleted, or about to be; undefined where none has ended. */
export async function readHistoryKeptFrom(sql: AnySql): Promise<Date | undefined> {
  const [row] = await sql<{ month: Date | null }[]>`select max(month)::timestamptz as month from retention_month`;
  return row?.month == null ? undefined : monthOf(row.month).end;
}

/** Of tasks before this id nothing is read again; 0 where no history has ended. */
export async function readTasksKeptFrom(sql: AnySql): Promise<bigint> {
  const keptFrom = await readHistoryKeptFrom(sql);
  return keptFrom === undefined ? 0n : firstIdAt(keptFrom);
}

export interface OpenHistory {
  /** Tasks that are not completed, failed or cancelled, or hold money. Counted up to a limit. */
  readonly tasks: number;
  /** Customers whose receipts or ledger entries are not in the statistics yet. */
  readonly unsummed: number;
}

const COUNTED = 1000;
const CUSTOMERS_A_PAGE = 200;
/** Of all customers of a page together. A month may have millions of tasks: one statement over all would take longer than it may. */
const TASKS_A_PAGE = 50_000;

/** What is open of a bucket before the end of a month. Reads its tasks page by page, with a rest between. */
export async function findOpenHistory(
  sql: Sql,
  bucket: number,
  month: Month,
  rest: () => Promise<unknown> = async () => {},
  tasksAPage = TASKS_A_PAGE,
): Promise<OpenHistory> {
  let [tasks, unsummed] = [0, 0];
  for (let last = 0n; ; ) {
    const customers = await sql<{ customerId: bigint }[]>`
      select customer_id as "customerId" from account where bucket = ${bucket} and customer_id > ${last}
      order by customer_id limit ${CUSTOMERS_A_PAGE}`;
    const ids = customers.map(({ customerId }) => customerId);
    last = ids.at(-1) ?? last;
    if (ids.length > 0) unsummed += await countUnsummed(sql, bucket, ids, month);
    for (let from = ids.map((customerId) => ({ customerId, after: 0n })); from.length > 0 && tasks < COUNTED; ) {
      const page = await readTaskPage(sql, bucket, from, month, tasksAPage);
      tasks += page.open;
      from = page.next;
      await rest();
    }
    if (ids.length < CUSTOMERS_A_PAGE) return { tasks: Math.min(tasks, COUNTED), unsummed };
  }
}

interface CustomerTasks {
  readonly customerId: bigint;
  /** The last task that was read. */
  readonly after: bigint;
}

const FROM = defineRows('k', { customerId: 'bigint', after: 'bigint' });

/** `next` are the customers that have more. */
async function readTaskPage(sql: Sql, bucket: number, from: readonly CustomerTasks[], { end }: Month, tasks: number) {
  const limit = Math.ceil(tasks / from.length);
  const rows = await sql<(CustomerTasks & { read: number; open: number })[]>`
    select k.customer_id as "customerId", t.last as after, t.read, t.open from ${FROM.unnest(sql, from)}
    cross join lateral (
      select max(task_id) as last, count(*)::int as read,
        (count(*) filter (where stage not in ('completed', 'failed', 'cancelled') or frozen <> charged + released))::int as open
      from (
        select task_id, stage, frozen, charged, released from task
        where bucket = ${bucket} and customer_id = k.customer_id and task_id > k.after and task_id < ${firstIdAt(end)}
        order by task_id limit ${limit}
      ) as p
    ) as t`;
  return {
    open: rows.reduce((sum, row) => sum + row.open, 0),
    next: rows.filter(({ read }) => read === limit).map(({ customerId, after }) => ({ customerId, after })),
  };
}

async function countUnsummed(sql: Sql, bucket: number, customers: readonly bigint[], { end }: Month): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from unnest(${numericArray(customers)}::bigint[]) as a (customer_id)
    left join history_reader h on h.bucket = ${bucket} and h.customer_id = a.customer_id
    where exists (
        select 1 from receipt r where r.bucket = ${bucket} and r.customer_id = a.customer_id
          and r.receipt_id > coalesce(h.receipt_id, 0) and r.receipt_id < ${firstIdAt(end)})
      or exists (
        select 1 from ledger_entry l where l.bucket = ${bucket} and l.customer_id = a.customer_id
          and l.seq = coalesce(h.entry_seq, 0) + 1 and l.created_at < ${end})`;
  return row?.count ?? 0;
}
