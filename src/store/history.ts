// The append-only records: what went on the wire, what was reported back, and the one outcome of each number.

import type { DeliveryStatus } from '../domain/chunk-state.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import type { Money } from '../domain/money.js';
import type { ReceiptResult } from '../domain/stages.js';
import { numericArray, textArray, timeArray } from './array-literal.js';
import type { AnySql, Statement } from './connect.js';

export interface NewSubmit {
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
  readonly parts: number;
  readonly channelId: bigint;
  readonly phoneKey: string;
  readonly phone: string;
  readonly firm: string;
  readonly status: 'accepted' | 'rejected' | 'unknown';
  readonly code: string | null;
  readonly upstreamMessageId: string | null;
  readonly submittedAt: number;
  readonly answeredAt: Date | null;
}

export function insertSubmits(tx: AnySql, customerId: CustomerId, rows: readonly NewSubmit[]): Statement {
  return tx`
    insert into submit (customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status,
      code, upstream_message_id, answered_at)
    select ${customerId}, (s.submitted_ms << 20) | (nextval('history_seq') & 1048575), s.task_id, s.seq, s.part, s.parts,
      s.channel_id, s.phone_key, s.phone, s.firm, s.status, s.code, s.upstream_message_id, s.answered_at
    from unnest(
      ${numericArray(rows.map((r) => r.submittedAt))}::bigint[], ${numericArray(rows.map((r) => r.taskId))}::bigint[],
      ${numericArray(rows.map((r) => r.seq))}::int[], ${numericArray(rows.map((r) => r.part))}::smallint[], ${numericArray(rows.map((r) => r.parts))}::smallint[],
      ${numericArray(rows.map((r) => r.channelId))}::bigint[], ${numericArray(rows.map((r) => r.phoneKey))}::bigint[],
      ${textArray(rows.map((r) => r.phone))}::text[], ${textArray(rows.map((r) => r.firm))}::text[], ${textArray(rows.map((r) => r.status))}::text[],
      ${textArray(rows.map((r) => r.code))}::text[], ${textArray(rows.map((r) => r.upstreamMessageId))}::text[],
      ${timeArray(rows.map((r) => r.answeredAt))}::timestamptz[]
    ) as s (submitted_ms, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status, code,
      upstream_message_id, answered_at)`;
}

export interface SubmitResolution {
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
  readonly status: 'accepted' | 'rejected';
  readonly code: string | null;
  readonly upstreamMessageId: string | null;
}

/** The one exception to append-only: a part whose acceptance was unknown turned out one way or the other. */
export function resolveSubmits(
  tx: AnySql,
  customerId: CustomerId,
  rows: readonly SubmitResolution[],
  now: Date,
): Statement {
  return tx`
    update submit s set status = r.status, code = r.code,
      upstream_message_id = coalesce(r.upstream_message_id, s.upstream_message_id), answered_at = ${now}
    from unnest(
      ${numericArray(rows.map((r) => r.taskId))}::bigint[], ${numericArray(rows.map((r) => r.seq))}::int[], ${numericArray(rows.map((r) => r.part))}::smallint[],
      ${textArray(rows.map((r) => r.status))}::text[], ${textArray(rows.map((r) => r.code))}::text[],
      ${textArray(rows.map((r) => r.upstreamMessageId))}::text[]
    ) as r (task_id, seq, part, status, code, upstream_message_id)
    where s.customer_id = ${customerId} and s.task_id = r.task_id and s.seq = r.seq and s.part = r.part
      and s.status = 'unknown'`;
}

export interface NewDelivery {
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
  readonly parts: number;
  readonly phoneKey: string;
  readonly phone: string;
  readonly firm: string;
  readonly status: DeliveryStatus;
  readonly code: string | null;
  readonly upstreamMessageId: string | null;
  readonly doneAt: Date | null;
}

export function insertDeliveries(
  tx: AnySql,
  customerId: CustomerId,
  rows: readonly NewDelivery[],
  now: Date,
): Statement {
  return tx`
    insert into delivery (customer_id, delivery_id, task_id, seq, part, parts, phone_key, phone, firm, status, code,
      upstream_message_id, done_at)
    select ${customerId}, (${now.getTime()}::bigint << 20) | (nextval('history_seq') & 1048575), d.*
    from unnest(
      ${numericArray(rows.map((r) => r.taskId))}::bigint[], ${numericArray(rows.map((r) => r.seq))}::int[], ${numericArray(rows.map((r) => r.part))}::smallint[],
      ${numericArray(rows.map((r) => r.parts))}::smallint[], ${numericArray(rows.map((r) => r.phoneKey))}::bigint[],
      ${textArray(rows.map((r) => r.phone))}::text[], ${textArray(rows.map((r) => r.firm))}::text[], ${textArray(rows.map((r) => r.status))}::text[],
      ${textArray(rows.map((r) => r.code))}::text[], ${textArray(rows.map((r) => r.upstreamMessageId))}::text[],
      ${timeArray(rows.map((r) => r.doneAt))}::timestamptz[]
    ) as d`;
}

export interface NewReceipt {
  readonly taskId: TaskId;
  readonly seq: number;
  readonly parts: number;
  readonly phoneKey: string;
  readonly price: Money;
  readonly phone: string;
  readonly firm: string | null;
  readonly result: ReceiptResult;
  readonly code: string | null;
  readonly submittedAt: Date | null;
  readonly doneAt: Date | null;
}

