import { chunkKeyOf } from '../../domain/chunk.js';
import type { Happening } from '../../domain/happening.js';
import { readChunksOfTasks } from '../../store/chunk/chunk.js';
import type { AnySql } from '../../store/connect.js';
import type { OpenUnknown } from '../../store/wire/unknown-part.js';

/** Unknown parts of a bucket turned out accepted or not, whoever decided it: the operator, or the deadline. */
export async function readResolved(
  sql: AnySql,
  bucket: number,
  parts: readonly OpenUnknown[],
  outcome: 'accepted' | 'not_accepted',
): Promise<Happening[]> {
  const code = outcome === 'not_accepted' ? outcome : undefined;
  const stored = await readChunksOfTasks(sql, bucket, parts);
  const chunks = new Map(stored.map(({ chunk }) => [chunk.key, chunk]));
  return parts.flatMap((unknown): Happening[] => {
    const { seq, part, since } = unknown;
    const chunk = chunks.get(chunkKeyOf(unknown));
    const index = chunk?.numbers.seq.indexOf(seq) ?? -1;
    if (chunk === undefined || index < 0) return [];
    const { channelId } = chunk;
    return [{ chunk, index, part, event: { kind: outcome }, channelId, code, submittedAt: since.getTime() }];
  });
}
