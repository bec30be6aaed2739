// Parts that an upstream accepted and has not reported on: read when a channel is opened, from open chunks only.

import { PART } from '../domain/chunk-state.js';
import { groupBy } from '../domain/group-by.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { numericArray } from './array-literal.js';
import { type ChunkRow, chunkColumns, type StoredChunk, toStoredChunk } from './chunk.js';
import type { AnySql } from './connect.js';

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

/** A page of open chunks of a channel, as their outstanding parts; `next` continues it. */
export async function readOutstanding(
  sql: AnySql,
  channelId: bigint,
  after: bigint,
  limit: number,
): Promise<{ readonly parts: OutstandingPart[]; readonly next: bigint | undefined }> {
  const rows = await sql<(ChunkRow & { open_job_id: bigint })[]>`
    select ${chunkColumns(sql)}, j.job_id as open_job_id
    from job j join chunk c on c.customer_id = j.customer_id and c.task_id = j.task_id and c.chunk_no = j.chunk_no
    where j.kind in ('dispatch', 'expire') and j.channel_id = ${channelId} and j.job_id > ${after}
    order by j.job_id limit ${limit}`;
  const parts: OutstandingPart[] = [];
  for (const [customerId, chunks] of groupBy(rows.map(toStoredChunk), ({ chunk }) => chunk.customerId)) {
    const messageIds = await readMessageIds(sql, channelId, customerId, [
      ...new Set(chunks.map((c) => c.chunk.taskId)),
    ]);
    for (const stored of chunks) parts.push(...outstandingOf(stored, messageIds));
  }
  return { parts, next: rows.length < limit ? undefined : rows.at(-1)?.open_job_id };
}

/** The ids under which an upstream accepted the parts of these tasks. */
async function readMessageIds(
  sql: AnySql,
  channelId: bigint,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
): Promise<Map<string, string>> {
  const rows = await sql<{ taskId: TaskId; seq: number; part: number; messageId: string }[]>`
    select task_id as "taskId", seq, part, upstream_message_id as "messageId" from submit
    where customer_id = ${customerId} and task_id = any(${numericArray(taskIds)}::bigint[]) and channel_id = ${channelId}
      and status = 'accepted' and upstream_message_id is not null`;
  return new Map(rows.map(({ taskId, seq, part, messageId }) => [`${taskId} ${seq} ${part}`, messageId]));
}

function outstandingOf({ chunk, state }: StoredChunk, messageIds: ReadonlyMap<string, string>): OutstandingPart[] {
  const { customerId, taskId, serviceAccountId, numbers } = chunk;
  const outstanding: OutstandingPart[] = [];
  for (const [index, seq] of numbers.seq.entries()) {
    const first = state.offsets[index] ?? 0;
    for (let at = first; at < (state.offsets[index + 1] ?? 0); at++) {
      const part = at - first + 1;
      const messageId = messageIds.get(`${taskId} ${seq} ${part}`);
      if (state.partStates[at] !== PART.accepted || messageId === undefined) continue;
      const [parts, to] = [numbers.parts[index] ?? 1, numbers.to[index] ?? ''];
      outstanding.push({ customerId, taskId, seq, part, parts, messageId, to, serviceAccountId });
    }
  }
  return outstanding;
}
