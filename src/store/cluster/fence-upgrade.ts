import type { Sql } from '../sql.js';
import { isDatabaseDistributed } from './distribution.js';

/**
 * Counts running processes of a release that locks only the fences on the coordinator. Such a process could take a channel over while a
 * transaction of its owner is not committed yet, so all of them must end before `bucket_fence` is created. Zero on one PostgreSQL.
 */
export async function countProcessesWithoutBucketFences(sql: Sql): Promise<number> {
  const [found] = await sql<{ isUpgrade: boolean }[]>`
    select to_regclass('bucket_fence') is null and to_regclass('node') is not null as "isUpgrade"`;
  if (found?.isUpgrade !== true || !(await isDatabaseDistributed(sql))) return 0;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from node where seen_at > now() - interval '15 seconds'`;
  return row?.count ?? 0;
}

export const STOP_ALL_PROCESSES =
  'On a cluster this release cannot run beside an older one: stop all processes of the service, wait 15 seconds, and start again';
