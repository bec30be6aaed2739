// The queue of a channel: chunks with unsent parts, in the order in which those of each customer were queued.

import type { Chunk, ChunkKey, StoredChunk } from '../../domain/chunk/chunk.js';
import type { ChunkState } from '../../domain/chunk/chunk-state.js';
import { asCustomerId, type CustomerId, type TaskId } from '../../domain/id.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import {
  classOfPlace,
  customerOfQueue,
  placesOf,
  type QueueKey,
  queueKeyOf,
  queueKeysOf,
  RANGE_BITS,
} from '../../domain/rules/queue-place.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Condition } from '../condition.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql } from '../sql.js';
import { type ChunkRow, chunkColumns, queueTime, toStoredChunk, waitsSince } from './chunk.js';

/** Customers with chunks in a channel's queue. Walks the index from customer to customer: the cost does not depend on the backlog. */
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

/**
 * The next queues of a channel after this one. Each class of each customer is a queue. Walks the index from queue to queue: the cost does
 * not depend on the backlog.
 */
export async function readQueues(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  after: QueueKey | undefined,
  limit: number,
): Promise<QueueKey[]> {
  // The end of a query, up to the left side of a comparison of places.
  const queuedFrom = sql`
    from chunk where bucket = ${bucket} and channel_id = ${channelId} and queue_no is not null and (customer_id, queue_no)`;
  const lowest = sql`order by customer_id, queue_no limit 1`;
  const start = after === undefined ? { customerId: 0n, before: 0n } : endOfQueue(after);
  const rows = await sql<{ customerId: CustomerId; range: bigint }[]>`
    with recursive walk (customer_id, range_no, hops) as (
      (select customer_id, queue_no >> ${RANGE_BITS}, 1 ${queuedFrom} >= (${start.customerId}, ${start.before}) ${lowest})
      union all
      select n.customer_id, n.range_no, hops + 1
      from walk cross join lateral (
        select customer_id, queue_no >> ${RANGE_BITS} as range_no
        ${queuedFrom} >= (walk.customer_id, (walk.range_no + 1) << ${RANGE_BITS}) ${lowest}
      ) as n
      where hops < ${limit}
    )
    select customer_id as "customerId", range_no as range from walk`;
  return rows.map(({ customerId, range }) => queueKeyOf(customerId, classOfPlace(range << BigInt(RANGE_BITS))));
}

const MARKS = defineRows('k', { customerId: 'bigint', after: 'bigint', before: 'bigint' });
const RANGES = defineRows('r', { after: 'bigint', before: 'bigint' });

function endOfQueue(queue: QueueKey) {
  return { customerId: customerOfQueue(queue), before: placesOf(queue).before };
}

/** The range of places of each class, as `r (after, before)`. Within a range, places are in the order in which chunks were queued. */
export function placeRanges(sql: AnySql) {
  return RANGES.unnest(sql, queueKeysOf(asCustomerId(0n)).map(placesOf));
}

export interface QueueMark {
  readonly queue: QueueKey;
  /** The last place that was loaded; undefined: none. New chunks get higher places, because places are assigned under the account's lock. */
  readonly after: bigint | undefined;
}

/** How much to read of each queue: at most `chunks`, and no more once they have `parts` together. */
export interface QueueShare {
  readonly chunks: number;
  readonly parts: number;
}

function placesToRead({ queue, after }: QueueMark) {
  const places = placesOf(queue);
  return { customerId: customerOfQueue(queue), after: after ?? places.after, before: places.before };
}

/**
 * The next chunks to send on a channel, a few of each queue, so that a busy queue never starves the others. Chunks without unsent parts
 * (state 0) are left out: the express lane stores chunks with all intents.
 */
export async function readQueuedChunks(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  marks: readonly QueueMark[],
  share: QueueShare,
): Promise<StoredChunk[]> {
  return await readChunksInQueues(
    sql,
    bucket,
    channelId,
    marks,
    share,
    sql`and position('\\x00'::bytea in part_states) > 0`,
  );
}

/** The same with those without unsent parts: what they have on the wire may be withdrawn. */
export async function readAllQueuedChunks(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  marks: readonly QueueMark[],
  share: QueueShare,
): Promise<StoredChunk[]> {
  return await readChunksInQueues(sql, bucket, channelId, marks, share, sql``);
}

