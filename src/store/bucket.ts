import { isPlannedByCluster } from './cluster/distribution.js';
import type { AnySql, Statement } from './sql.js';

/**
 * The bucket as a row of the tenant tables themselves. An insert that selects from it lands where the bucket's other rows
 * are: on a cluster it goes whole to that machine and commits in one phase, and on a single PostgreSQL it costs nothing.
 */
export function bucketRow(sql: AnySql, bucket: number): Statement {
  return sql`(select bucket from account where bucket = ${bucket} limit 1) as b`;
}

/**
 * The bucket of rows that a statement finds by a list of keys. While a table has no statistics, the planner takes the rows of a bucket for
 * very few, and would read all of them for every list. So the value seems to depend on the key, and rows can only be looked up key by
 * key. The cluster has to see the constant.
 */
export function bucketOfKey(sql: AnySql, bucket: number, key: 'k' | 'u' | 'n' | 'q' | 'e'): Statement {
  return isPlannedByCluster(sql) ? sql`${bucket}` : sql`(${bucket} + 0 * ${sql(key)}.customer_id)::smallint`;
}
