// Reads and writes chunks: the numbers of a task in progress, with their states.

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
import { offsetsOf, PART } from '../../domain/chunk/chunk-state.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { ChunkChange } from '../../domain/outcome/conclude-batch.js';
import type { StoredState } from '../../domain/outcome/settlement.js';
import type { TaskKey } from '../../domain/task/task.js';
import { parseTextArray } from '../array-literal.js';
import { bucketOfKey, bucketRow } from '../bucket.js';
import { isPlannedByCluster } from '../cluster/distribution.js';
import { defineRows } from '../rows/bulk-rows.js';
import { CHUNK_KEYS, TASK_KEYS } from '../rows/keys.js';
import type { AnySql, Statement } from '../sql.js';

/**
 * The time at which a chunk is queued, by the database's own clock: `createQueueWatch` compares it with that clock. `now` may differ from it
 * for minutes after a jump of the clock. A cluster accepts no function here.
 */
export function queueTime(tx: AnySql, now: Date) {
  return isPlannedByCluster(tx) ? tx`${now}::timestamptz` : tx`clock_timestamp()`;
}

/** Since when a chunk `c` waits to be sent: moves to other places and channels begin no new wait. */
export function waitsSince(sql: AnySql) {
  return sql`coalesce(c.waits_since, c.queued_at)`;
}

const NEW_CHUNKS = defineRows('n', {
  customerId: 'bigint',
  taskId: 'bigint',
  chunkNo: 'int',
  channelId: 'bigint',
  serviceAccountId: 'bigint',
  firm: 'text',
  unitPrice: 'bigint',
  numbers: 'json',
  partStates: 'bytea',
  results: 'zeros',
  intendedAt: 'timestamptz',
  queueNo: 'bigint',
  expiresAt: 'timestamptz',
  tried: 'bigint[]',
});

const NO_CHUNKS: ReadonlySet<NewChunk> = new Set();

/**
 * Inserts chunks. Those with a place are queued for dispatch. For those in `intended`, the intents to send all their parts are
 * committed with them.
 */
export function insertChunks(
  tx: AnySql,
  bucket: number,
  chunks: readonly NewChunk[],
  queueNos: readonly (bigint | null)[],
  now: Date,
  intended = NO_CHUNKS,
): Statement {
  const rows = NEW_CHUNKS.unnest(tx, chunks, {
    partStates: chunks.map((chunk) => {
      const parts = allSubmissions(chunk.numbers).reduce((sum, count) => sum + count, 0);
      return new Uint8Array(parts).fill(intended.has(chunk) ? PART.intended : PART.unsent);
    }),
    // As many zero bytes as it has numbers.
    results: chunks.map(({ numbers }) => numbers.seq.length),
    intendedAt: chunks.map((chunk) => (intended.has(chunk) ? now : null)),
    queueNo: queueNos,
    tried: chunks.map(({ tried }) => (tried.length === 0 ? null : tried)),
  });
  return tx`
    insert into chunk (bucket, ${NEW_CHUNKS.names(tx)}, queued_at)
    select b.bucket, ${NEW_CHUNKS.values(tx)}, ${queueTime(tx, now)}
    from ${bucketRow(tx, bucket)} cross join ${rows}`;
}

/** The chunks of these tasks that have parts to send and are not queued, in the order of their numbers. */
export async function readUnqueued(tx: AnySql, bucket: number, tasks: readonly TaskKey[]): Promise<ChunkKey[]> {
  return await tx<ChunkKey[]>`
    select c.bucket, c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo"
    from ${TASK_KEYS.unnest(tx, tasks)}
    join chunk c on c.bucket = ${bucketOfKey(tx, bucket, 'k')} and c.customer_id = k.customer_id and c.task_id = k.task_id
    where c.queue_no is null and not c.handed_over
    order by c.customer_id, c.task_id, c.chunk_no`;
}

/** Removes the chunks of these tasks from the queue. From then on, intents for their parts are refused. */
export function unqueueChunks(tx: AnySql, bucket: number, tasks: readonly TaskKey[]): Statement {
  return tx`
    update chunk c set queue_no = null
    from ${TASK_KEYS.unnest(tx, tasks)}
    where c.bucket = ${bucketOfKey(tx, bucket, 'k')} and c.customer_id = k.customer_id and c.task_id = k.task_id and c.queue_no is not null`;
}

const QUEUED_CHUNKS = defineRows('q', {
  customerId: 'bigint',
  taskId: 'bigint',
  chunkNo: 'int',
  queueNo: 'bigint',
});

/** Queues chunks for dispatch, each in its place. */
export function queueChunks(
  tx: AnySql,
  bucket: number,
  keys: readonly ChunkKey[],
  queueNos: readonly bigint[],
  now: Date,
): Statement {
  return tx`
    update chunk c set queue_no = q.queue_no, queued_at = ${queueTime(tx, now)}, waits_since = null
    from ${QUEUED_CHUNKS.unnest(tx, keys, { queueNo: queueNos })}
    where c.bucket = ${bucketOfKey(tx, bucket, 'q')} and c.customer_id = q.customer_id and c.task_id = q.task_id and c.chunk_no = q.chunk_no`;
}

