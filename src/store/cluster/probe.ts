import type { Sql } from '../connect.js';
import { createDatabaseProbe } from '../probe.js';

/** What a cluster adds to readiness: the buckets whose machine does not answer. Those of all others are served. */
export function createClusterProbe(sql: Sql, buckets: () => readonly number[]): () => Promise<object> {
  const probes = new Map<number, () => Promise<boolean>>();
  const probeOf = (bucket: number): (() => Promise<boolean>) => {
    const known = probes.get(bucket);
    if (known !== undefined) return known;
    const probe = createDatabaseProbe(sql, () => sql`select 1 as one from account where bucket = ${bucket} limit 1`);
    probes.set(bucket, probe);
    return probe;
  };
  return async () => {
    const answers = await Promise.all(buckets().map(async (bucket) => ({ bucket, isThere: await probeOf(bucket)() })));
    return {
      database: 'cluster',
      buckets: answers.length,
      buckets_away: answers.filter(({ isThere }) => !isThere).map(({ bucket }) => bucket),
    };
  };
}
