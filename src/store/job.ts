// What is due. Jobs of the kinds `prepare`, `freeze` and `refreeze` stand for a task (or a customer), `dispatch` and
// `expire` for a chunk: first to be handed over, then to have its receipts. The table holds open work only.

import type { CustomerId, TaskId } from '../domain/id.js';
import { numericArray } from './array-literal.js';
import type { ChunkKey, ChunkRow, StoredChunk } from './chunk.js';
import { chunkColumns, toStoredChunk } from './chunk.js';
import type { AnySql, Statement } from './connect.js';

/** Customers with work of one kind, by walking the index from customer to customer: the backlog's size does not matter. */
export async function readCustomersWithJobs(
  sql: AnySql,
  kind: 'prepare' | 'refreeze',
  after: bigint,
  limit: number,
): Promise<CustomerId[]> {
  if (kind === 'refreeze') {
    const rows = await sql<{ customerId: CustomerId }[]>`
      select distinct customer_id as "customerId" from (
        select customer_id from job where kind = 'refreeze' order by job_id limit ${limit}
      ) as due`;
    return rows.map((row) => row.customerId);
  }
  const rows = await sql<{ customerId: CustomerId }[]>`
    with recursive walk (customer_id, hops) as (
      (select customer_id, 1 from job where kind = 'prepare' and customer_id > ${after} order by customer_id limit 1)
      union all
      select (select customer_id from job where kind = 'prepare' and customer_id > walk.customer_id
              order by customer_id limit 1), hops + 1
      from walk where walk.customer_id is not null and hops < ${limit}
    )
    select customer_id as "customerId" from walk where customer_id is not null`;
  return rows.map((row) => row.customerId);
}

export interface ClaimedTask {
  readonly jobId: bigint;
  readonly taskId: TaskId;
  readonly total: number;
}

/** Takes prepare jobs of one customer for the length of the transaction; another process passes over them. */
export async function claimPrepareJobs(tx: AnySql, customerId: CustomerId, limit: number): Promise<ClaimedTask[]> {
  return await tx<ClaimedTask[]>`
    select j.job_id as "jobId", j.task_id as "taskId", t.total
    from (
      select job_id, task_id from job where kind = 'prepare' and customer_id = ${customerId}
      order by job_id limit ${limit} for update skip locked
    ) as j
    join task t on t.customer_id = ${customerId} and t.task_id = j.task_id
    order by j.job_id`;
}

export function insertTaskJob(
  tx: AnySql,
  kind: 'prepare' | 'freeze' | 'refreeze',
  customerId: CustomerId,
  taskIds: readonly (TaskId | bigint)[],
): Statement {
  return tx`insert into job (kind, customer_id, task_id)
    select ${kind}, ${customerId}, task_id from unnest(${numericArray(taskIds)}::bigint[]) as t (task_id)`;
}

/** Takes the wish to try this customer's waiting freezes again. */
export async function claimRefreezeJobs(tx: AnySql, customerId: CustomerId): Promise<bigint[]> {
  const rows = await tx<{ jobId: bigint }[]>`
    select job_id as "jobId" from job where kind = 'refreeze' and customer_id = ${customerId} for update skip locked`;
  return rows.map((row) => row.jobId);
}

/** Tasks that wait for money, oldest first. */
export async function readFreezeJobs(
  tx: AnySql,
  customerId: CustomerId,
  after: bigint,
  limit: number,
): Promise<{ readonly jobId: bigint; readonly taskId: TaskId }[]> {
  return await tx<{ jobId: bigint; taskId: TaskId }[]>`
    select job_id as "jobId", task_id as "taskId" from job
    where kind = 'freeze' and customer_id = ${customerId} and job_id > ${after} order by job_id limit ${limit}`;
}

export function deleteJobs(tx: AnySql, jobIds: readonly bigint[]): Statement {
  return tx`delete from job where job_id = any(${numericArray(jobIds)}::bigint[])`;
}

/** The chunks are handed over: from now on their jobs wait for receipts that may never come. */
export function turnIntoExpiry(tx: AnySql, jobIds: readonly bigint[], dueAt: Date): Statement {
  return tx`update job set kind = 'expire', due_at = ${dueAt} where job_id = any(${numericArray(jobIds)}::bigint[])`;
}

export interface DispatchableChunk extends StoredChunk {
  readonly customerId: CustomerId;
}

/**
 * Chunks to hand over on a channel: a few of each customer, so that a busy one never starves the others. `seen` holds how
 * far each customer's queue is loaded already; a customer's jobs are numbered under its account lock, so none can appear
 * below that mark later.
 */
export async function readDispatchable(
  sql: AnySql,
  channelId: bigint,
  seen: ReadonlyMap<CustomerId, bigint>,
  perCustomer: number,
): Promise<DispatchableChunk[]> {
  const rows = await sql<ChunkRow[]>`
    with recursive walk (customer_id) as (
      (select customer_id from job where kind = 'dispatch' and channel_id = ${channelId} order by customer_id limit 1)
      union all
      select (select customer_id from job where kind = 'dispatch' and channel_id = ${channelId}
                and customer_id > walk.customer_id order by customer_id limit 1)
      from walk where walk.customer_id is not null
    ), mark (customer_id, job_id) as (
      select * from unnest(${numericArray([...seen.keys()])}::bigint[], ${numericArray([...seen.values()])}::bigint[])
    ), due as (
      select j.* from walk
      left join mark on mark.customer_id = walk.customer_id
      cross join lateral (
        select customer_id, task_id, chunk_no, job_id from job
        where kind = 'dispatch' and channel_id = ${channelId} and customer_id = walk.customer_id
          and job_id > coalesce(mark.job_id, 0)
        order by job_id limit ${perCustomer}
      ) as j
    )
    select ${chunkColumns(sql)}
    from due join chunk c on c.customer_id = due.customer_id and c.task_id = due.task_id and c.chunk_no = due.chunk_no
    order by due.job_id`;
  return rows.map((row) => ({ ...toStoredChunk(row), customerId: row.customer_id }));
}

/** Chunks on a channel with parts that were meant to go out and have no recorded answer. */
export async function readInterrupted(sql: AnySql, channelId: bigint): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)}
    from job j join chunk c on c.customer_id = j.customer_id and c.task_id = j.task_id and c.chunk_no = j.chunk_no
    where j.kind = 'dispatch' and j.channel_id = ${channelId} and position('\\x01'::bytea in c.part_states) > 0`;
  return rows.map(toStoredChunk);
}

export interface DueChunk extends ChunkKey {
  readonly customerId: CustomerId;
  readonly jobId: bigint;
}

/** Chunks whose receipts have been waited for long enough, by the database's clock. */
export async function readExpired(sql: AnySql, limit: number): Promise<DueChunk[]> {
  return await sql<DueChunk[]>`
    select customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", job_id as "jobId" from job
    where kind = 'expire' and due_at <= now() order by due_at limit ${limit}`;
}

export async function postponeExpiry(sql: AnySql, jobIds: readonly bigint[], ms: number): Promise<void> {
  await sql`update job set due_at = now() + ${ms} * interval '1 millisecond'
    where job_id = any(${numericArray(jobIds)}::bigint[]) and kind = 'expire'`;
}
