import { isPlannedByCluster } from './cluster/distribution.js';
import type { AnySql, Statement } from './sql.js';

/**
 * The bucket as a row. Where a cluster plans the statement, it is read from a tenant table: an insert that selects from it goes whole to
 * the machine of the bucket's rows, and commits in one phase.
 */
export function bucketRow(sql: AnySql, bucket: number): Statement {
  return isPlannedByCluster(sql)
    ? sql`(select bucket from account where bucket = ${bucket} limit 1) as b`
    : sql`(select ${bucket}::smallint as bucket) as b`;
}

/**
 * The bucket of rows that a statement finds by a list of keys. While a table has no statistics, the planner takes the rows of a bucket for
 * very few, and would read all of them for every list. So the value seems to depend on the key, and rows can only be looked up key by
 * key. The cluster has to see the constant.
 */
export function bucketOfKey(sql: AnySql, bucket: number, key: 'k' | 'u' | 'n' | 'q' | 'e'): Statement {
  return isPlannedByCluster(sql) ? sql`${bucket}` : sql`(${bucket} + 0 * ${sql(key)}.customer_id)::smallint`;
}
