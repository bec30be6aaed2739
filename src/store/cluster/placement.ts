// Which machine of a cluster holds which bucket, by the catalogue of the machine that is asked.

import type { Sql } from '../sql.js';

/** Buckets `b`, with the placement `p` of their shard. */
function placements(sql: Sql) {
  return sql`
    (select bucket, get_shard_id_for_distribution_column('account', bucket) as shard_id from bucket) as b
    join pg_dist_placement p on p.shardid = b.shard_id`;
}

/** The machine of each bucket, as the number of its group of servers. */
export async function readMachines(sql: Sql): Promise<Map<number, number>> {
  const rows = await sql<{ bucket: number; machine: number }[]>`
    select b.bucket, p.groupid as machine from ${placements(sql)}`;
  return new Map(rows.map(({ bucket, machine }) => [bucket, machine]));
}

/** `host:port` of the worker that holds each bucket. Left out: buckets of a worker without metadata, which cannot plan. */
export async function readWorkers(coordinator: Sql): Promise<ReadonlyMap<number, string>> {
  const rows = await coordinator<{ bucket: number; host: string; port: number }[]>`
    select b.bucket, n.nodename as host, n.nodeport as port from ${placements(coordinator)}
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary' and n.metadatasynced and n.groupid <> 0`;
  return new Map(rows.map(({ bucket, host, port }) => [bucket, `${host}:${port}`]));
}

/** The buckets that a worker holds by its own catalogue. Throws on a standby that has not been promoted yet. */
export async function readHeldBuckets(worker: Sql): Promise<ReadonlySet<number>> {
  const rows = await worker<{ bucket: number; isStandby: boolean }[]>`
    select b.bucket, pg_is_in_recovery() as "isStandby" from ${placements(worker)}
    where p.groupid = (select groupid from pg_dist_local_group)`;
  if (rows.some(({ isStandby }) => isStandby)) throw new Error('the worker is a standby');
  return new Set(rows.map(({ bucket }) => bucket));
}
