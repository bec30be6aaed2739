// Chunks: the numbers of a task that are on their way, and what is known of each.

import type { ChunkState } from '../domain/chunk-state.js';
import { offsetsOf } from '../domain/chunk-state.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { type Money, moneyFromMillionths } from '../domain/money.js';
import { booleanArray, numericArray, textArray } from './array-literal.js';
import type { AnySql, Statement } from './connect.js';

/** The numbers of a chunk, a column each, so that 500 of them cost a handful of objects. */
export interface ChunkNumbers {
  readonly seq: readonly number[];
  /** As the customer wrote it. */
  readonly phone: readonly string[];
  /** E.164 digits; also the number's phone key. */
  readonly to: readonly string[];
  /** One text for all, or one each. */
  readonly text: string | readonly string[];
  readonly parts: readonly number[];
}

export interface ChunkKey {
  readonly taskId: TaskId;
  readonly chunkNo: number;
}

/** What of a chunk never changes once it is on a channel. */
export interface Chunk extends ChunkKey {
  readonly customerId: CustomerId;
  readonly jobId: bigint;
  readonly channelId: bigint;
  readonly serviceAccountId: bigint;
  readonly firm: string;
  readonly unitPrice: Money;
  readonly numbers: ChunkNumbers;
  readonly offsets: Uint32Array;
}

export interface NewChunk extends ChunkKey {
  readonly channelId: bigint;
  readonly serviceAccountId: bigint;
  readonly firm: string;
  readonly unitPrice: Money;
  readonly numbers: ChunkNumbers;
}

export function textOf(numbers: ChunkNumbers, index: number): string {
  return typeof numbers.text === 'string' ? numbers.text : (numbers.text[index] ?? '');
}

export function priceOf(chunk: Pick<Chunk, 'unitPrice' | 'numbers'>, index: number): Money {
  return moneyFromMillionths(chunk.unitPrice * BigInt(chunk.numbers.parts[index] ?? 0));
}

/** Inserts prepared chunks; `queue` also puts them up for dispatch. */
export function insertChunks(
  tx: AnySql,
  customerId: CustomerId,
  chunks: readonly NewChunk[],
  queued: readonly boolean[],
): Statement {
  return tx`
    with new as materialized (
      select * from unnest(
        ${numericArray(chunks.map((c) => c.taskId))}::bigint[], ${numericArray(chunks.map((c) => c.chunkNo))}::int[],
        ${numericArray(chunks.map((c) => c.channelId))}::bigint[], ${numericArray(chunks.map((c) => c.serviceAccountId))}::bigint[],
        ${textArray(chunks.map((c) => c.firm))}::text[], ${numericArray(chunks.map((c) => c.unitPrice))}::bigint[],
        ${textArray(chunks.map((c) => JSON.stringify(c.numbers)))}::text[],
        ${numericArray(chunks.map((c) => c.numbers.parts.reduce((sum, count) => sum + count, 0)))}::int[],
        ${numericArray(chunks.map((c) => c.numbers.seq.length))}::int[], ${booleanArray(queued)}::boolean[]
      ) as c (task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_count, number_count, queued)
    ), queued_job as (
      insert into job (kind, customer_id, task_id, chunk_no, channel_id)
      select 'dispatch', ${customerId}, task_id, chunk_no, channel_id from new where queued
      returning job_id, task_id, chunk_no
    )
    insert into chunk (customer_id, task_id, chunk_no, job_id, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results)
    select ${customerId}, n.task_id, n.chunk_no, coalesce(j.job_id, 0), n.channel_id, n.service_account_id, n.firm,
      n.unit_price, n.numbers, decode(repeat('00', n.part_count), 'hex'), decode(repeat('00', n.number_count), 'hex')
    from new n left join queued_job j on j.task_id = n.task_id and j.chunk_no = n.chunk_no`;
}

/** Puts the chunks of one prepared task up for dispatch. */
export function queueChunks(tx: AnySql, customerId: CustomerId, taskIds: readonly TaskId[]): Statement {
  return tx`
    with queued_job as (
      insert into job (kind, customer_id, task_id, chunk_no, channel_id)
      select 'dispatch', customer_id, task_id, chunk_no, channel_id from chunk
      where customer_id = ${customerId} and task_id = any(${numericArray(taskIds)}::bigint[]) and job_id = 0
      order by task_id, chunk_no
      returning job_id, task_id, chunk_no
    )
    update chunk c set job_id = j.job_id from queued_job j
    where c.customer_id = ${customerId} and c.task_id = j.task_id and c.chunk_no = j.chunk_no`;
}

