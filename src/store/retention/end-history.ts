// Ends the history of the months that are due: one small step at a time, none of which makes traffic wait. Every step can be
// repeated, so an interruption costs nothing, and two workers at once do no harm.

import { firstIdAt } from '../../domain/id.js';
import { numericArray, textArray } from '../array-literal.js';
import { PARTITIONED } from '../partitions.js';
import { isLockTimeout } from '../retry.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { JSONValue, Sql } from '../sql.js';
import { findOpenHistory, lastDueMonth, type Month, monthOf, nameMonth, readDatabaseTime } from './months.js';

/** Looks that operators take, sums of callbacks and refused sign-ins; the log of what people changed stays. */
export const READ_ACTIONS = ['number.find', 'customer.view', 'channel.callbacks', 'session.refuse'] as const;

const LOCK_TIMEOUT_MS = 200;
const ROWS_A_STEP = 1000;
const CUSTOMERS_A_STEP = 200;

export interface RetentionOptions {
  readonly sql: Sql;
  readonly retentionMs: number;
  readonly signal: AbortSignal;
  /** Rests between the steps, for what is more urgent. */
  readonly rest: () => Promise<unknown>;
}

export type Deleted = Record<string, number>;

export type EndedHistory =
  | { readonly outcome: 'nothing due' | 'ended' | 'locked'; readonly month: string; readonly deleted: Deleted }
  | { readonly outcome: 'open'; readonly month: string; readonly tasks: number; readonly unsummed: number };

/** Ends everything up to the last month that is due, unless something in it is open. */
export async function endHistory(options: RetentionOptions): Promise<EndedHistory> {
  const { sql, retentionMs } = options;
  const month = lastDueMonth(await readDatabaseTime(sql), retentionMs);
  const name = nameMonth(month);
  const [known] = await sql<{ ended_at: Date | null; deleted: Deleted }[]>`
    select ended_at, deleted from retention_month where month = ${month.start}::timestamptz::date`;
  if (known !== undefined && known.ended_at !== null) return { outcome: 'nothing due', month: name, deleted: {} };
  const buckets = await sql<{ bucket: number }[]>`select bucket from bucket order by bucket`;
  for (const { bucket } of buckets) {
    const open = await findOpenHistory(sql, bucket, month, options.rest);
    if (open.tasks > 0 || open.unsummed > 0) return { outcome: 'open', month: name, ...open };
  }
  // Before the first row goes: from here on the audit expects none of it.
  await sql`insert into retention_month (month) values (${month.start}::timestamptz::date) on conflict do nothing`;
  const deleted: Deleted = { ...known?.deleted };
  const add = async (table: string, rows: number): Promise<void> => {
    if (rows === 0) return;
    deleted[table] = (deleted[table] ?? 0) + rows;
    await sql`
      update retention_month set deleted = ${sql.json(deleted as JSONValue)} where month = ${month.start}::timestamptz::date`;
  };
  for (const { bucket } of buckets) await endBucket(options, bucket, month, add);
  if (!(await dropPartitions(options, month, add))) return { outcome: 'locked', month: name, deleted };
  await endReads(options, month, add);
  await sql`update retention_month set ended_at = now() where month = ${month.start}::timestamptz::date and ended_at is null`;
  return { outcome: 'ended', month: name, deleted };
}

type Add = (table: string, rows: number) => Promise<void>;

async function endBucket(options: RetentionOptions, bucket: number, month: Month, add: Add): Promise<void> {
  const { sql } = options;
  for (let last: bigint | undefined; ; ) {
    const customers = await readCustomers(sql, bucket, last);
    if (customers.length === 0) break;
    await repeat(options, () => endTasks(sql, bucket, customers, month, add));
    for (const table of PARTITIONED) {
      await repeat(options, () => endDefaultRows(sql, bucket, table, customers, month, add));
    }
    last = customers.at(-1);
  }
  const attempts = await sql`delete from webhook_attempt where bucket = ${bucket} and at < ${month.end}`;
  await add('webhook_attempt', attempts.count);
}

async function repeat({ signal, rest }: RetentionOptions, step: () => Promise<number>): Promise<void> {
  do {
    signal.throwIfAborted();
    await rest();
  } while ((await step()) >= ROWS_A_STEP);
}

async function readCustomers(sql: Sql, bucket: number, after = 0n): Promise<bigint[]> {
  const rows = await sql<{ customer_id: bigint }[]>`
    select customer_id from account where bucket = ${bucket} and customer_id > ${after}
    order by customer_id limit ${CUSTOMERS_A_STEP}`;
  return rows.map((row) => row.customer_id);
}

const TASKS = defineRows('k', { customerId: 'bigint', taskId: 'bigint' });
const BATCHES = defineRows('k', { customerId: 'bigint', batchId: 'text', tasks: 'int' });