const PLACES_OF_TASKS = defineRows('q', { customerId: 'bigint', taskId: 'bigint', queueNo: 'bigint' });

/**
 * Queues the chunks of these tasks that have a part on the wire, all of a task in one place. Only for tasks without unsent numbers: nothing
 * more is sent of them, but the next owner of a channel looks for such parts in its queue (`readInterrupted`).
 */
export function queueChunksOnTheWire(
  tx: AnySql,
  bucket: number,
  tasks: readonly TaskKey[],
  queueNos: readonly bigint[],
  now: Date,
): Statement {
  return tx`
    update chunk c set queue_no = q.queue_no, queued_at = ${queueTime(tx, now)}, waits_since = null
    from ${PLACES_OF_TASKS.unnest(tx, tasks, { queueNo: queueNos })}
    where c.bucket = ${bucketOfKey(tx, bucket, 'q')} and c.customer_id = q.customer_id and c.task_id = q.task_id
      and c.queue_no is null and position('\\x01'::bytea in c.part_states) > 0`;
}

/**
 * The states of chunks, read under their customers' locks. A missing chunk was deleted: all its numbers have receipts. The lateral looks
 * the keys up one by one, whatever the statistics (docs/decisions/0006-plans-without-statistics.md).
 */
export async function readChunkStates(tx: AnySql, bucket: number, keys: readonly ChunkKey[]): Promise<StoredState[]> {
  return await tx<StoredState[]>`
    select c.customer_id as "customerId", c.task_id as "taskId", c.chunk_no as "chunkNo", c.channel_id as "channelId",
      c.queue_no as "queueNo", c.expires_at as "expiresAt", c.part_states as "partStates", c.results
    from ${CHUNK_KEYS.unnest(tx, keys)}
    cross join lateral (
      select * from chunk
      where bucket = ${bucket} and customer_id = k.customer_id and task_id = k.task_id and chunk_no = k.chunk_no limit 1
    ) as c`;
}

const CHUNK_CHANGES = defineRows('u', {
  stored: { customerId: 'bigint', taskId: 'bigint', chunkNo: 'int' },
  state: { partStates: 'bytea', results: 'bytea' },
  hasIntents: 'boolean',
  startsReceiptWait: 'boolean',
  leavesQueue: 'boolean',
  newPlace: 'bigint',
});

/** `due_at` is a lower bound of the times at which receipts of its numbers are overdue: only the sweep moves it. */
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
      queued_at = case when u.new_place is null then c.queued_at else ${queueTime(tx, now)} end,
      waits_since = case when u.new_place is null then c.waits_since else ${waitsSince(tx)} end,
      handed_over = c.handed_over or u.leaves_queue,
      due_at = case when u.starts_receipt_wait then coalesce(c.due_at, ${receiptsDueAt}::timestamptz) else c.due_at end
    from ${CHUNK_CHANGES.unnest(tx, chunks)}
    where c.bucket = ${bucketOfKey(tx, bucket, 'u')} and c.customer_id = u.customer_id and c.task_id = u.task_id and c.chunk_no = u.chunk_no`;
}

/** For chunks whose numbers all have receipts. */
export function deleteChunks(tx: AnySql, bucket: number, keys: readonly Omit<ChunkKey, 'bucket'>[]): Statement {
  return tx`
    delete from chunk c
    using ${CHUNK_KEYS.unnest(tx, keys)}
    where c.bucket = ${bucketOfKey(tx, bucket, 'k')} and c.customer_id = k.customer_id and c.task_id = k.task_id and c.chunk_no = k.chunk_no`;
}

/** All chunks of these tasks. */
export async function readChunksOfTasks(
  sql: AnySql,
  bucket: number,
  tasks: readonly TaskKey[],
): Promise<StoredChunk[]> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)}
    from (
      select distinct * from ${TASK_KEYS.unnest(sql, tasks)}
    ) as k
    join chunk c on c.bucket = ${bucketOfKey(sql, bucket, 'k')} and c.customer_id = k.customer_id and c.task_id = k.task_id
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
  const key = { customerId: row.customer_id, taskId: row.task_id, chunkNo: row.chunk_no };
  const chunk: Chunk = {
    bucket: row.bucket,
    ...key,
    queueNo: row.queue_no ?? 0n,
    channelId: row.channel_id,
    serviceAccountId: row.service_account_id,
    firm: row.firm,
    unitPrice: moneyFromMillionths(row.unit_price),
    expiresAt: row.expires_at,
    tried: row.tried === null ? [] : parseTextArray(row.tried).map((channelId) => BigInt(channelId ?? 0)),
    numbers,
    offsets,
    key: chunkKeyOf(key),
    taskKey: taskKeyOf(key),
  };
  const state = { offsets, partStates: row.part_states, results: row.results };
  return { chunk, state, intendedAt: row.intended_at };
}
