import { isDistributed } from '../../src/store/cluster/distribution.js';
import type { AnySql, Sql } from '../../src/store/sql.js';

/** Who waits for a lock with a statement like this; on a cluster they wait on the machine of the rows. */
export async function findLockWaits(sql: Sql, statement = ''): Promise<bigint[]> {
  const rows = isDistributed(sql)
    ? await sql<{ pid: bigint }[]>`
        select waiting_gpid as pid from citus_lock_waits where blocked_statement like ${`%${statement}%`}`
    : await sql<{ pid: bigint }[]>`
        select pid::bigint from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${statement}%`}`;
  return rows.map(({ pid }) => pid);
}

/** Whether a statement waits for what this transaction has locked. On a cluster: whether one waits for anything. */
export async function isWaitedFor(sql: Sql, tx: AnySql): Promise<boolean> {
  if (isDistributed(sql)) return (await findLockWaits(sql)).length > 0;
  const [holder] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const waits = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and ${holder?.pid ?? 0} = any(pg_blocking_pids(pid))`;
  return waits.length > 0;
}

/** As another transaction that works on the account, for as long as the test takes. Returns its bucket. */
export async function lockAccountOf(tx: AnySql, { customerNo }: { readonly customerNo: string }): Promise<number> {
  const [row] = await tx<{ bucket: number; id: bigint }[]>`
    select bucket, customer_id as id from customer where customer_no = ${customerNo}`;
  if (row === undefined) throw new Error(`there is no customer ${customerNo}`);
  await tx`set local idle_in_transaction_session_timeout = 0`;
  await tx`select 1 as one from account where bucket = ${row.bucket} and customer_id = ${row.id} for update`;
  return row.bucket;
}