export function deleteChunksOfTask(tx: AnySql, customerId: CustomerId, taskId: TaskId): Statement {
  return tx`delete from chunk where customer_id = ${customerId} and task_id = ${taskId}`;
}

export interface StateRow {
  readonly taskId: TaskId;
  readonly chunkNo: number;
  readonly jobId: bigint;
  readonly channelId: bigint;
  readonly partStates: Uint8Array;
  readonly results: Uint8Array;
}

/** The states of chunks, under the account's lock. A chunk that is missing has its receipts, all of them. */
export async function readChunkStates(
  tx: AnySql,
  customerId: CustomerId,
  keys: readonly ChunkKey[],
): Promise<StateRow[]> {
  return await tx<StateRow[]>`
    select c.task_id as "taskId", c.chunk_no as "chunkNo", c.job_id as "jobId", c.channel_id as "channelId",
      c.part_states as "partStates", c.results
    from unnest(${numericArray(keys.map((k) => k.taskId))}::bigint[], ${numericArray(keys.map((k) => k.chunkNo))}::int[]) as k (task_id, chunk_no)
    join chunk c on c.customer_id = ${customerId} and c.task_id = k.task_id and c.chunk_no = k.chunk_no`;
}

export interface StateChange {
  readonly key: ChunkKey;
  readonly state: ChunkState;
  /** Parts of it are meant to go out from now on. */
  readonly hasIntents: boolean;
}

export function writeChunkStates(
  tx: AnySql,
  customerId: CustomerId,
  chunks: readonly StateChange[],
  now: Date,
): Statement {
  return tx`
    update chunk c set part_states = decode(u.part_states, 'hex'), results = decode(u.results, 'hex'),
      intended_at = case when u.has_intents then ${now}::timestamptz else c.intended_at end
    from unnest(
      ${numericArray(chunks.map((c) => c.key.taskId))}::bigint[], ${numericArray(chunks.map((c) => c.key.chunkNo))}::int[],
      ${textArray(chunks.map((c) => toHex(c.state.partStates)))}::text[], ${textArray(chunks.map((c) => toHex(c.state.results)))}::text[],
      ${booleanArray(chunks.map((c) => c.hasIntents))}::boolean[]
    ) as u (task_id, chunk_no, part_states, results, has_intents)
    where c.customer_id = ${customerId} and c.task_id = u.task_id and c.chunk_no = u.chunk_no`;
}

/** Chunks whose numbers all have their receipts have nothing left to say. */
export function deleteChunks(tx: AnySql, customerId: CustomerId, keys: readonly ChunkKey[]): Statement {
  return tx`
    delete from chunk c
    using unnest(${numericArray(keys.map((k) => k.taskId))}::bigint[], ${numericArray(keys.map((k) => k.chunkNo))}::int[]) as k (task_id, chunk_no)
    where c.customer_id = ${customerId} and c.task_id = k.task_id and c.chunk_no = k.chunk_no`;
}

export interface StoredChunk {
  readonly chunk: Chunk;
  readonly state: ChunkState;
  /** When parts of it were last meant to go out. */
  readonly intendedAt: Date | null;
}

/** Whole chunks of one customer: all of the tasks named. */
export async function readChunksOfTasks(
  sql: AnySql,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)} from chunk c
    where c.customer_id = ${customerId} and c.task_id = any(${numericArray(taskIds)}::bigint[])
    order by c.task_id, c.chunk_no`;
  return rows.map(toStoredChunk);
}

export function chunkColumns(sql: AnySql) {
  return sql`c.customer_id, c.task_id, c.chunk_no, c.job_id, c.channel_id, c.service_account_id, c.firm, c.unit_price,
    c.numbers, c.part_states, c.results, c.intended_at`;
}

export interface ChunkRow {
  customer_id: CustomerId;
  task_id: TaskId;
  chunk_no: number;
  job_id: bigint;
  channel_id: bigint;
  service_account_id: bigint;
  firm: string;
  unit_price: bigint;
  numbers: string;
  part_states: Uint8Array;
  results: Uint8Array;
  intended_at: Date | null;
}

export function toStoredChunk(row: ChunkRow): StoredChunk {
  const numbers: ChunkNumbers = JSON.parse(row.numbers);
  const offsets = offsetsOf(numbers.parts);
  const chunk: Chunk = {
    customerId: row.customer_id,
    taskId: row.task_id,
    chunkNo: row.chunk_no,
    jobId: row.job_id,
    channelId: row.channel_id,
    serviceAccountId: row.service_account_id,
    firm: row.firm,
    unitPrice: moneyFromMillionths(row.unit_price),
    numbers,
    offsets,
  };
  const state = { offsets, partStates: row.part_states, results: row.results };
  return { chunk, state, intendedAt: row.intended_at };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
