// Whether the tables are spread over the machines of a cluster: read from the catalogue once, and known of a pool and its
// transactions from then on.

import type { TransactionSql } from '../driver/index.js';
import type { AnySql, Sql } from '../sql.js';

const spread = new WeakSet<object>();

class HalfSpreadError extends Error {
  override readonly name = 'HalfSpreadError';
  override readonly message =
    'The spreading of this database over its cluster was begun and not finished. Run again: postrider distribute';
}

/** Asks the catalogue. Throws where a distribution was interrupted: rows are on their way to other buckets. */
export async function detectDistribution(sql: Sql): Promise<boolean> {
  if (await isDatabaseDistributed(sql)) spread.add(sql);
  else if ((await hasCitus(sql)) && (await countBuckets(sql)) > 1) throw new HalfSpreadError();
  return spread.has(sql);
}

/** Whether the last of the tables that are spread has come to its place. */
export async function isDatabaseDistributed(sql: Sql): Promise<boolean> {
  if (!(await hasCitus(sql))) return false;
  const [row] = await sql`select 1 as one from pg_dist_partition where logicalrelid = to_regclass('account')`;
  return row !== undefined;
}

export async function hasCitus(sql: Sql): Promise<boolean> {
  return (await sql`select 1 as one from pg_extension where extname = 'citus'`).length > 0;
}

/** The number of shards; one before the distribution has started. */
export async function countBuckets(sql: Sql): Promise<number> {
  const [row] = await sql<{ buckets: number }[]>`select count(*)::int as buckets from bucket`;
  return row?.buckets ?? 0;
}

export function isDistributed(sql: AnySql): boolean {
  return spread.has('pool' in sql ? (sql as TransactionSql).pool : sql);
}

/** For a pool to a worker, which is known to belong to a cluster. */
export function markDistributed(pool: Sql): void {
  spread.add(pool);
}

/** With the pool to the same machine whose statements the cluster plans. */
const onShards = new WeakMap<object, Sql>();

/** Statements of this pool or transaction name the shards of one bucket, and PostgreSQL plans them alone. */
export function markOnShards(sql: object, planned: Sql): void {
  onShards.set(sql, planned);
}

/** Whether the cluster takes statements apart, and refuses some that PostgreSQL takes. */
export function isPlannedByCluster(sql: AnySql): boolean {
  return isDistributed(sql) && !onShards.has(sql);
}

const routes = new WeakMap<object, (bucket: number) => Sql | undefined>();

/** Has `bucketSql` return what `poolOf` finds for the coordinator's pool; undefined: that pool itself. */
export function routeBuckets(coordinator: Sql, poolOf: (bucket: number) => Sql | undefined): void {
  routes.set(coordinator, poolOf);
}

/** The pool for the transactions of a bucket. Without routes, as on one PostgreSQL, the same pool. */
export function bucketSql(sql: Sql, bucket: number): Sql {
  return routes.get(sql)?.(bucket) ?? sql;
}

/**
 * The pool for a transaction of a bucket that also writes a table without shards. The cluster plans it, so that it knows of all writes and
 * commits in two phases: of those on the shards it knows nothing, and would commit on the other machine before they are committed here.
 */
export function spanningSql(sql: Sql, bucket: number): Sql {
  const own = bucketSql(sql, bucket);
  return onShards.get(own) ?? own;
}
