// The task row and the money held for it, as everybody reads them.

import type { PendingQuery, Row } from 'postgres';
import type { BillingTerms } from '../domain/billing.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { timeOfId } from '../domain/id.js';
import { type Money, moneyFromMillionths, ZERO } from '../domain/money.js';
import type { Counts, Stage } from '../domain/stages.js';
import { booleanArray, numericArray, textArray, timeArray } from './array-literal.js';
import type { AnySql, Statement } from './connect.js';

export interface TaskAmounts {
  readonly frozen: Money;
  readonly charged: Money;
  readonly released: Money;
  readonly refunded: Money;
  readonly held: Money;
}

export interface TimelineEntry {
  readonly stage: Stage;
  readonly at: string;
}

export interface TaskRecord {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly requestKey: string;
  readonly fingerprint: Buffer;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  readonly accountDefaulted: boolean;
  readonly targetFirms: readonly string[] | null;
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
  readonly stage: Stage;
  readonly failure: string | null;
  readonly insufficientFunds: boolean;
  readonly frozenAt: Date | null;
  readonly price: Money;
  readonly counts: Counts;
  readonly amounts: TaskAmounts;
  /** The terms of the freeze; null before it. */
  readonly terms: BillingTerms | null;
  readonly timeline: readonly TimelineEntry[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
}

export const NO_AMOUNTS: TaskAmounts = { frozen: ZERO, charged: ZERO, released: ZERO, refunded: ZERO, held: ZERO };

/** The columns that `toTaskRecord` reads, of `task` as t and `hold` as h. */
export function taskColumns(sql: AnySql): PendingQuery<Row[]> {
  return sql`
    t.customer_id, t.task_id, t.request_key, t.fingerprint, t.template_id, t.service_account_id, t.account_defaulted,
    t.target_firms, t.auto_prepare, t.auto_freeze, t.auto_submit, t.stage, t.failure, t.insufficient_funds, t.frozen_at,
    t.price, t.total, t.rejected, t.unknown, t.awaiting, t.delivered, t.undelivered, t.expired, t.timeline,
    t.updated_at, t.completed_at, h.frozen, h.charged, h.released, h.refunded, h.charge_on, h.refund_on_failure`;
}

export async function readTask(sql: AnySql, customerId: CustomerId, taskId: TaskId): Promise<TaskRecord | undefined> {
  const [row] = await sql`
    select ${taskColumns(sql)}
    from task t left join hold h on h.customer_id = t.customer_id and h.task_id = t.task_id
    where t.customer_id = ${customerId} and t.task_id = ${taskId}`;
  return row === undefined ? undefined : toTaskRecord(row);
}

export async function readTasks(
  sql: AnySql,
  customerId: CustomerId,
  taskIds: readonly TaskId[],
): Promise<TaskRecord[]> {
  const rows = await sql`
    select ${taskColumns(sql)}
    from task t left join hold h on h.customer_id = t.customer_id and h.task_id = t.task_id
    where t.customer_id = ${customerId} and t.task_id = any(${numericArray(taskIds)}::bigint[])`;
  return rows.map(toTaskRecord);
}

/** Tasks by their request keys, which are unique per customer. The pairs may belong to several customers. */
export async function readTasksByRequestKey(
  sql: AnySql,
  customerIds: readonly CustomerId[],
  requestKeys: readonly string[],
): Promise<TaskRecord[]> {
  const rows = await sql`
    select ${taskColumns(sql)}
    from unnest(${numericArray(customerIds)}::bigint[], ${textArray(requestKeys)}::text[]) as k (customer_id, request_key)
    join task t on t.customer_id = k.customer_id and t.request_key = k.request_key
    left join hold h on h.customer_id = t.customer_id and h.task_id = t.task_id`;
  return rows.map(toTaskRecord);
}

export function toTaskRecord(row: Row): TaskRecord {
  const { total, rejected, unknown, awaiting, delivered, undelivered, expired } = row;
  const unsent = total - rejected - unknown - awaiting - delivered - undelivered - expired;
  return {
    customerId: row.customer_id,
    taskId: row.task_id,
    requestKey: row.request_key,
    fingerprint: row.fingerprint,
    templateId: row.template_id,
    serviceAccountId: row.service_account_id,
    accountDefaulted: row.account_defaulted,
    targetFirms: row.target_firms,
    autoPrepare: row.auto_prepare,
    autoFreeze: row.auto_freeze,
    autoSubmit: row.auto_submit,
    stage: row.stage,
    failure: row.failure,
    insufficientFunds: row.insufficient_funds,
    frozenAt: row.frozen_at,
    price: moneyFromMillionths(BigInt(row.price)),
    counts: { total, unsent, rejected, unknown, awaiting, delivered, undelivered, expired },
    amounts: row.frozen === null ? NO_AMOUNTS : toAmounts(row),
    terms: row.charge_on === null ? null : { chargeOn: row.charge_on, refundOnFailure: row.refund_on_failure },
    timeline: row.timeline,
    createdAt: timeOfId(row.task_id),
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
  };
}

function toAmounts(row: Row): TaskAmounts {
  const frozen = BigInt(row.frozen);
  const charged = BigInt(row.charged);
  const released = BigInt(row.released);
  return {
    frozen: moneyFromMillionths(frozen),
    charged: moneyFromMillionths(charged),
    released: moneyFromMillionths(released),
    refunded: moneyFromMillionths(BigInt(row.refunded)),
    held: moneyFromMillionths(frozen - charged - released),
  };
}

export interface TaskUpdate {
  readonly taskId: TaskId;
  readonly stage: Stage;
  readonly failure?: string;
  readonly insufficientFunds: boolean;
  readonly frozenAt: Date | null;
  readonly price: Money;
  readonly counts: Counts;
  readonly timeline: readonly TimelineEntry[];
  readonly completedAt: Date | null;
}

/**
 * Writes the new state of tasks of one customer. Absolute values: the caller holds the customer's account lock and has read
 * the tasks under it. A task that has left `queued` keeps no payload: its numbers live in chunks and receipts from then on.
 */
export function updateTasks(sql: AnySql, customerId: CustomerId, updates: readonly TaskUpdate[], now: Date): Statement {
  return sql`
    update task t set
      stage = u.stage, failure = u.failure, insufficient_funds = u.insufficient_funds, frozen_at = u.frozen_at,
      price = u.price, rejected = u.rejected, unknown = u.unknown, awaiting = u.awaiting, delivered = u.delivered,
      undelivered = u.undelivered, expired = u.expired, timeline = u.timeline_text::jsonb, completed_at = u.completed_at,
      updated_at = ${now}, payload = case when u.stage = 'queued' then t.payload end
    from unnest(
      ${numericArray(updates.map((u) => u.taskId))}::bigint[], ${textArray(updates.map((u) => u.stage))}::text[],
      ${textArray(updates.map((u) => u.failure ?? null))}::text[], ${booleanArray(updates.map((u) => u.insufficientFunds))}::boolean[],
      ${timeArray(updates.map((u) => u.frozenAt))}::timestamptz[], ${numericArray(updates.map((u) => u.price.toString()))}::bigint[],
      ${numericArray(updates.map((u) => u.counts.rejected))}::int[], ${numericArray(updates.map((u) => u.counts.unknown))}::int[],
      ${numericArray(updates.map((u) => u.counts.awaiting))}::int[], ${numericArray(updates.map((u) => u.counts.delivered))}::int[],
      ${numericArray(updates.map((u) => u.counts.undelivered))}::int[], ${numericArray(updates.map((u) => u.counts.expired))}::int[],
      ${textArray(updates.map((u) => JSON.stringify(u.timeline)))}::text[], ${timeArray(updates.map((u) => u.completedAt))}::timestamptz[]
    ) as u (task_id, stage, failure, insufficient_funds, frozen_at, price, rejected, unknown, awaiting, delivered,
      undelivered, expired, timeline_text, completed_at)
    where t.customer_id = ${customerId} and t.task_id = u.task_id`;
}
