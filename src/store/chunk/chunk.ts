// Chunks: the numbers of a task that are on their way, and what is known of each.

import {
  allSubmissions,
  type Chunk,
  type ChunkKey,
  type ChunkNumbers,
  chunkKeyOf,
  type NewChunk,
  type StoredChunk,
  taskKeyOf,
} from '../../domain/chunk/chunk.js';
import { offsetsOf } from '../../domain/chunk/chunk-state.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { ChunkChange } from '../../domain/outcome/conclude-batch.js';
import type { StoredState } from '../../domain/outcome/settlement.js';
import type { TaskKey } from '../../domain/task/task.js';
import { booleanArray, numericArray, parseTextArray, textArray, timeArray } from '../array-literal.js';
import { bucketRow } from '../bucket.js';
import { isDistributed } from '../cluster/distribution.js';
import type { AnySql, Statement } from '../connect.js';

/**
 * When a chunk is queued: the database's own clock, which looks at the queue compare with it, read under the lock of the account
 * (see `createQueueWatch`). The clock of records may differ from it for minutes after a jump. A cluster takes no function here.
 */
export function queuedAt(tx: AnySql, now: Date) {
  return isDistributed(tx) ? tx`${now}::timestamptz` : tx`clock_timestamp()`;
}

/** Inserts prepared chunks; those with a place in the queue are up for dispatch at once. */
export function insertChunks(
  tx: AnySql,
  bucket: number,
  chunks: readonly NewChunk[],
  queueNos: readonly (bigint | null)[],
  now: Date,
): Statement {
  return tx`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no, expires_at, tried, queued_at)
    select b.bucket, n.customer_id, n.task_id, n.chunk_no, n.channel_id, n.service_account_id, n.firm, n.unit_price,
      n.numbers, decode(repeat('00', n.part_count), 'hex'), decode(repeat('00', n.number_count), 'hex'), n.queue_no, n.expires_at, n.tried::bigint[],
      ${queuedAt(tx, now)}
    from ${bucketRow(tx, bucket)} cross join unnest(
      ${numericArray(chunks.map((c) => c.customerId))}::bigint[], ${numericArray(chunks.map((c) => c.taskId))}::bigint[],
      ${numericArray(chunks.map((c) => c.chunkNo))}::int[], ${numericArray(chunks.map((c) => c.channelId))}::bigint[],
      ${numericArray(chunks.map((c) => c.serviceAccountId))}::bigint[], ${textArray(chunks.map((c) => c.firm))}::text[],
      ${numericArray(chunks.map((c) => c.unitPrice))}::bigint[], ${textArray(chunks.map((c) => JSON.stringify(c.numbers)))}::text[],
      ${numericArray(chunks.map((c) => allSubmissions(c.numbers).reduce((sum, count) => sum + count, 0)))}::int[],
      ${numericArray(chunks.map((c) => c.numbers.seq.length))}::int[], ${numericArray(queueNos)}::bigint[],
      ${timeArray(chunks.map((c) => c.expiresAt))}::timestamptz[],
      ${textArray(chunks.map((c) => (c.tried.length === 0 ? null : numericArray(c.tried))))}::text[]
    ) as n (customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_count,
      number_count, queue_no, expires_at, tried)`;
}

/** The chunks of these tasks that have parts to send and are not up for dispatch, in the order in which they go. */
export async function readUnqueued(tx: AnySql, bucket: number, tasks: readonly TaskKey[]): Promise<ChunkKey[]> {
  return await tx<ChunkKey[]>`
    select c.bucket, c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo"
    from unnest(${numericArray(tasks.map((t) => t.customerId))}::bigint[], ${numericArray(tasks.map((t) => t.taskId))}::bigint[]) as k (customer_id, task_id)
    join chunk c on c.bucket = ${bucket} and c.customer_id = k.customer_id and c.task_id = k.task_id
    where c.queue_no is null and c.due_at is null
    order by c.customer_id, c.task_id, c.chunk_no`;
}

/** Takes the chunks of these tasks out of the queue: an intent for a part of them is refused from then on. */
export function unqueueChunks(tx: AnySql, bucket: number, tasks: readonly TaskKey[]): Statement {
  return tx`
    update chunk c set queue_no = null
    from unnest(${numericArray(tasks.map((t) => t.customerId))}::bigint[], ${numericArray(tasks.map((t) => t.taskId))}::bigint[]) as k (customer_id, task_id)
    where c.bucket = ${bucket} and c.customer_id = k.customer_id and c.task_id = k.task_id and c.queue_no is not null`;
}

/** Puts chunks up for dispatch, each in its place. */
export function queueChunks(
  tx: AnySql,
  bucket: number,
  keys: readonly ChunkKey[],
  queueNos: readonly bigint[],
  now: Date,
): Statement {
  return tx`
    update chunk c set queue_no = q.queue_no, queued_at = ${queuedAt(tx, now)}
    from unnest(
      ${numericArray(keys.map((k) => k.customerId))}::bigint[], ${numericArray(keys.map((k) => k.taskId))}::bigint[],
      ${numericArray(keys.map((k) => k.chunkNo))}::int[], ${numericArray(queueNos)}::bigint[]
    ) as q (customer_id, task_id, chunk_no, queue_no)
    where c.bucket = ${bucket} and c.customer_id = q.customer_id and c.task_id = q.task_id and c.chunk_no = q.chunk_no`;
}

