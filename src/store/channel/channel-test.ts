// Test messages of a channel as its owner handles them. Every write names the lease, so that a process that lost it writes nothing.

import type { ChannelTest } from '../../domain/entities/channel-test.js';
import type { AnySql, Statement } from '../sql.js';
import type { Lease } from './channel-lease.js';

/** A test that no owner took by then is not sent. */
const TAKEN_UP_WITHIN = '60 seconds';
const REPORTED_WITHIN = '3 days';

const columnsWith = (sql: AnySql, status: Statement) => sql`test_id, phone, sender, text, ${status} as status,
  code, upstream_message_id, created_by, created_at, submitted_at, answered_at, report_status, report_code, reported_at`;

/** With the status as shown: a test that no owner took in time is `not_sent`. */
export const testColumns = (sql: AnySql) =>
  columnsWith(
    sql,
    sql`case when status = 'queued' and created_at < now() - ${TAKEN_UP_WITHIN}::interval then 'not_sent' else status end`,
  );

/** As it was just written. */
export const writtenColumns = (sql: AnySql) => columnsWith(sql, sql`status`);

const held = (sql: AnySql, { channelId, token }: Lease) =>
  sql`exists (select 1 from channel_fence f where f.channel_id = ${channelId} and f.token = ${token})`;

/** Commits the intent to send them: after a crash they stay `sending` and are not sent again. */
export async function takeUpTests(sql: AnySql, lease: Lease): Promise<ChannelTest[]> {
  return await sql<ChannelTest[]>`
    update channel_test set status = 'sending', submitted_at = now()
    where channel_id = ${lease.channelId} and status = 'queued' and created_at >= now() - ${TAKEN_UP_WITHIN}::interval
      and ${held(sql, lease)}
    returning ${writtenColumns(sql)}`;
}

/** Tests that an earlier owner was sending, without a recorded answer. */
export async function giveUpTests(sql: AnySql, lease: Lease): Promise<void> {
  await sql`
    update channel_test set status = 'unknown', code = 'interrupted', answered_at = now()
    where channel_id = ${lease.channelId} and status = 'sending' and ${held(sql, lease)}`;
}

export interface TestAnswer {
  readonly status: ChannelTest['status'];
  readonly code: string | null;
  readonly messageId: string | null;
}

export async function recordTestAnswer(sql: AnySql, lease: Lease, testId: bigint, answer: TestAnswer): Promise<void> {
  await sql`
    update channel_test set status = ${answer.status}, code = ${answer.code}, upstream_message_id = ${answer.messageId},
      answered_at = now()
    where channel_id = ${lease.channelId} and test_id = ${testId} and status = 'sending' and ${held(sql, lease)}`;
}

/** The first final report stands. */
export async function recordTestReport(
  sql: AnySql,
  lease: Lease,
  testId: bigint,
  report: { readonly status: string; readonly code: string },
): Promise<void> {
  await sql`
    update channel_test set report_status = ${report.status}, report_code = ${report.code}, reported_at = now()
    where channel_id = ${lease.channelId} and test_id = ${testId}
      and (report_status is null or report_status = 'intermediate') and ${held(sql, lease)}`;
}

/** Tests that may still get a report. */
export async function readOpenTests(sql: AnySql, { channelId }: Lease): Promise<ChannelTest[]> {
  return await sql<ChannelTest[]>`
    select ${testColumns(sql)} from channel_test
    where channel_id = ${channelId} and status in ('accepted', 'unknown') and created_at > now() - ${REPORTED_WITHIN}::interval
      and (report_status is null or report_status = 'intermediate')`;
}
