// Work that every process with the worker role could do, and one does at a time. The lease only saves work: each step can be repeated, so
// two processes at once, after a stall, do no harm.

import type { Sql } from './sql.js';

const LEASE_SECONDS = 60;

/**
 * Takes or renews the lease. False while another process has it. The new time shows whether that has ended: a cluster takes no clock in the
 * condition of a conflict.
 */
export async function holdWork(sql: Sql, work: string, holder: string): Promise<boolean> {
  const rows = await sql`
    insert into work_lease (work, holder, expires_at) values (${work}, ${holder}, now() + ${LEASE_SECONDS} * interval '1 second')
    on conflict (work) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where work_lease.holder = excluded.holder or excluded.expires_at - work_lease.expires_at > ${LEASE_SECONDS} * interval '1 second'
    returning work`;
  return rows.length === 1;
}

export async function releaseWork(sql: Sql, work: string, holder: string): Promise<void> {
  await sql`delete from work_lease where work = ${work} and holder = ${holder}`;
}
