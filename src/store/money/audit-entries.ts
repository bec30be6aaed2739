// One slice of each ledger: entries behind a number, read in one statement together with the account.

import { readTasksKeptFrom } from '../retention/months.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql } from '../sql.js';
import type { Figures } from './audit-proofs.js';

/** Where a slice starts, and the balances that the entry before it left. */
export interface EntryRange {
  readonly customerId: bigint;
  readonly afterId: bigint;
  /** The last number that belongs to it. */
  readonly untilId: bigint;
  readonly available: bigint;
  readonly frozen: bigint;
}

const ENTRY_RANGES = defineRows('k', {
  customerId: 'bigint',
  afterId: 'bigint',
  untilId: 'bigint',
  available: 'bigint',
  frozen: 'bigint',
});

export interface EntrySlice {
  readonly customerId: bigint;
  readonly rows: number;
  /** Those of the last entry, or where the slice starts when it has none. */
  readonly lastId: bigint;
  readonly available: bigint;
  readonly frozen: bigint;
  readonly figures: Figures;
  /** The rule and the detail of what does not add up: the first of each rule. */
  readonly faults: readonly (readonly [rule: string, detail: string])[];
  readonly account: { readonly entrySeq: bigint; readonly available: bigint; readonly frozen: bigint };
}

interface Row extends Omit<EntrySlice, 'account' | 'faults'> {
  readonly faults: EntrySlice['faults'] | null;
  readonly accountSeq: bigint;
  readonly accountAvailable: bigint;
  readonly accountFrozen: bigint;
}

/** One broken row is enough to look: a slice does not list thousands. */
const FAULTS_A_SLICE = 20;

/**
 * At most `limit` entries of each customer. An entry is compared with the one before it, so that one that was changed is named
 * and not all that follow. Every column that a customer sees is in the hash.
 */
export async function readEntrySlices(
  sql: AnySql,
  bucket: number,
  ranges: readonly EntryRange[],
  limit: number,
): Promise<EntrySlice[]> {
  const tasksKeptFrom = await readTasksKeptFrom(sql);
  const slices = await readSlices(sql, bucket, ranges, limit, tasksKeptFrom);
  // Read again: old tasks may have been deleted since.
  const hasFaults = slices.some(({ faults }) => faults.length > 0);
  const isOver = !hasFaults || (await readTasksKeptFrom(sql)) === tasksKeptFrom;
  return isOver ? slices : await readEntrySlices(sql, bucket, ranges, limit);
}

async function readSlices(
  sql: AnySql,
  bucket: number,
  ranges: readonly EntryRange[],
  limit: number,
  tasksKeptFrom: bigint,
): Promise<EntrySlice[]> {
  const rows = await sql<Row[]>`
    select k.customer_id as "customerId", s.rows::int as rows, s.last_id as "lastId", s.available, s.frozen, s.figures, s.faults,
      a.entry_seq as "accountSeq", a.available as "accountAvailable", a.frozen as "accountFrozen"
    from ${ENTRY_RANGES.unnest(sql, ranges)}
    join account a on a.bucket = ${bucket} and a.customer_id = k.customer_id
    cross join lateral (
      select count(*) as rows, coalesce(max(seq), k.after_id) as last_id,
        coalesce((array_agg(available_after order by seq desc))[1], k.available) as available,
        coalesce((array_agg(frozen_after order by seq desc))[1], k.frozen) as frozen,
        jsonb_build_object('entries', count(*)::text,
          'available', coalesce((array_agg(available_after order by seq desc))[1], k.available)::text,
          'frozen', coalesce((array_agg(frozen_after order by seq desc))[1], k.frozen)::text,
          'available_delta', coalesce(sum(available_delta), 0)::text, 'frozen_delta', coalesce(sum(frozen_delta), 0)::text,
          'hash', encode(sha256(convert_to(coalesce(string_agg(row_hash, '' order by seq), ''), 'UTF8')), 'hex')) as figures,
        jsonb_agg(jsonb_build_array(fault, detail) order by seq) filter (where fault is not null and nth_fault <= ${FAULTS_A_SLICE})
          as faults
      from (
        select *, count(fault) over (order by seq) as nth_fault from (${selectEntries(sql, bucket, limit, tasksKeptFrom)}) as judged
      ) as e
    ) as s`;
  return rows.map(({ accountSeq, accountAvailable, accountFrozen, faults, ...slice }) => ({
    ...slice,
    faults: faults ?? [],
    account: { entrySeq: accountSeq, available: accountAvailable, frozen: accountFrozen },
  }));
}

/**
 * Tasks are looked up one by one: a plan that joins them would read all tasks of the customer. A task whose slice was proved takes
 * no entry any more. Tasks that have gone with their history held no money when they went.
 */
function selectEntries(sql: AnySql, bucket: number, limit: number, tasksKeptFrom: bigint) {
  return sql`
    select e.seq, e.available_after, e.frozen_after, e.available_delta, e.frozen_delta,
      case
        when e.seq <> lag(e.seq, 1, k.after_id) over by_seq + 1 then 'entries are numbered without gaps'
        when e.available_after <> lag(e.available_after, 1, k.available) over by_seq + e.available_delta
          or e.frozen_after <> lag(e.frozen_after, 1, k.frozen) over by_seq + e.frozen_delta
          then 'each entry carries the balances after it'
        when e.task_id is null and e.frozen_delta <> 0 then 'only tasks hold money'
        when e.task_id >= ${tasksKeptFrom} and (
          select true from task t
          where t.bucket = ${bucket} and t.customer_id = k.customer_id and t.task_id >= e.task_id and t.task_id <= e.task_id
          order by t.task_id limit 1
        ) is null then 'hold = its entries'
        when e.task_id is not null and (
          select p.last_id >= e.task_id and p.proved_at < e.created_at from audit_slice p
          where p.bucket = ${bucket} and p.customer_id = k.customer_id and p.kind = 'tasks' and p.after_id < e.task_id
          order by p.after_id desc limit 1
        ) then 'closed history is unchanged'
      end as fault,
      format('entry %s', e.seq) || coalesce(format(' of task %s', e.task_id), '') as detail,
      md5(row(e.seq, e.type, e.amount, e.task_id, e.numbers, e.available_delta, e.frozen_delta, e.available_after,
        e.frozen_after, e.remark, e.reference, (extract(epoch from e.created_at) * 1000000)::bigint)::text) as row_hash
    from (
      select seq, type, amount, task_id, numbers, available_delta, frozen_delta, available_after, frozen_after, remark,
        reference, created_at
      from ledger_entry
      where bucket = ${bucket} and customer_id = k.customer_id and seq > k.after_id and seq <= k.until_id
      order by seq limit ${limit}
    ) as e
    window by_seq as (order by e.seq)`;
}
