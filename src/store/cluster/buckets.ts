// What an operator sees of buckets and workers, by the catalogue of the coordinator.

import type { Sql } from '../sql.js';
import { placements } from './placement.js';

export interface Worker {
  readonly host: string;
  readonly port: number;
}

export interface Bucket {
  readonly bucket: number;
  readonly shardId: bigint;
  readonly worker: Worker;
  readonly customers: number;
  /** With indexes; null while its worker does not answer. */
  readonly bytes: number | null;
}

/** The buckets by number, with the size of all their tables. */
export async function readBuckets(coordinator: Sql): Promise<Bucket[]> {
  const rows = await coordinator<(Omit<Bucket, 'worker' | 'bytes'> & Worker & { bytes: bigint | null })[]>`
    with sized as (
      select shard_id, max(size) as size from citus_shard_sizes() group by shard_id
    ), owned as (
      select bucket, count(*)::int as customers from customer group by bucket
    )
    select b.bucket, b.shard_id as "shardId", node.nodename as host, node.nodeport as port,
      coalesce(owned.customers, 0) as customers, sum(sized.size)::bigint as bytes
    from ${placements(coordinator)}
    join pg_dist_node node on node.groupid = p.groupid and node.noderole = 'primary'
    join pg_dist_shard own on own.shardid = b.shard_id
    join pg_dist_partition spread on spread.colocationid =
      (select colocationid from pg_dist_partition where logicalrelid = 'account'::regclass)
    join pg_dist_shard shard on shard.logicalrelid = spread.logicalrelid and shard.shardminvalue = own.shardminvalue
    left join sized on sized.shard_id = shard.shardid
    left join owned on owned.bucket = b.bucket
    group by 1, 2, 3, 4, 5 order by 1`;
  return rows.map(({ host, port, bytes, ...row }) => ({
    ...row,
    worker: { host, port },
    bytes: bytes === null ? null : Number(bytes),
  }));
}

/** The machines that take buckets. */
export async function readBucketWorkers(coordinator: Sql): Promise<Worker[]> {
  return await coordinator<Worker[]>`
    select nodename as host, nodeport as port from pg_dist_node
    where noderole = 'primary' and isactive and shouldhaveshards order by 1, 2`;
}

/** The coordinator, where this machine is one of the others; buckets are moved by the coordinator alone. */
export async function findOtherCoordinator(sql: Sql): Promise<Worker | undefined> {
  const [row] = await sql<Worker[]>`
    select nodename as host, nodeport as port from pg_dist_node
    where groupid = 0 and noderole = 'primary' and (select groupid from pg_dist_local_group) <> 0`;
  return row;
}
