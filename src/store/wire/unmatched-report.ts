// Unmatched reports: delivery reports whose part is not known yet, because the upstream reported before it answered, or answered under
// another id.

import type { DeliveryStatus } from '../../domain/record/records.js';
import { numericArray } from '../array-literal.js';
import { type Lease, readHeldFences } from '../channel/channel-lease.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, Sql, Statement } from '../sql.js';

export interface NewUnmatchedReport {
  readonly messageKey: string;
  readonly messageId: string;
  /** Our own, where the upstream repeats it. */
  readonly reference: string | null;
  readonly phone: string | null;
  readonly status: DeliveryStatus;
  readonly code: string;
  readonly doneAt: Date | null;
}

export interface UnmatchedReportRow extends NewUnmatchedReport {
  readonly reportId: bigint;
  readonly receivedAt: Date;
}

const REPORTS = defineRows('r', {
  messageKey: 'text',
  messageId: 'text',
  reference: 'text',
  phone: 'text',
  status: 'text',
  code: 'text',
  doneAt: 'timestamptz',
  position: 'int',
});

/**
 * Stores reports, and returns their ids in the same order. Only the owner of the channel may: it would never look up a report that another
 * process stored.
 */
export async function insertUnmatchedReports(
  sql: Sql,
  lease: Lease,
  reports: readonly NewUnmatchedReport[],
): Promise<bigint[]> {
  return await sql.begin(async (tx) => {
    await readHeldFences(tx, [lease]);
    const rows = await tx<{ reportId: bigint }[]>`
      insert into unmatched_report (channel_id, message_key, message_id, reference, phone, status, code, done_at)
      select ${lease.channelId}, r.message_key, r.message_id, r.reference, r.phone, r.status, r.code, r.done_at
      from ${REPORTS.unnest(tx, reports, { position: reports.map((_, index) => index) })}
      order by r.position
      returning report_id as "reportId"`;
    return rows.map((row) => row.reportId);
  });
}

/** The newest of a channel. Those that match no part for long are left to the operator. */
export async function readUnmatchedReports(
  sql: AnySql,
  channelId: bigint,
  limit: number,
): Promise<UnmatchedReportRow[]> {
  return await sql<UnmatchedReportRow[]>`
    select report_id as "reportId", message_key as "messageKey", message_id as "messageId", reference, phone, status,
      code, done_at as "doneAt", received_at as "receivedAt"
    from unmatched_report where channel_id = ${channelId} order by report_id desc limit ${limit}`;
}

export function deleteUnmatchedReports(tx: AnySql, reportIds: readonly bigint[]): Statement {
  return tx`delete from unmatched_report where report_id = any(${numericArray(reportIds)}::bigint[])`;
}

/** Deletes reports that matched no part within the retention time. Returns how many, at most `limit`. */
export async function deleteOldUnmatchedReports(sql: AnySql, retentionMs: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from unmatched_report where report_id in (
      select report_id from unmatched_report where received_at < now() - ${retentionMs} * interval '1 millisecond'
      order by received_at limit ${limit})
    returning 1 as gone`;
  return rows.length;
}
