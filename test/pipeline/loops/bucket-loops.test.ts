import { expect, onTestFinished, test } from 'vitest';
import { runBucketLoops } from '../../../src/pipeline/loops/bucket-loops.js';
import { startWake } from '../../../src/pipeline/wake.js';
import type { Sql } from '../../../src/store/sql.js';
import { quiet } from '../../support/quiet.js';
import { until } from '../../support/until.js';

test('while the whole database is away one bucket tries for all, and all go on once it is back', async () => {
  const wake = await startWake({ sql: undefined as unknown as Sql, listen: false, warn: () => {} });
  const stopping = new AbortController();
  const buckets = [1, 2, 3, 4, 5, 6];
  const tries = new Map<number, number>();
  const served = new Set<number>();
  let isAway = true;
  const step = async (bucket: number): Promise<boolean> => {
    tries.set(bucket, (tries.get(bucket) ?? 0) + 1);
    if (isAway) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    served.add(bucket);
    return false;
  };
  const how = { name: 'testing', topic: 'sum', pollMs: 60_000, signal: stopping.signal } as const;
  const log = { ...quiet, error: () => {}, child: () => log } as unknown as Parameters<typeof runBucketLoops>[0]['log'];
  const loops = runBucketLoops({ ...how, wake, log, buckets: () => buckets, step });
  onTestFinished(() => {
    stopping.abort();
    return loops;
  });
  await until('one has tried again and again', () => [...tries.values()].some((count) => count >= 3));
  expect([...tries.values()].filter((count) => count > 1)).toHaveLength(1);
  isAway = false;
  await until('all are served', () => served.size === buckets.length);
});
