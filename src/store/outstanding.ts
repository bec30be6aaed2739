// Parts that an upstream accepted and has not reported on: read when a channel is opened, from open chunks only.

import { PART } from '../domain/chunk-state.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { type ChunkRow, chunkColumns, toStoredChunk } from './chunk.js';
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
  const rows = await sql<(ChunkRow & { open_job_id: bigint; messages: Record<string, string> | null })[]>`
    select ${chunkColumns(sql)}, j.job_id as open_job_id, (
        select json_object_agg(s.seq || '.' || s.part, s.upstream_message_id) from submit s
        where s.customer_id = c.customer_id and s.task_id = c.task_id and s.channel_id = ${channelId}
          and s.status = 'accepted'
      ) as messages
    from job j join chunk c on c.customer_id = j.customer_id and c.task_id = j.task_id and c.chunk_no = j.chunk_no
    where j.kind in ('dispatch', 'expire') and j.channel_id = ${channelId} and j.job_id > ${after}
    order by j.job_id limit ${limit}`;
  const parts: OutstandingPart[] = [];
  for (const row of rows) {
    const { chunk, state } = toStoredChunk(row);
    for (const [index, seq] of chunk.numbers.seq.entries()) {
      const first = state.offsets[index] ?? 0;
      for (let at = first; at < (state.offsets[index + 1] ?? 0); at++) {
        const part = at - first + 1;
        const messageId = row.messages?.[`${seq}.${part}`];
        if (state.partStates[at] !== PART.accepted || messageId === undefined) continue;
        parts.push({
          customerId: chunk.customerId,
          taskId: chunk.taskId,
          seq,
          part,
          parts: chunk.numbers.parts[index] ?? 1,
          messageId,
          to: chunk.numbers.to[index] ?? '',
          serviceAccountId: chunk.serviceAccountId,
        });
      }
    }
  }
  return { parts, next: rows.length < limit ? undefined : rows.at(-1)?.open_job_id };
}