export function insertReceipts(tx: AnySql, customerId: CustomerId, rows: readonly NewReceipt[], now: Date): Statement {
  return tx`
    insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, firm, result, code,
      submitted_at, done_at)
    select ${customerId}, (${now.getTime()}::bigint << 20) | (nextval('history_seq') & 1048575), r.*
    from unnest(
      ${numericArray(rows.map((r) => r.taskId))}::bigint[], ${numericArray(rows.map((r) => r.seq))}::int[], ${numericArray(rows.map((r) => r.parts))}::smallint[],
      ${numericArray(rows.map((r) => r.phoneKey))}::bigint[], ${numericArray(rows.map((r) => r.price))}::bigint[],
      ${textArray(rows.map((r) => r.phone))}::text[], ${textArray(rows.map((r) => r.firm))}::text[], ${textArray(rows.map((r) => r.result))}::text[],
      ${textArray(rows.map((r) => r.code))}::text[], ${timeArray(rows.map((r) => r.submittedAt))}::timestamptz[],
      ${timeArray(rows.map((r) => r.doneAt))}::timestamptz[]
    ) as r`;
}

/**
 * Reports that came after their number had its receipt: kept as records unless the same report is there already.
 * Changes neither receipt nor money.
 */
export async function insertLateDeliveries(
  tx: AnySql,
  customerId: CustomerId,
  rows: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  const known = await tx<{ taskId: TaskId; seq: number; part: number; status: string }[]>`
    select distinct d.task_id as "taskId", d.seq, d.part, d.status
    from unnest(${numericArray(rows.map((r) => r.taskId))}::bigint[], ${numericArray(rows.map((r) => r.seq))}::int[]) as k (task_id, seq)
    join delivery d on d.customer_id = ${customerId} and d.task_id = k.task_id and d.seq = k.seq`;
  const keyOf = (row: { taskId: TaskId; seq: number; part: number; status: string }) =>
    `${row.taskId} ${row.seq} ${row.part} ${row.status}`;
  const seen = new Set(known.map(keyOf));
  const fresh = rows.filter((row) => row.status === 'intermediate' || (!seen.has(keyOf(row)) && seen.add(keyOf(row))));
  if (fresh.length > 0) await insertDeliveries(tx, customerId, fresh, now);
}

/** The reports of numbers that say what their receipts say. */
export async function readReports(
  tx: AnySql,
  customerId: CustomerId,
  receipts: readonly Pick<NewReceipt, 'taskId' | 'seq' | 'result'>[],
): Promise<Pick<NewDelivery, 'taskId' | 'seq' | 'status' | 'code' | 'doneAt'>[]> {
  return await tx<Pick<NewDelivery, 'taskId' | 'seq' | 'status' | 'code' | 'doneAt'>[]>`
    select d.task_id as "taskId", d.seq, d.status, d.code, d.done_at as "doneAt"
    from unnest(${numericArray(receipts.map((r) => r.taskId))}::bigint[], ${numericArray(receipts.map((r) => r.seq))}::int[],
      ${textArray(receipts.map((r) => r.result))}::text[]) as r (task_id, seq, result)
    join delivery d on d.customer_id = ${customerId} and d.task_id = r.task_id and d.seq = r.seq and d.status = r.result
    order by d.delivery_id`;
}

export interface LocatedPart {
  readonly messageKey: string;
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
  readonly parts: number;
  readonly phone: string;
  readonly phoneKey: bigint;
  readonly firm: string;
  readonly submitId: bigint;
}

/** The parts that were submitted on a channel under any of these message keys: see `messageKeyOf`. */
export async function locateParts(sql: AnySql, channelId: bigint, keys: readonly string[]): Promise<LocatedPart[]> {
  return await sql<LocatedPart[]>`
    select ltrim(lower(upstream_message_id), '0') as "messageKey", customer_id as "customerId", task_id as "taskId", seq,
      part, parts, phone, phone_key as "phoneKey", firm, submit_id as "submitId"
    from submit
    where channel_id = ${channelId} and upstream_message_id is not null
      and ltrim(lower(upstream_message_id), '0') = any(${textArray(keys)}::text[])
    order by submit_id desc`;
}

export interface PartKey {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
}

/** The submitted parts of these names. They may belong to several customers. */
export async function readSubmittedParts(sql: AnySql, keys: readonly PartKey[]): Promise<LocatedPart[]> {
  return await sql<LocatedPart[]>`
    select coalesce(ltrim(lower(s.upstream_message_id), '0'), '') as "messageKey", s.customer_id as "customerId",
      s.task_id as "taskId", s.seq, s.part, s.parts, s.phone, s.phone_key as "phoneKey", s.firm, s.submit_id as "submitId"
    from unnest(${numericArray(keys.map((k) => k.customerId))}::bigint[], ${numericArray(keys.map((k) => k.taskId))}::bigint[],
      ${numericArray(keys.map((k) => k.seq))}::int[], ${numericArray(keys.map((k) => k.part))}::int[]) as k (customer_id, task_id, seq, part)
    join submit s on s.customer_id = k.customer_id and s.task_id = k.task_id and s.seq = k.seq and s.part = k.part`;
}

/** When the parts of these tasks went on the wire. */
export async function readSubmitTimes(
  sql: AnySql,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
): Promise<Map<string, number>> {
  const rows = await sql<{ taskId: TaskId; seq: number; submittedMs: bigint }[]>`
    select task_id as "taskId", seq, min(submit_id) >> 20 as "submittedMs" from submit
    where customer_id = ${customerId} and task_id = any(${numericArray(taskIds)}::bigint[])
    group by task_id, seq`;
  return new Map(rows.map((row) => [`${row.taskId} ${row.seq}`, Number(row.submittedMs)]));
}
