// Whether everything is done: no task waits to be prepared and no chunk is left, for a chunk goes when its last number has
// its receipt. Both are questions to an index for one entry, whatever the size of the tables.

import { setTimeout as delay } from 'node:timers/promises';
import type { Sql } from '#src/store/sql.js';

const POLL_MS = 25;
/** Of the time that has passed: what is asked too late lengthens the measurement by half of it. */
const POLL_SHARE = 0.01;

async function isDone(sql: Sql, bucket: number): Promise<boolean> {
  const [row] = await sql<{ open: boolean }[]>`
    select exists (
        select 1 from task where bucket = ${bucket} and queued_for is not null and queued_for = 'prepare'
          order by bucket, customer_id, task_id limit 1)
      or exists (
        select 1 from chunk where bucket = ${bucket} order by bucket, customer_id, task_id, chunk_no limit 1) as open`;
  return row?.open === false;
}

/** Resolves with false when it is not done by then. */
export async function waitUntilDone(
  sql: Sql,
  signal: AbortSignal,
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const startedMs = performance.now();
  const buckets = await sql<{ bucket: number }[]>`select bucket from bucket`;
  // One after the other: everything is accepted, so that nothing comes to one that is done.
  for (const { bucket } of buckets) {
    while (!(await isDone(sql, bucket))) {
      const waitedMs = performance.now() - startedMs;
      if (waitedMs > patienceMs) return false;
      await delay(Math.max(POLL_MS, POLL_SHARE * waitedMs), undefined, { signal });
    }
  }
  return true;
}
