import { chunkKeyOf } from '../../domain/chunk/chunk.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { formatReference } from '../../domain/record/part-reference.js';
import { readChunksOfTasks } from '../../store/chunk/chunk.js';
import type { AnySql } from '../../store/sql.js';
import { readUnknownSubmissions } from '../../store/wire/records.js';
import type { OpenUnknown } from '../../store/wire/unknown-part.js';

/** Builds the events that resolve unknown parts as accepted or not, by decision of the operator or at the deadline. */
export async function readResolved(
  sql: AnySql,
  bucket: number,
  parts: readonly OpenUnknown[],
  outcome: 'accepted' | 'not_accepted',
): Promise<DeliveryEvent[]> {
  const code = outcome === 'not_accepted' ? outcome : undefined;
  const stored = await readChunksOfTasks(sql, bucket, parts);
  const chunks = new Map(stored.map(({ chunk }) => [chunk.key, chunk]));
  // A part becomes unknown when its answer times out, which may be long after it was submitted.
  const submissions = await readUnknownSubmissions(sql, bucket, parts);
  return parts.flatMap((unknown): DeliveryEvent[] => {
    const { seq, part, since } = unknown;
    const chunk = chunks.get(chunkKeyOf(unknown));
    const index = chunk?.numbers.seq.indexOf(seq) ?? -1;
    if (chunk === undefined || index < 0) return [];
    const { submittedAt, channelId } = submissions.get(formatReference(unknown)) ?? {
      submittedAt: since.getTime(),
      channelId: chunk.channelId,
    };
    return [{ chunk, index, part, event: { kind: outcome }, channelId, code, submittedAt }];
  });
}
