import type { CustomerId } from '../domain/id.js';
import { readChunksOfTasks } from '../store/chunk.js';
import type { Sql } from '../store/connect.js';
import type { OpenUnknown } from '../store/unknown-part.js';
import type { Recorder } from './recorder.js';
import { chunkKey, type Happening } from './settlement.js';

/** Settles unknown parts of one customer as accepted or not, whoever decided it: the operator, or the deadline. */
export async function resolveUnknown(
  deps: { readonly sql: Sql; readonly recorder: Recorder },
  customerId: CustomerId,
  parts: readonly OpenUnknown[],
  outcome: 'accepted' | 'not_accepted',
): Promise<void> {
  const stored = await readChunksOfTasks(deps.sql, customerId, [...new Set(parts.map(({ taskId }) => taskId))]);
  const chunks = new Map(stored.map(({ chunk }) => [chunkKey(chunk), chunk]));
  const code = outcome === 'not_accepted' ? outcome : undefined;
  const happenings = parts.flatMap((unknown): Happening[] => {
    const { seq, part, since } = unknown;
    const chunk = chunks.get(chunkKey(unknown));
    const index = chunk?.numbers.seq.indexOf(seq) ?? -1;
    if (chunk === undefined || index < 0) return [];
    const { channelId } = chunk;
    return [{ chunk, index, part, event: { kind: outcome }, channelId, code, submittedAt: since.getTime() }];
  });
  if (happenings.length > 0) await deps.recorder.record(customerId, happenings);
}
