import type { AnySql } from './connect.js';

/** What there may be to do in a bucket, by the database's clock. */
export interface Due {
  /** Unknown numbers at their deadline. */
  readonly unknown: boolean;
  /** Chunks whose receipts have been waited for long enough. */
  readonly receipts: boolean;
  /** Tasks to be started. */
  readonly start: boolean;
  /** Tasks whose time is up. */
  readonly end: boolean;
  /** Tasks to be prepared. */
  readonly prepare: boolean;
  /** Customers whose waiting tasks are to be tried again. */
  readonly refreeze: boolean;
}

/** One statement looks at the first entry of a few indexes: buckets are many on a cluster, and nearly always nothing is due. */
export async function readDue(sql: AnySql, bucket: number): Promise<Due> {
  const [due] = await sql<Due[]>`
    select exists (select 1 from unknown_part where bucket = ${bucket} and deadline <= now()) as unknown,
      exists (select 1 from chunk where bucket = ${bucket} and due_at <= now()) as receipts,
      exists (select 1 from task where bucket = ${bucket} and submit_at <= now() and paused is not true) as start,
      exists (select 1 from task where bucket = ${bucket} and unsent_until <= now()) as "end",
      exists (select 1 from task where bucket = ${bucket} and queued_for = 'prepare'
        and (prepare_after is null or prepare_after <= now())) as prepare,
      exists (select 1 from account where bucket = ${bucket} and wants_refreeze) as refreeze`;
  if (due === undefined) throw new Error('A question to the database had no answer.');
  return due;
}
