// What was under way when the database lost commits: it reads as unsent, and may have been sent.

import type { StoredChunk } from '../../domain/chunk/chunk.js';
import { asCustomerId, type CustomerId, firstIdAt, type TaskId } from '../../domain/id.js';
import { numericArray } from '../array-literal.js';
import { type ChunkRow, chunkColumns, toStoredChunk } from '../chunk/chunk.js';
import type { AnySql } from '../sql.js';

/** The key of the last chunk that was read. */
export interface UnsentPlace {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly chunkNo: number;
}

/** Queued chunks with unsent parts, of tasks that were accepted before this moment. */
export async function readUnsentChunks(
  sql: AnySql,
  bucket: number,
  acceptedBefore: Date,
  after: UnsentPlace | undefined,
  limit: number,
): Promise<StoredChunk[]> {
  const { customerId = 0n, taskId = 0n, chunkNo = 0 } = after ?? {};
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)} from chunk c
    where c.bucket = ${bucket} and c.queue_no is not null and c.task_id < ${firstIdAt(acceptedBefore)}
      and (c.customer_id, c.task_id, c.chunk_no) > (${customerId}, ${taskId}, ${chunkNo})
      and position('\\x00'::bytea in c.part_states) > 0
    order by c.customer_id, c.task_id, c.chunk_no limit ${limit}`;
  return rows.map(toStoredChunk);
}

export interface WaitingTask {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
}

/** Tasks that go on without a call, and have nothing queued yet: to be prepared, to start at a time that has come, or waiting for money. */
export async function readTasksGoingOn(sql: AnySql, bucket: number, acceptedBefore: Date): Promise<WaitingTask[]> {
  const open = sql`
    select customer_id, task_id from task
    where bucket = ${bucket} and task_id < ${firstIdAt(acceptedBefore)} and paused is not true and ending is null`;
  const rows = await sql<{ customer_id: bigint; task_id: TaskId }[]>`
    ${open} and queued_for = 'prepare'
    union ${open} and submit_at is not null and submit_at <= now()
    union ${open} and insufficient_funds
    order by customer_id, task_id`;
  return rows.map((row) => ({ customerId: asCustomerId(row.customer_id), taskId: row.task_id }));
}

export async function readBuckets(sql: AnySql): Promise<number[]> {
  const rows = await sql<{ bucket: number }[]>`select bucket from bucket order by bucket`;
  return rows.map(({ bucket }) => bucket);
}

export async function readCustomerNos(
  sql: AnySql,
  customerIds: readonly CustomerId[],
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await sql<{ id: bigint; no: string }[]>`
    select customer_id as id, customer_no as no from customer where customer_id = any(${numericArray(customerIds)}::bigint[])`;
  return new Map(rows.map(({ id, no }) => [id, no]));
}

/** The last moment that the database knows of: a heartbeat of a process or a channel. Null where it knows none. */
export async function readLastMoment(sql: AnySql): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`
    select greatest((select max(seen_at) from node), (select max(live_at) from channel_heartbeat)) as at`;
  return row?.at ?? null;
}
