// Parts that an upstream accepted and has not reported on: read when a channel is opened, from open chunks only.

import { type StoredChunk, submissionsOf, taskKeyOf } from '../../domain/chunk/chunk.js';
import { PART } from '../../domain/chunk/chunk-state.js';
import { partsIn } from '../../domain/chunk/part-walk.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import { TASK_KEYS } from '../rows/keys.js';
import type { AnySql } from '../sql.js';
import { firstRecordOf } from '../wire/records.js';
import { type ChunkRow, chunkColumns, toStoredChunk } from './chunk.js';

export interface OutstandingPart {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
  readonly parts: number;
  readonly messageId: string;
  readonly to: string;
  readonly serviceAccountId: bigint;
}

/** The last chunk of a page, in the order of keys. Not a place in a queue. */
export interface ChunkPlace {
  readonly customerId: CustomerId | bigint;
  readonly taskId: TaskId | bigint;
  readonly chunkNo: number;
}

export const FIRST_PLACE: ChunkPlace = { customerId: 0n, taskId: 0n, chunkNo: 0 };

/** A page of open chunks of a channel, as their outstanding parts; `next` continues it. */
export async function readOutstanding(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  after: ChunkPlace,
  limit: number,
): Promise<{ readonly parts: OutstandingPart[]; readonly next: ChunkPlace | undefined }> {
  const rows = await sql<ChunkRow[]>`
    select ${chunkColumns(sql)} from chunk c
    where c.bucket = ${bucket} and c.channel_id = ${channelId} and (c.customer_id, c.task_id, c.chunk_no) > (${after.customerId}, ${after.taskId}, ${after.chunkNo})
    order by c.customer_id, c.task_id, c.chunk_no limit ${limit}`;
  const chunks = rows.map(toStoredChunk);
  const messageIds = await readMessageIds(sql, bucket, channelId, chunks);
  const parts = chunks.flatMap((stored) => outstandingOf(stored, messageIds));
  return { parts, next: rows.length < limit ? undefined : chunks.at(-1)?.chunk };
}

/** The ids under which an upstream accepted the parts of these chunks' tasks. */
async function readMessageIds(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  chunks: readonly StoredChunk[],
): Promise<Map<string, string>> {
  const tasks = [...new Map(chunks.map(({ chunk }) => [chunk.taskKey, chunk])).values()];
  const rows = await sql<{ customerId: CustomerId; taskId: TaskId; seq: number; part: number; messageId: string }[]>`
    select s.customer_id as "customerId", s.task_id as "taskId", s.seq, s.part, s.upstream_message_id as "messageId"
    from ${TASK_KEYS.unnest(sql, tasks)}
    join submit s on s.bucket = ${bucket} and s.customer_id = k.customer_id and s.task_id = k.task_id
    where s.submit_id >= ${firstRecordOf(tasks)} and s.channel_id = ${channelId} and s.status = 'accepted' and s.upstream_message_id is not null`;
  return new Map(rows.map((row) => [`${taskKeyOf(row)}/${row.seq}/${row.part}`, row.messageId]));
}

function outstandingOf({ chunk, state }: StoredChunk, messageIds: ReadonlyMap<string, string>): OutstandingPart[] {
  const { customerId, taskId, serviceAccountId, numbers } = chunk;
  return partsIn(state, PART.accepted).flatMap(({ index, part }): OutstandingPart[] => {
    const seq = numbers.seq[index] ?? 0;
    const messageId = messageIds.get(`${chunk.taskKey}/${seq}/${part}`);
    if (messageId === undefined) return [];
    const [parts, to] = [submissionsOf(numbers, index), numbers.to[index] ?? ''];
    return [{ customerId, taskId, seq, part, parts, messageId, to, serviceAccountId }];
  });
}
