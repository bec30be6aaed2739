// The queue of a channel: chunks of which parts are to be handed over, in the order in which each customer's were put up.

import type { Chunk, StoredChunk } from '../../domain/chunk/chunk.js';
import type { CustomerId } from '../../domain/id.js';
import { defineRows } from '../bulk-rows.js';
import type { AnySql } from '../connect.js';
import { type ChunkRow, chunkColumns, queuedAt, toStoredChunk } from './chunk.js';

/** Customers with chunks in a channel's queue, by walking the index from customer to customer: the backlog's size does not matter. */
export async function readQueuedCustomers(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  after: bigint,
  limit: number,
): Promise<CustomerId[]> {
  const queue = sql`from chunk where bucket = ${bucket} and channel_id = ${channelId} and queue_no is not null`;
  const rows = await sql<{ customerId: CustomerId }[]>`
    with recursive walk (customer_id, hops) as (
      (select customer_id, 1 ${queue} and customer_id > ${after} order by customer_id limit 1)
      union all
      select (select customer_id ${queue} and customer_id > walk.customer_id order by customer_id limit 1), hops + 1
      from walk where walk.customer_id is not null and hops < ${limit}
    )
    select customer_id as "customerId" from walk where customer_id is not null`;
  return rows.map((row) => row.customerId);
}

export interface QueueMark {
  readonly customerId: CustomerId;
  /** How far this customer's queue is loaded already: its places are counted under its account's lock, so none appears below. */
  readonly after: bigint;
}

const MARKS = defineRows('k', { customerId: 'bigint', after: 'bigint' });

/** How much is read of each customer: so many chunks, and none behind those that have so many parts together. */
export interface QueueShare {
  readonly chunks: number;
  readonly parts: number;
}

/** The next chunks to hand over on a channel: a few of each customer named, so that a busy one never starves the others. */
export async function readQueuedChunks(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  marks: readonly QueueMark[],
  share: QueueShare,
): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)}
    from ${MARKS.unnest(sql, marks)}
    cross join lateral (
      select *, sum(length(part_states)) over (order by queue_no) - length(part_states) as parts_before from chunk
      where bucket = ${bucket} and channel_id = ${channelId} and customer_id = k.customer_id and queue_no > k.after
      order by queue_no limit ${share.chunks}
    ) as c
    where c.parts_before < ${share.parts}
    order by c.queue_no`;
  return rows.map(toStoredChunk);
}

/** Chunks on a channel with parts that were meant to go out and have no recorded answer, in its queue or taken out by a pause. */
export async function readInterrupted(sql: AnySql, bucket: number, channelId: bigint): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)} from chunk c
    where c.bucket = ${bucket} and c.channel_id = ${channelId} and c.queue_no is not null
      and position('\\x01'::bytea in c.part_states) > 0
    union all
    select ${chunkColumns(sql)} from task t
    join chunk c on c.bucket = ${bucket} and c.customer_id = t.customer_id and c.task_id = t.task_id
    where t.bucket = ${bucket} and t.paused and c.channel_id = ${channelId} and c.queue_no is null
      and position('\\x01'::bytea in c.part_states) > 0`;
  return rows.map(toStoredChunk);
}

export interface ChunkMove {
  readonly chunk: Chunk;
  readonly to: bigint;
  /** Its place in the other queue. */
  readonly queueNo: bigint;
}

const MOVES = defineRows('m', {
  chunk: { taskId: 'bigint', chunkNo: 'int', queueNo: 'bigint' },
  channelId: 'bigint',
  newNo: 'bigint',
});

/**
 * Moves chunks, under their customer's lock, to other channels and to new places there. Returns the new places of those that could be moved: one
 * that has changed its place since, or has parts on the wire, stays.
 */
export async function moveChunks(
  tx: AnySql,
  bucket: number,
  customerId: CustomerId,
  moves: readonly ChunkMove[],
  now: Date,
): Promise<ReadonlySet<bigint>> {
  const to = MOVES.unnest(tx, moves, {
    channelId: moves.map((move) => move.to),
    newNo: moves.map((move) => move.queueNo),
  });
  const rows = await tx<{ newNo: bigint }[]>`
    update chunk c set channel_id = m.channel_id, queue_no = m.new_no, queued_at = ${queuedAt(tx, now)}
    from ${to}
    where c.bucket = ${bucket} and c.customer_id = ${customerId} and c.task_id = m.task_id and c.chunk_no = m.chunk_no
      and c.queue_no = m.queue_no and position('\\x01'::bytea in c.part_states) = 0
    returning c.queue_no as "newNo"`;
  return new Set(rows.map(({ newNo }) => newNo));
}
