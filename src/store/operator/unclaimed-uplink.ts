import type { ListSource } from '../list.js';
import type { Sql } from '../sql.js';

/** An inbound message to an address that no service account has. */
export interface UnclaimedUplink {
  readonly unclaimed_uplink_id: bigint;
  readonly channel_no: string;
  readonly sender: string;
  readonly recipient: string;
  readonly content: string;
  readonly incomplete: boolean;
  readonly received_at: Date;
}

/** Newest first. */
export function listUnclaimedUplinks(sql: Sql): ListSource<UnclaimedUplink> {
  return {
    keyOf: (uplink) => String(uplink.unclaimed_uplink_id),
    rows: ({ after, offset, limit }) => sql<UnclaimedUplink[]>`
      select unclaimed_uplink_id, channel_no, sender, recipient, content, incomplete, received_at from unclaimed_uplink
      join channel on channel.channel_id = unclaimed_uplink.channel_id
      where (${after ?? null}::bigint is null or unclaimed_uplink_id < ${after ?? null}::bigint)
      order by unclaimed_uplink_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from unclaimed_uplink limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
