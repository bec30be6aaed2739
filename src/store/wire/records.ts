// The append-only records: submits, delivery reports and the receipt of each number. Their ids come from the accounts, and they are
// written under the locks of the accounts.

import type { CustomerId, TaskId } from '../../domain/id.js';
import { formatReference } from '../../domain/record/part-reference.js';
import type { Delivery, NumberKey, PartKey, Receipt, Submit, SubmitResolution } from '../../domain/record/records.js';
import { textArray } from '../array-literal.js';
import { bucketOfKey, bucketRow } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import { NUMBER_KEYS, PART_KEYS, TASK_KEYS } from '../rows/keys.js';
import type { AnySql, Statement } from '../sql.js';
import { type ReportOfReceipt, reportRows } from './reports.js';

/** How much the clocks that task ids and record ids come from may differ. */
const CLOCK_SLACK_MS = 24n * 3_600_000n;

/** No record of these tasks has a lower id. Statements that look records up by task use it to skip the partitions of earlier months. */
export function firstRecordOf(tasks: Iterable<{ readonly taskId: bigint }>): bigint {
  let first: bigint | undefined;
  for (const { taskId } of tasks) if (first === undefined || taskId < first) first = taskId;
  const bound = (first ?? 0n) - (CLOCK_SLACK_MS << 20n);
  return bound > 0n ? bound : 0n;
}

/** Of a part, whether it was submitted or reported. */
const PART = {
  customerId: 'bigint',
  taskId: 'bigint',
  seq: 'int',
  part: 'smallint',
  parts: 'smallint',
  channelId: 'bigint',
  phoneKey: 'bigint',
  phone: 'text',
  firm: 'text',
  status: 'text',
  code: 'text',
  upstreamMessageId: 'text',
} as const;

const SUBMITS = defineRows('s', {
  ...PART,
  submitId: 'bigint',
  answeredAt: 'timestamptz',
  submittedAt: 'timestamptz',
});

export function insertSubmits(tx: AnySql, bucket: number, rows: readonly Submit[], ids: readonly bigint[]): Statement {
  const submittedAt = rows.map((row) => new Date(row.submittedAt));
  return tx`
    insert into submit (bucket, ${SUBMITS.names(tx)})
    select b.bucket, ${SUBMITS.values(tx)}
    from ${bucketRow(tx, bucket)} cross join ${SUBMITS.unnest(tx, rows, { submitId: ids, submittedAt })}`;
}

const RESOLUTIONS = defineRows('r', {
  customerId: 'bigint',
  taskId: 'bigint',
  seq: 'int',
  part: 'smallint',
  status: 'text',
  code: 'text',
  upstreamMessageId: 'text',
});

/** The only update of a record: an unknown part turned out to be accepted or not. */
export function resolveSubmits(tx: AnySql, bucket: number, rows: readonly SubmitResolution[], now: Date): Statement {
  return tx`
    update submit s set status = r.status, code = r.code,
      upstream_message_id = coalesce(r.upstream_message_id, s.upstream_message_id), answered_at = ${now}
    from ${RESOLUTIONS.unnest(tx, rows)}
    where s.bucket = ${bucket} and s.customer_id = r.customer_id and s.task_id = r.task_id and s.seq = r.seq
      and s.part = r.part and s.status = 'unknown' and s.submit_id >= ${firstRecordOf(rows)}`;
}

const DELIVERIES = defineRows('d', { ...PART, deliveryId: 'bigint', doneAt: 'timestamptz' });

/** Of reports that stand in no receipt, see `placeReports`. */
export function insertDeliveries(
  tx: AnySql,
  bucket: number,
  rows: readonly Delivery[],
  ids: readonly bigint[],
): Statement {
  return tx`
    insert into delivery (bucket, ${DELIVERIES.names(tx)})
    select b.bucket, ${DELIVERIES.values(tx)}
    from ${bucketRow(tx, bucket)} cross join ${DELIVERIES.unnest(tx, rows, { deliveryId: ids })}`;
}