/** The states of chunks, under their customers' locks. A chunk that is missing has its receipts, all of them. */
export async function readChunkStates(tx: AnySql, bucket: number, keys: readonly ChunkKey[]): Promise<StoredState[]> {
  return await tx<StoredState[]>`
    select c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo", c.channel_id as "channelId",
      c.queue_no as "queueNo", c.expires_at as "expiresAt", c.part_states as "partStates", c.results
    from unnest(
      ${numericArray(keys.map((k) => k.customerId))}::bigint[], ${numericArray(keys.map((k) => k.taskId))}::bigint[],
      ${numericArray(keys.map((k) => k.chunkNo))}::int[]
    ) as k (customer_id, task_id, chunk_no)
    cross join lateral (
      select * from chunk
      where bucket = ${bucket} and customer_id = k.customer_id and task_id = k.task_id and chunk_no = k.chunk_no limit 1
    ) as c`;
}

export function writeChunkStates(
  tx: AnySql,
  bucket: number,
  chunks: readonly ChunkChange[],
  now: Date,
  receiptsDueAt: Date,
): Statement {
  return tx`
    update chunk c set part_states = decode(u.part_states, 'hex'), results = decode(u.results, 'hex'),
      intended_at = case when u.has_intents then ${now}::timestamptz else c.intended_at end,
      queue_no = case when u.leaves_queue then null else coalesce(u.new_place, c.queue_no) end,
      queued_at = case when u.new_place is null then c.queued_at else ${queuedAt(tx, now)} end,
      due_at = case when u.leaves_queue then ${receiptsDueAt}::timestamptz else c.due_at end
    from unnest(
      ${numericArray(chunks.map((c) => c.stored.customerId))}::bigint[], ${numericArray(chunks.map((c) => c.stored.taskId))}::bigint[],
      ${numericArray(chunks.map((c) => c.stored.chunkNo))}::int[], ${textArray(chunks.map((c) => toHex(c.state.partStates)))}::text[],
      ${textArray(chunks.map((c) => toHex(c.state.results)))}::text[], ${booleanArray(chunks.map((c) => c.hasIntents))}::boolean[],
      ${booleanArray(chunks.map((c) => c.leavesQueue))}::boolean[], ${numericArray(chunks.map((c) => c.newPlace))}::bigint[]
    ) as u (customer_id, task_id, chunk_no, part_states, results, has_intents, leaves_queue, new_place)
    where c.bucket = ${bucket} and c.customer_id = u.customer_id and c.task_id = u.task_id and c.chunk_no = u.chunk_no`;
}

/** Chunks whose numbers all have their receipts have nothing left to say. */
export function deleteChunks(tx: AnySql, bucket: number, keys: readonly Omit<ChunkKey, 'bucket'>[]): Statement {
  return tx`
    delete from chunk c
    using unnest(
      ${numericArray(keys.map((k) => k.customerId))}::bigint[], ${numericArray(keys.map((k) => k.taskId))}::bigint[],
      ${numericArray(keys.map((k) => k.chunkNo))}::int[]
    ) as k (customer_id, task_id, chunk_no)
    where c.bucket = ${bucket} and c.customer_id = k.customer_id and c.task_id = k.task_id and c.chunk_no = k.chunk_no`;
}

/** Whole chunks of tasks of one bucket: all of the tasks named. */
export async function readChunksOfTasks(
  sql: AnySql,
  bucket: number,
  tasks: readonly TaskKey[],
): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)}
    from (
      select distinct * from unnest(
        ${numericArray(tasks.map((t) => t.customerId))}::bigint[], ${numericArray(tasks.map((t) => t.taskId))}::bigint[]
      ) as t (customer_id, task_id)
    ) as k
    join chunk c on c.bucket = ${bucket} and c.customer_id = k.customer_id and c.task_id = k.task_id
    order by c.customer_id, c.task_id, c.chunk_no`;
  return rows.map(toStoredChunk);
}

export function chunkColumns(sql: AnySql) {
  return sql`c.bucket, c.customer_id, c.task_id, c.chunk_no, c.queue_no, c.channel_id, c.service_account_id, c.firm,
    c.unit_price, c.expires_at, c.tried::text as tried, c.numbers, c.part_states, c.results, c.intended_at`;
}

export interface ChunkRow {
  bucket: number;
  customer_id: CustomerId;
  task_id: TaskId;
  chunk_no: number;
  queue_no: bigint | null;
  channel_id: bigint;
  service_account_id: bigint;
  firm: string;
  unit_price: bigint;
  expires_at: Date | null;
  tried: string | null;
  numbers: string;
  part_states: Uint8Array;
  results: Uint8Array;
  intended_at: Date | null;
}

export function toStoredChunk(row: ChunkRow): StoredChunk {
  const numbers: ChunkNumbers = JSON.parse(row.numbers);
  const offsets = offsetsOf(allSubmissions(numbers));
  const place = { customerId: row.customer_id, taskId: row.task_id, chunkNo: row.chunk_no };
  const chunk: Chunk = {
    bucket: row.bucket,
    ...place,
    queueNo: row.queue_no ?? 0n,
    channelId: row.channel_id,
    serviceAccountId: row.service_account_id,
    firm: row.firm,
    unitPrice: moneyFromMillionths(row.unit_price),
    expiresAt: row.expires_at,
    tried: row.tried === null ? [] : parseTextArray(row.tried).map((channelId) => BigInt(channelId ?? 0)),
    numbers,
    offsets,
    key: chunkKeyOf(place),
    taskKey: taskKeyOf(place),
  };
  const state = { offsets, partStates: row.part_states, results: row.results };
  return { chunk, state, intendedAt: row.intended_at };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
