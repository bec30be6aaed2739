import { groupBy } from '../../domain/group-by.js';
import { createDatabaseProbe } from '../probe.js';
import type { Sql } from '../sql.js';
import { readMachines } from './placement.js';

/**
 * What a cluster adds to readiness: the buckets whose machine does not answer. Those of all others are served. One bucket of each
 * machine is asked for, so that the cost grows with machines and not with buckets.
 */
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
    const used = buckets();
    const machines = await readMachines(sql).catch(() => new Map<number, number>());
    // A bucket that the catalogue does not name is asked for alone.
    const byMachine = groupBy(used, (bucket) => machines.get(bucket) ?? `bucket ${bucket}`);
    const away = await Promise.all(
      [...byMachine.values()].map(async (own) => ((await probeOf(own[0] ?? 0)()) ? [] : own)),
    );
    return { database: 'cluster', buckets: used.length, buckets_away: away.flat().sort((a, b) => a - b) };
  };
}
