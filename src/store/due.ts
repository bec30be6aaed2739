import type { AnySql, PendingQuery, Row } from './sql.js';
import { isToPrepare } from './task/task-prepare.js';

/** The work that is due in a bucket, by the database's clock. */
export interface Due {
  /** Unknown numbers at their deadline. */
  readonly unknown: boolean;
  /** Chunks with overdue receipts. */
  readonly receipts: boolean;
  /** Tasks to be started. */
  readonly start: boolean;
  /** Tasks whose time is up. */
  readonly end: boolean;
  /** Tasks to be prepared, by size. */
  readonly prepare: boolean;
  readonly prepareLarge: boolean;
  /** Quarantined tasks whose backoff has passed. */
  readonly prepareRetry: boolean;
  /** Customers whose waiting tasks are to be tried again. */
  readonly refreeze: boolean;
}

/**
 * One statement looks at the first entry of a few indexes: buckets are many on a cluster, and nearly always nothing is due. The
 * order names the index: a plan for "any that is due" may read the whole table.
 */
export async function readDue(sql: AnySql, bucket: number): Promise<Due> {
  const first = (column: string, rows: PendingQuery<Row[]>) =>
    sql`coalesce((select ${sql(column)} ${rows} order by ${sql(column)} limit 1) <= now(), false)`;
  const any = (rows: PendingQuery<Row[]>) => sql`(select customer_id ${rows} order by customer_id limit 1) is not null`;
  const tasks = sql`from task where bucket = ${bucket}`;
  const [due] = await sql<Due[]>`
    select ${first('deadline', sql`from unknown_part where bucket = ${bucket}`)} as unknown,
      ${first('due_at', sql`from chunk where bucket = ${bucket} and due_at is not null`)} as receipts,
      ${first('submit_at', sql`${tasks} and submit_at is not null and paused is not true`)} as start,
      ${first('unsent_until', sql`${tasks} and unsent_until is not null`)} as "end",
      ${any(sql`${tasks} and ${isToPrepare(sql, 'small')}`)} as prepare,
      ${any(sql`${tasks} and ${isToPrepare(sql, 'large')}`)} as "prepareLarge",
      ${first('prepare_after', sql`${tasks} and queued_for = 'prepare' and prepare_after is not null`)} as "prepareRetry",
      ${any(sql`from account where bucket = ${bucket} and wants_refreeze`)} as refreeze`;
  if (due === undefined) throw new Error('A question to the database had no answer.');
  return due;
}
