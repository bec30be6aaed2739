import { chunkKeyOf } from '../../domain/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { Happening } from '../../domain/settlement.js';
import { readChunksOfTasks } from '../../store/chunk.js';
import type { Sql } from '../../store/connect.js';
import type { OpenUnknown } from '../../store/unknown-part.js';
import type { Recorder } from './recorder.js';

/** Settles unknown parts as accepted or not, whoever decided it: the operator, or the deadline. */
export async function resolveUnknown(
  deps: { readonly sql: Sql; readonly recorder: Recorder },
  parts: readonly OpenUnknown[],
  outcome: 'accepted' | 'not_accepted',
): Promise<void> {
  const code = outcome === 'not_accepted' ? outcome : undefined;
  for (const [bucket, ofBucket] of groupBy(parts, (part) => part.bucket)) {
    const stored = await readChunksOfTasks(deps.sql, bucket, ofBucket);
    const chunks = new Map(stored.map(({ chunk }) => [chunk.key, chunk]));
    const happenings = ofBucket.flatMap((unknown): Happening[] => {
      const { seq, part, since } = unknown;
      const chunk = chunks.get(chunkKeyOf(unknown));
      const index = chunk?.numbers.seq.indexOf(seq) ?? -1;
      if (chunk === undefined || index < 0) return [];
      const { channelId } = chunk;
      return [{ chunk, index, part, event: { kind: outcome }, channelId, code, submittedAt: since.getTime() }];
    });
    if (happenings.length > 0) await deps.recorder.record(happenings);
  }
}
