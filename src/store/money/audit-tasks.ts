// One slice of each customer's tasks with their entries and receipts, read in one statement.

import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql } from '../sql.js';
import type { Figures } from './audit-proofs.js';

export interface TaskRange {
  readonly customerId: bigint;
  readonly afterId: bigint;
  /** The last id that belongs to it. */
  readonly untilId: bigint;
}

const TASK_RANGES = defineRows('k', { customerId: 'bigint', afterId: 'bigint', untilId: 'bigint' });

export interface TaskSlice {
  readonly customerId: bigint;
  readonly rows: number;
  /** That of the last task, or where the slice starts when it has none. */
  readonly lastId: bigint;
  /** It ends before its limit of tasks because they have as many numbers as fit. */
  readonly isCut: boolean;
  /** No task in it changes any more. */
  readonly isClosed: boolean;
  readonly figures: Figures;
  readonly faults: readonly (readonly [rule: string, detail: string])[];
}

export interface TaskSliceLimits {
  readonly tasks: number;
  /** A slice ends with the task that reaches it, so that one with more numbers is a slice alone. */
  readonly numbers: number;
  readonly closedAfterMs: number;
  /** The first id of the oldest month of receipts that is left: those of earlier tasks may have been dropped. */
  readonly receiptsKeptFrom: bigint;
}

const FAULTS_A_SLICE = 20;

export async function readTaskSlices(
  sql: AnySql,
  bucket: number,
  ranges: readonly TaskRange[],
  limits: TaskSliceLimits,
): Promise<TaskSlice[]> {
  const rows = await sql<(Omit<TaskSlice, 'faults'> & { readonly faults: TaskSlice['faults'] | null })[]>`
    select k.customer_id as "customerId", s.rows::int as rows, s.last_id as "lastId", s.is_cut as "isCut",
      s.is_closed as "isClosed", s.figures, s.faults
    from ${TASK_RANGES.unnest(sql, ranges)}
    cross join lateral (
      select count(*) as rows, coalesce(max(task_id), k.after_id) as last_id,
        coalesce(sum(total), 0) >= ${limits.numbers} as is_cut, coalesce(bool_and(is_closed), true) as is_closed,
        jsonb_build_object('tasks', count(*)::text, 'frozen', coalesce(sum(frozen), 0)::text,
          'charged', coalesce(sum(charged), 0)::text, 'released', coalesce(sum(released), 0)::text,
          'refunded', coalesce(sum(refunded), 0)::text, 'receipts', coalesce(sum(receipts), 0)::text,
          'hash', encode(sha256(convert_to(coalesce(string_agg(row_hash, '' order by task_id), ''), 'UTF8')), 'hex'),
          'receipts_hash', encode(sha256(convert_to(coalesce(string_agg(receipts_hash, '' order by task_id), ''), 'UTF8')), 'hex')
        ) as figures,
        jsonb_agg(jsonb_build_array(fault, detail) order by task_id, fault)
          filter (where fault is not null and nth_fault <= ${FAULTS_A_SLICE}) as faults
      from (
        select *, count(fault) over (order by task_id) as nth_fault from (${selectTasks(sql, bucket, limits)}) as judged
      ) as t
    ) as s`;
  return rows.map(({ faults, ...slice }) => ({ ...slice, faults: faults ?? [] }));
}

/**
 * What is held equals the entries' changes of frozen as well as their amounts. With the ledger's own rules it follows that the frozen
 * balance of an account is what its tasks hold.
 */
function selectTasks(
  sql: AnySql,
  bucket: number,
  { tasks, numbers, closedAfterMs, receiptsKeptFrom }: TaskSliceLimits,
) {
  return sql`
    select t.task_id, t.total, t.frozen, t.charged, t.released, t.refunded, r.receipts, r.receipts_hash,
      t.stage in ('completed', 'failed', 'cancelled') and t.frozen = t.charged + t.released
        and t.updated_at <= now() - ${closedAfterMs} * interval '1 millisecond'
        and t.task_id >> 20 <= extract(epoch from now()) * 1000 - ${closedAfterMs} as is_closed,
      case
        when t.frozen <> e.frozen or t.charged <> e.charged or t.released <> e.released or t.refunded <> e.refunded
          or t.frozen - t.charged - t.released <> e.held then 'hold = its entries'
        when r.numbers <> r.receipts
          or (t.stage = 'completed' and r.receipts <> t.total and t.task_id >= ${receiptsKeptFrom})
          then 'a completed task has its receipts'
      end as fault,
      format('task %s: frozen %s, entries %s; charged %s, entries %s; released %s, entries %s; refunded %s, entries %s; '
        '%s numbers, %s receipts, %s of them distinct', t.task_id, t.frozen, e.frozen, t.charged, e.charged, t.released,
        e.released, t.refunded, e.refunded, t.total, r.receipts, r.numbers) as detail,
      md5(row(t.task_id, t.total, t.stage, t.rejected, t.delivered, t.undelivered, t.expired, t.price, t.charge_on,
        t.frozen, t.charged, t.released, t.refunded)::text) as row_hash
    from (
      select *, sum(total) over (order by task_id) - total as numbers_before
      from (
        select task_id, total, stage, rejected, delivered, undelivered, expired, price, charge_on, frozen, charged, released,
          refunded, updated_at
        from task
        where bucket = ${bucket} and customer_id = k.customer_id and task_id > k.after_id and task_id <= k.until_id
        order by task_id limit ${tasks}
      ) as page
    ) as t
    cross join lateral (
      select coalesce(sum(amount) filter (where type = 'freeze'), 0) as frozen,
        coalesce(sum(amount) filter (where type = 'charge'), 0) as charged,
        coalesce(sum(amount) filter (where type = 'release'), 0) as released,
        coalesce(sum(amount) filter (where type = 'refund'), 0) as refunded, coalesce(sum(frozen_delta), 0) as held
      from ledger_entry where bucket = ${bucket} and customer_id = k.customer_id and task_id = t.task_id
    ) as e
    cross join lateral (
      select count(*) as receipts, count(distinct seq) as numbers,
        md5(coalesce(string_agg(md5(row(receipt_id, task_id, seq, parts, price, firm, result, code, is_charged)::text), ''
          order by receipt_id), '')) as receipts_hash
      from receipt where bucket = ${bucket} and customer_id = k.customer_id and task_id = t.task_id
    ) as r
    where t.numbers_before < ${numbers}`;
}