const RECEIPTS = defineRows('r', {
  customerId: 'bigint',
  receiptId: 'bigint',
  taskId: 'bigint',
  seq: 'int',
  parts: 'smallint',
  phoneKey: 'bigint',
  price: 'bigint',
  phone: 'text',
  firm: 'text',
  result: 'text',
  code: 'text',
  submittedAt: 'timestamptz',
  doneAt: 'timestamptz',
  isCharged: 'boolean',
  channelId: 'bigint',
  cost: 'bigint',
  reportPart: 'smallint',
  reportParts: 'smallint',
  upstreamMessageId: 'text',
});

/** With the report that gave each, where there is one. */
export function insertReceipts(
  tx: AnySql,
  bucket: number,
  rows: readonly Receipt[],
  ids: readonly bigint[],
  costs: readonly (bigint | null)[] = [],
  reports: readonly (ReportOfReceipt | undefined)[] = [],
): Statement {
  const isCharged = rows.map((row) => row.isCharged === true);
  return tx`
    insert into receipt (bucket, ${RECEIPTS.names(tx)})
    select b.bucket, ${RECEIPTS.values(tx)}
    from ${bucketRow(tx, bucket)} cross join ${RECEIPTS.unnest(tx, rows, {
      receiptId: ids,
      isCharged,
      channelId: rows.map((row) => row.channelId ?? null),
      cost: rows.map((_, nth) => costs[nth] ?? null),
      reportPart: rows.map((_, nth) => reports[nth]?.part ?? null),
      reportParts: rows.map((_, nth) => reports[nth]?.parts ?? null),
      upstreamMessageId: rows.map((_, nth) => reports[nth]?.upstreamMessageId ?? null),
    })}`;
}

/** The delivery reports on these numbers, oldest first. */
export async function readReports(
  tx: AnySql,
  bucket: number,
  numbers: readonly NumberKey[],
): Promise<Pick<Delivery, 'customerId' | 'taskId' | 'seq' | 'part' | 'channelId' | 'status' | 'code' | 'doneAt'>[]> {
  return await tx<
    Pick<Delivery, 'customerId' | 'taskId' | 'seq' | 'part' | 'channelId' | 'status' | 'code' | 'doneAt'>[]
  >`
    select report.customer_id as "customerId", report.task_id as "taskId", report.seq, report.part,
      report.channel_id as "channelId", report.status, report.code, report.done_at as "doneAt"
    from (
      select distinct * from ${NUMBER_KEYS.unnest(tx, numbers)}
    ) as k
    join ${reportRows(tx)} on report.bucket = ${bucketOfKey(tx, bucket, 'k')} and report.customer_id = k.customer_id
      and report.task_id = k.task_id and report.seq = k.seq
    where report.delivery_id >= ${firstRecordOf(numbers)} and report.part is not null
    order by report.delivery_id`;
}

/** The refused submits of these numbers, newest first. */
export async function readRefusals(
  tx: AnySql,
  bucket: number,
  numbers: readonly NumberKey[],
): Promise<Pick<Submit, 'customerId' | 'taskId' | 'seq' | 'code'>[]> {
  return await tx<Pick<Submit, 'customerId' | 'taskId' | 'seq' | 'code'>[]>`
    select s.customer_id as "customerId", s.task_id as "taskId", s.seq, s.code
    from ${NUMBER_KEYS.unnest(tx, numbers)}
    join submit s on s.bucket = ${bucketOfKey(tx, bucket, 'k')} and s.customer_id = k.customer_id and s.task_id = k.task_id and s.seq = k.seq
    where s.status = 'rejected' and s.submit_id >= ${firstRecordOf(numbers)}
    order by s.submit_id desc`;
}

export interface LocatedPart extends PartKey {
  readonly bucket: number;
  readonly messageId: string | null;
  readonly parts: number;
  readonly phone: string;
  readonly phoneKey: bigint;
  readonly firm: string;
  readonly submittedAt: Date;
}

const LOCATED = `s.bucket, s.upstream_message_id as "messageId", s.customer_id as "customerId", s.task_id as "taskId", s.seq,
  s.part, s.parts, s.phone, s.phone_key as "phoneKey", s.firm, s.submitted_at as "submittedAt"`;

/** Ids from `from`, inclusive, to `until`, exclusive. Partitions outside are not read. */
export interface IdSpan {
  readonly from: bigint;
  readonly until: bigint;
}

