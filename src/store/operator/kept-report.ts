import type { ListSource } from '../list.js';
import type { Sql } from '../sql.js';

/** A report that matches no part that we know. */
export interface KeptReport {
  readonly report_id: bigint;
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
  const matching = () => (channelId === undefined ? sql`true` : sql`unmatched_report.channel_id = ${channelId}`);
  return {
    keyOf: (report) => String(report.report_id),
    rows: ({ after, offset, limit }) => sql<KeptReport[]>`
      select report_id, channel_no, message_id, phone, unmatched_report.status, code, done_at, received_at
      from unmatched_report join channel on channel.channel_id = unmatched_report.channel_id
      where ${matching()} ${after === undefined ? sql`` : sql`and report_id < ${after}`}
      order by report_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select from unmatched_report where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