async function readChunksInQueues(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  marks: readonly QueueMark[],
  share: QueueShare,
  also: Condition,
): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)}
    from ${MARKS.unnest(sql, marks.map(placesToRead))}
    cross join lateral (
      select *, sum(length(part_states)) over (order by queue_no) - length(part_states) as parts_before from chunk
      where bucket = ${bucket} and channel_id = ${channelId} and customer_id = k.customer_id and queue_no > k.after and queue_no < k.before
        ${also}
      order by queue_no limit ${share.chunks}
    ) as c
    where c.parts_before < ${share.parts}
    order by c.queue_no`;
  return rows.map(toStoredChunk);
}

/** Chunks of a channel with parts that are intended (state 1) and have no recorded answer, queued or removed from the queue by a pause. */
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

/** Channels on which chunks of a customer are queued. */
export async function readQueuedChannels(sql: AnySql, { bucket, customerId }: Tenant): Promise<bigint[]> {
  const rows = await sql<{ channelId: bigint }[]>`
    select distinct channel_id as "channelId" from chunk
    where bucket = ${bucket} and customer_id = ${customerId} and queue_no is not null`;
  return rows.map((row) => row.channelId);
}

export interface ChunkMove {
  readonly chunk: Chunk;
  /** As it was read. */
  readonly state: ChunkState;
  readonly to: bigint;
  /** Its place in the other queue. */
  readonly queueNo: bigint;
}

const MOVES = defineRows('m', {
  chunk: { taskId: 'bigint', chunkNo: 'int', queueNo: 'bigint' },
  state: { partStates: 'bytea' },
  channelId: 'bigint',
  newNo: 'bigint',
});

/**
 * Moves chunks of a customer, under its lock, to new places on other channels. Returns the new places. A chunk that has changed since it
 * was read, or has an intended part (state 1), is not moved: the other parts of a message in progress are sent by the same carrier.
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
    update chunk c set channel_id = m.channel_id, queue_no = m.new_no, queued_at = ${queueTime(tx, now)},
      waits_since = ${waitsSince(tx)}
    from ${to}
    where c.bucket = ${bucket} and c.customer_id = ${customerId} and c.task_id = m.task_id and c.chunk_no = m.chunk_no
      and c.queue_no = m.queue_no and c.part_states = decode(m.part_states, 'hex') and position('\\x01'::bytea in c.part_states) = 0
    returning c.queue_no as "newNo"`;
  return new Set(rows.map(({ newNo }) => newNo));
}

/** Queued chunks of a template that have places of another class, in the order of their places. */
export async function readQueuedOutsideClass(
  tx: AnySql,
  { bucket, customerId }: Tenant,
  templateId: bigint,
  messageClass: MessageClass,
  limit: number,
): Promise<ChunkKey[]> {
  const { after, before } = placesOf(queueKeyOf(customerId, messageClass));
  return await tx<ChunkKey[]>`
    select c.bucket, c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo"
    from chunk c join task t on t.bucket = ${bucket} and t.customer_id = c.customer_id and t.task_id = c.task_id
    where c.bucket = ${bucket} and c.customer_id = ${customerId} and t.template_id = ${templateId}
      and (c.queue_no <= ${after} or c.queue_no >= ${before})
    order by c.queue_no limit ${limit}`;
}

/** The tasks of the first chunks of a queue, without tasks that are being ended. */
export async function readQueuedTasks(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  queue: QueueKey,
  limit: number,
): Promise<TaskId[]> {
  const { after, before } = placesOf(queue);
  const rows = await sql<{ taskId: TaskId }[]>`
    select distinct c.task_id as "taskId"
    from (
      select customer_id, task_id from chunk
      where bucket = ${bucket} and channel_id = ${channelId} and customer_id = ${customerOfQueue(queue)}
        and queue_no > ${after} and queue_no < ${before}
      order by queue_no limit ${limit}
    ) as c
    join task t on t.bucket = ${bucket} and t.customer_id = c.customer_id and t.task_id = c.task_id
    where t.ending is null`;
  return rows.map(({ taskId }) => taskId);
}