/** Tasks that have ended, with what hangs on them. A batch goes with its last task; before, it counts those that went. */
async function endTasks(sql: Sql, bucket: number, customers: readonly bigint[], { end }: Month, add: Add) {
  const tasks = await sql<{ customerId: bigint; taskId: bigint; batchId: string | null }[]>`
    select t.customer_id as "customerId", t.task_id as "taskId", t.batch_id as "batchId"
    from unnest(${numericArray(customers)}::bigint[]) as k (customer_id)
    cross join lateral (
      select customer_id, task_id, batch_id from task
      where bucket = ${bucket} and customer_id = k.customer_id and task_id < ${firstIdAt(end)}
        and stage in ('completed', 'failed', 'cancelled') and frozen = charged + released
      order by task_id limit ${ROWS_A_STEP}
    ) as t limit ${ROWS_A_STEP}`;
  if (tasks.length === 0) return 0;
  await sql.begin(async (tx) => {
    const keys = TASKS.unnest(tx, tasks);
    await tx`
      delete from blocked_content c using ${keys}
      where c.bucket = ${bucket} and c.customer_id = k.customer_id and c.task_id = k.task_id`;
    await tx`
      delete from task t using ${keys}
      where t.bucket = ${bucket} and t.customer_id = k.customer_id and t.task_id = k.task_id`;
    const batches = BATCHES.unnest(tx, countByBatch(tasks));
    await tx`
      update batch b set deleted_tasks = b.deleted_tasks + k.tasks from ${batches}
      where b.bucket = ${bucket} and b.customer_id = k.customer_id and b.batch_id = k.batch_id`;
    await tx`
      delete from batch b using ${batches}
      where b.bucket = ${bucket} and b.customer_id = k.customer_id and b.batch_id = k.batch_id
        and not exists (
          select 1 from task t where t.bucket = ${bucket} and t.customer_id = b.customer_id and t.batch_id = b.batch_id)`;
  });
  await add('task', tasks.length);
  return tasks.length;
}

function countByBatch(tasks: readonly { readonly customerId: bigint; readonly batchId: string | null }[]) {
  const counts = new Map<string, { readonly customerId: bigint; readonly batchId: string; tasks: number }>();
  for (const { customerId, batchId } of tasks) {
    if (batchId === null) continue;
    const key = `${customerId} ${batchId}`;
    const count = counts.get(key) ?? { customerId, batchId, tasks: 0 };
    count.tasks += 1;
    counts.set(key, count);
  }
  return [...counts.values()];
}

/** Rows that came when their month had no partition yet. */
async function endDefaultRows(
  sql: Sql,
  bucket: number,
  table: string,
  customers: readonly bigint[],
  { end }: Month,
  add: Add,
): Promise<number> {
  const id = sql(`${table}_id`);
  const rows = sql(`${table}_default`);
  const { count } = await sql`
    delete from ${rows} d using (
      select r.customer_id, r.id from unnest(${numericArray(customers)}::bigint[]) as k (customer_id)
      cross join lateral (
        select customer_id, ${id} as id from ${rows}
        where bucket = ${bucket} and customer_id = k.customer_id and ${id} < ${firstIdAt(end)} limit ${ROWS_A_STEP}
      ) as r limit ${ROWS_A_STEP}
    ) as old
    where d.bucket = ${bucket} and d.customer_id = old.customer_id and d.${id} = old.id`;
  await add(table, count);
  return count;
}

/**
 * Whole months of records. Dropping one takes a brief lock of the whole table, which is asked for only as briefly: false when a table was
 * in use, and the next round tries again.
 */
async function dropPartitions({ sql }: RetentionOptions, { end }: Month, add: Add): Promise<boolean> {
  for (const { name, table, rows } of await readPartitions(sql, end)) {
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await tx`drop table if exists ${tx(name)}`;
      });
    } catch (error) {
      if (isLockTimeout(error)) return false;
      throw error;
    }
    await add(table, rows);
  }
  return true;
}

/** Those of the months before a time, with how many rows the database believes to be in them. */
export async function readPartitions(sql: Sql, before: Date) {
  const rows = await sql<{ name: string; table: string; month: string; rows: number; bytes: bigint }[]>`
    select c.relname as name, p.relname as table, substring(c.relname from '\\d{4}_\\d{2}$') as month,
      greatest(c.reltuples, 0)::float8 as rows, pg_total_relation_size(c.oid) as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname = any(${textArray(PARTITIONED)}::text[]) and p.relkind = 'p' and c.relname ~ '_\\d{4}_\\d{2}$'
    order by month, p.relname`;
  const firstKept = nameMonth(monthOf(before)).replace('-', '_');
  return rows.filter(({ month }) => month < firstKept);
}

/** Records of what operators looked at. */
async function endReads(options: RetentionOptions, { end }: Month, add: Add): Promise<void> {
  const { sql } = options;
  await repeat(options, async () => {
    const { count } = await sql`
      delete from audit where audit_id in (
        select audit_id from audit where action = any(${textArray(READ_ACTIONS)}::text[]) and at < ${end} limit ${ROWS_A_STEP})`;
    await add('audit', count);
    return count;
  });
}
