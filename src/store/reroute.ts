// Moving chunks from one channel's queue to another's.

import type { CustomerId, TaskId } from '../domain/id.js';
import { numericArray } from './array-literal.js';
import type { AnySql } from './connect.js';

export interface MovableChunk {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly chunkNo: number;
  readonly firm: string;
}

/** The oldest chunks in a channel's queue. */
export async function readMovable(sql: AnySql, channelId: bigint, limit: number): Promise<MovableChunk[]> {
  return await sql<MovableChunk[]>`
    select c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo", c.firm
    from (
      select customer_id, task_id, chunk_no, job_id from job
      where kind = 'dispatch' and channel_id = ${channelId} order by customer_id, job_id limit ${limit}
    ) as j
    join chunk c on c.customer_id = j.customer_id and c.task_id = j.task_id and c.chunk_no = j.chunk_no
    order by j.job_id`;
}

/**
 * Moves chunks of which no part is on the wire. Their jobs get new numbers, above every mark that a dispatcher has set:
 * the caller holds the account's lock, under which a customer's jobs are numbered.
 */
export async function moveChunks(
  tx: AnySql,
  customerId: CustomerId,
  moves: readonly (MovableChunk & { readonly to: bigint })[],
): Promise<number> {
  const rows = await tx`
    with move as (
      select c.task_id, c.chunk_no, c.job_id, m.channel_id
      from unnest(
        ${numericArray(moves.map((m) => m.taskId))}::bigint[], ${numericArray(moves.map((m) => m.chunkNo))}::int[],
        ${numericArray(moves.map((m) => m.to))}::bigint[]
      ) as m (task_id, chunk_no, channel_id)
      join chunk c on c.customer_id = ${customerId} and c.task_id = m.task_id and c.chunk_no = m.chunk_no
      where position('\\x01'::bytea in c.part_states) = 0
    ), gone as (
      delete from job using move where job.job_id = move.job_id and job.kind = 'dispatch'
      returning job.task_id, job.chunk_no, move.channel_id
    ), fresh as (
      insert into job (kind, customer_id, task_id, chunk_no, channel_id)
      select 'dispatch', ${customerId}, task_id, chunk_no, channel_id from gone
      returning job_id, task_id, chunk_no, channel_id
    )
    update chunk c set job_id = fresh.job_id, channel_id = fresh.channel_id from fresh
    where c.customer_id = ${customerId} and c.task_id = fresh.task_id and c.chunk_no = fresh.chunk_no
    returning 1`;
  return rows.length;
}