/**
 * The parts that were submitted on a channel with any of these message keys (see `messageKeyOf`), newest first, in all buckets: a message id
 * does not say which customer it belongs to. In the index, the key of an id of zeros is empty.
 */
export async function readPartsByMessageId(
  sql: AnySql,
  channelId: bigint,
  keys: readonly string[],
  { from, until }: IdSpan,
): Promise<LocatedPart[]> {
  return await sql<LocatedPart[]>`
    select ${sql.unsafe(LOCATED)} from submit s
    where s.channel_id = ${channelId} and s.upstream_message_id is not null
      and s.submit_id >= ${from} and s.submit_id < ${until}
      and ltrim(lower(s.upstream_message_id), '0') = any(${textArray(keys.map((key) => (key === '0' ? '' : key)))}::text[])
    order by s.submit_id desc`;
}

/** The given parts, without those that were not submitted on this channel. */
export async function readSubmittedParts(
  sql: AnySql,
  bucket: number,
  channelId: bigint,
  keys: readonly PartKey[],
): Promise<LocatedPart[]> {
  return await sql<LocatedPart[]>`
    select ${sql.unsafe(LOCATED)}
    from ${PART_KEYS.unnest(sql, keys)}
    join submit s on s.bucket = ${bucketOfKey(sql, bucket, 'k')} and s.customer_id = k.customer_id and s.task_id = k.task_id and s.seq = k.seq
      and s.part = k.part and s.channel_id = ${channelId}
    where s.submit_id >= ${firstRecordOf(keys)}`;
}

/** When a part was submitted, in milliseconds since the epoch, and on which channel: its chunk may have moved to another since. */
export interface Submission {
  readonly submittedAt: number;
  readonly channelId: bigint;
}

/** The submission of an accepted number. */
export interface AcceptedSubmission extends Submission {
  /** When the last of its parts was accepted. */
  readonly acceptedAt: Date;
}

/** The submission of the first accepted part of each number of these tasks, by `customer/task/seq`. One channel sends all parts of a number. */
export async function readSubmissions(
  sql: AnySql,
  bucket: number,
  tasks: readonly { readonly customerId: CustomerId; readonly taskId: TaskId }[],
): Promise<Map<string, AcceptedSubmission>> {
  const rows = await sql<(NumberKey & { submittedAt: Date; channelId: bigint; acceptedAt: Date })[]>`
    select s.customer_id as "customerId", s.task_id as "taskId", s.seq, min(s.submitted_at) as "submittedAt",
      min(s.channel_id) as "channelId", max(s.answered_at) as "acceptedAt"
    from (
      select distinct * from ${TASK_KEYS.unnest(sql, tasks)}
    ) as k
    join submit s on s.bucket = ${bucketOfKey(sql, bucket, 'k')} and s.customer_id = k.customer_id and s.task_id = k.task_id
    where s.status = 'accepted' and s.submit_id >= ${firstRecordOf(tasks)}
    group by s.customer_id, s.task_id, s.seq`;
  return new Map(
    rows.map((row) => [
      `${row.customerId}/${row.taskId}/${row.seq}`,
      { ...toSubmission(row), acceptedAt: row.acceptedAt },
    ]),
  );
}

/** The submissions of the given parts, by reference. Only of parts that are unknown. */
export async function readUnknownSubmissions(
  sql: AnySql,
  bucket: number,
  parts: readonly PartKey[],
): Promise<Map<string, Submission>> {
  const rows = await sql<(PartKey & { submittedAt: Date; channelId: bigint })[]>`
    select s.customer_id as "customerId", s.task_id as "taskId", s.seq, s.part, s.submitted_at as "submittedAt",
      s.channel_id as "channelId"
    from ${PART_KEYS.unnest(sql, parts)}
    join submit s on s.bucket = ${bucketOfKey(sql, bucket, 'k')} and s.customer_id = k.customer_id and s.task_id = k.task_id and s.seq = k.seq
      and s.part = k.part and s.status = 'unknown'
    where s.submit_id >= ${firstRecordOf(parts)}`;
  return new Map(rows.map((row) => [formatReference(row), toSubmission(row)]));
}

function toSubmission({ submittedAt, channelId }: { submittedAt: Date; channelId: bigint }): Submission {
  return { submittedAt: submittedAt.getTime(), channelId };
}
