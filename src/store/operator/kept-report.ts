import type { ListSource } from '../list.js';
import type { Sql } from '../sql.js';

/** A report that matches no part that we know. */
export interface KeptReport {
  readonly orphan_id: bigint;
  readonly channel_no: string;
  readonly message_id: string;
  readonly phone: string | null;
  readonly status: string;
  readonly code: string;
  readonly done_at: Date | null;
  readonly received_at: Date;
}

/** Newest first. */
export function listKeptReports(sql: Sql, { channelId }: { readonly channelId?: bigint }): ListSource<KeptReport> {
  const matching = () => (channelId === undefined ? sql`true` : sql`orphan_delivery.channel_id = ${channelId}`);
  return {
    keyOf: (report) => String(report.orphan_id),
    rows: ({ after, offset, limit }) => sql<KeptReport[]>`
      select orphan_id, channel_no, message_id, phone, orphan_delivery.status, code, done_at, received_at
      from orphan_delivery join channel on channel.channel_id = orphan_delivery.channel_id
      where ${matching()} ${after === undefined ? sql`` : sql`and orphan_id < ${after}`}
      order by orphan_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from orphan_delivery where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
