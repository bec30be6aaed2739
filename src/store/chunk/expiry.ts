// Chunks that are handed over and whose receipts have a time limit, by the database's clock.

import type { ChunkKey } from '../../domain/chunk/chunk.js';
import type { TaskKey } from '../../domain/task/task.js';
import { bucketOfKey } from '../bucket.js';
import { exceptTasks } from '../rows/except-tasks.js';
import { CHUNK_KEYS } from '../rows/keys.js';
import type { AnySql } from '../sql.js';

/** Chunks whose receipts have been waited for long enough. */
export async function readExpired(
  sql: AnySql,
  bucket: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<ChunkKey[]> {
  return await sql<ChunkKey[]>`
    select bucket, customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo" from chunk
    where bucket = ${bucket} and due_at <= now() and ${exceptTasks(sql, 'chunk', except)}
    order by due_at limit ${limit}`;
}

/** A chunk that waits for unknown numbers only is looked at again later. */
export async function postponeExpiry(
  sql: AnySql,
  bucket: number,
  keys: readonly ChunkKey[],
  ms: number,
): Promise<void> {
  await sql`
    update chunk c set due_at = now() + ${ms} * interval '1 millisecond'
    from ${CHUNK_KEYS.unnest(sql, keys)}
    where c.bucket = ${bucketOfKey(sql, bucket, 'k')} and c.customer_id = k.customer_id and c.task_id = k.task_id and c.chunk_no = k.chunk_no
      and c.due_at <= now()`;
}
