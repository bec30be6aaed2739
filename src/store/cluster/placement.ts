// Which machine of a cluster holds which bucket, by the catalogue of the machine that is asked.

import { textArray } from '../array-literal.js';
import type { Sql } from '../sql.js';
import type { ShardNames } from './name-shards.js';
import type { BucketShards } from './shard-sql.js';
import { DISTRIBUTED, ON_COORDINATOR } from './tables.js';

/** The number of PostgreSQL's lock mode `AccessShareLock`, which does not wait for a move. */
const ACCESS_SHARE = 1;

/** Buckets `b`, with the placement `p` of their shard. */
export function placements(sql: Sql) {
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

export interface HeldBuckets {
  readonly buckets: ReadonlySet<number>;
  /** Changes with the shards that the catalogue knows and the buckets that are held. */
  readonly stamp: string;
}

/** The buckets that a worker holds by its own catalogue. Throws on a standby that has not been promoted yet. */
export async function readHeldBuckets(worker: Sql): Promise<HeldBuckets> {
  const rows = await worker<{ bucket: number; shardId: bigint; known: string; isStandby: boolean }[]>`
    select b.bucket, b.shard_id as "shardId", pg_is_in_recovery() as "isStandby",
      (select count(*) || ' ' || max(shardid) from pg_dist_shard) as known
    from ${placements(worker)}
    where p.groupid = (select groupid from pg_dist_local_group)
    order by b.bucket`;
  if (rows.some(({ isStandby }) => isStandby)) throw new Error('the worker is a standby');
  return {
    buckets: new Set(rows.map(({ bucket }) => bucket)),
    stamp: rows.map(({ bucket, shardId, known }) => `${bucket} ${shardId} ${known}`).join(),
  };
}

/** The shards of the buckets that a worker holds. Throws where this user may not lock them. */
export async function readBucketShards(worker: Sql): Promise<BucketShards[]> {
  await worker`
    select lock_shard_metadata(${ACCESS_SHARE}, array[get_shard_id_for_distribution_column('account', bucket)]) from bucket`;
  const rows = await worker<{ bucket: number; shardId: bigint; tables: string[]; shards: string[] }[]>`
    select b.bucket, b.shard_id as "shardId", array_agg(s.logicalrelid::text order by s.shardid) as tables,
      array_agg(shard_name(s.logicalrelid, s.shardid) order by s.shardid) as shards
    from ${placements(worker)}
    join pg_dist_shard a on a.shardid = b.shard_id
    join pg_dist_shard s on s.shardminvalue = a.shardminvalue and s.shardmaxvalue = a.shardmaxvalue
      and s.logicalrelid::text = any(${textArray(DISTRIBUTED)}::text[])
    where p.groupid = (select groupid from pg_dist_local_group)
    group by b.bucket, b.shard_id`;
  return rows.map(({ bucket, shardId, tables, shards }) => ({
    bucket,
    shardId,
    names: new Map(tables.map((table, at) => [table, shards[at] ?? ''])),
  }));
}

/** The shards of the tables that are on the coordinator. */
export async function readCoordinatorShards(coordinator: Sql): Promise<ShardNames> {
  const rows = await coordinator<{ table: string; shard: string }[]>`
    select logicalrelid::text as table, shard_name(logicalrelid, shardid) as shard from pg_dist_shard
    where logicalrelid::text = any(${textArray(ON_COORDINATOR)}::text[])`;
  return new Map(rows.map(({ table, shard }) => [table, shard]));
}
