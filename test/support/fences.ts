import { takeOverBucket } from '../../src/store/channel/bucket-fence.js';
import type { Sql } from '../../src/store/sql.js';

/** This test owns these channels, with the first token, in a bucket. */
export async function ownChannels(sql: Sql, channelIds: readonly bigint[], bucket = 0): Promise<void> {
  for (const channelId of channelIds) {
    await sql`insert into channel_fence (channel_id, owner, token) values (${channelId}, 'this test', 1)`;
    await takeOverBucket(sql, bucket, { channelId, token: 1n });
  }
}

/** Another process takes a channel over. */
export async function loseChannel(sql: Sql, channelId: bigint, bucket = 0): Promise<void> {
  const [row] = await sql<{ token: bigint }[]>`
    update channel_fence set token = token + 1 where channel_id = ${channelId} returning token`;
  await takeOverBucket(sql, bucket, { channelId, token: row?.token ?? 0n });
}
