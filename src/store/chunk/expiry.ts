// Chunks with numbers that wait for receipts, by the time at which the first of those may be overdue, by the database's clock.

import type { ChunkKey } from '../../domain/chunk/chunk.js';
import type { TaskKey } from '../../domain/task/task.js';
import { bucketOfKey } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import { exceptTasks } from '../rows/except-tasks.js';
import type { AnySql } from '../sql.js';

/** A chunk with numbers whose receipts may be overdue. */
export interface DueChunk extends ChunkKey {
  /** The database's clock before the chunk was read. */
  readonly readAt: Date;
}

export async function readExpired(
  sql: AnySql,
  bucket: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<DueChunk[]> {
  return await sql<DueChunk[]>`
    select bucket, customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", now() as "readAt" from chunk
    where bucket = ${bucket} and due_at <= now() and ${exceptTasks(sql, 'chunk', except)}
    order by due_at limit ${limit}`;
}

const DUE_TIMES = defineRows('k', { customerId: 'bigint', taskId: 'bigint', chunkNo: 'int', dueAt: 'timestamptz' });

/** When to look at these chunks again. */
export async function postponeExpiry(
  sql: AnySql,
  bucket: number,
  chunks: readonly (ChunkKey & { readonly dueAt: Date })[],
): Promise<void> {
  await sql`
    update chunk c set due_at = k.due_at
    from ${DUE_TIMES.unnest(sql, chunks)}
    where c.bucket = ${bucketOfKey(sql, bucket, 'k')} and c.customer_id = k.customer_id and c.task_id = k.task_id and c.chunk_no = k.chunk_no
      and c.due_at <= now()`;
}
