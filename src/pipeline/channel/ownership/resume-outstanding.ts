// For a carrier that is simulated in this process: restores the parts that it accepted and has not reported.

import type { Channel } from '../../../channels/channel.js';
import { formatReference } from '../../../domain/record/part-reference.js';
import { type ChunkPlace, FIRST_PLACE, readOutstanding } from '../../../store/chunk/outstanding.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Sql } from '../../../store/sql.js';

const CHUNKS_A_PAGE = 500;

export async function resumeOutstanding(
  { sql, snapshot }: { readonly sql: Sql; readonly snapshot: () => Snapshot },
  channel: Channel,
  channelId: bigint,
  buckets: readonly number[],
): Promise<void> {
  if (channel.resume === undefined) return;
  for (const bucket of buckets) {
    for (let after: ChunkPlace | undefined = FIRST_PLACE; after !== undefined; ) {
      const from: ChunkPlace = after;
      const page = await readOutstanding(bucketSql(sql, bucket), bucket, channelId, from, CHUNKS_A_PAGE);
      channel.resume(
        page.parts.map(({ customerId, taskId, seq, part, parts, messageId, to, serviceAccountId }) => ({
          messageId,
          reference: formatReference({ customerId, taskId, seq, part }),
          to,
          from: snapshot().serviceAccountById(serviceAccountId)?.sender ?? '',
          isLast: part === parts,
        })),
      );
      after = page.next;
    }
  }
}
