import type { AnySql, Statement } from './sql.js';

/**
 * The bucket as a row of the tenant tables themselves. An insert that selects from it lands where the bucket's other rows
 * are: on a cluster it goes whole to that machine and commits in one phase, and on a single PostgreSQL it costs nothing.
 */
export function bucketRow(sql: AnySql, bucket: number): Statement {
  return sql`(select bucket from account where bucket = ${bucket} limit 1) as b`;
}
