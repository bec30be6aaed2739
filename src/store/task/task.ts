// Reads and changes task rows.

import type { CustomerId, TaskId } from '../../domain/id.js';
import { timeOfId } from '../../domain/id.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { SettledTask, Task, TaskChange, TaskKey } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import { bucketOfKey } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import { exceptTasks } from '../rows/except-tasks.js';
import { REQUEST_KEYS, TASK_KEYS } from '../rows/keys.js';
import type { AnySql, PendingQuery, Row, Statement } from '../sql.js';

/** The columns that `toTask` reads, of `task` as t. */
export function taskColumns(sql: AnySql): PendingQuery<Row[]> {
  return sql`
    ${stateColumns(sql)}, t.request_key, t.fingerprint, t.batch_id, t.title, t.service_account_id, t.account_defaulted,
    t.target_firms, t.auto_prepare, t.auto_freeze, t.auto_submit, t.updated_at, t.queued_for, t.send_at, t.expires_at`;
}

/** The columns that `toSettledTask` reads. */
function stateColumns(sql: AnySql): PendingQuery<Row[]> {
  return sql`
    t.bucket, t.customer_id, t.task_id, t.template_id, t.stage, t.failure, t.insufficient_funds, t.frozen_at, t.price, t.total,
    t.rejected, t.unknown, t.awaiting, t.delivered, t.undelivered, t.expired, t.timeline, t.completed_at, t.frozen, t.charged,
    t.released, t.refunded, t.charge_on, t.refund_on_failure, t.over_limit, t.submit_at, t.paused, t.ending, t.cancelled`;
}

export async function readTask(sql: AnySql, { bucket, customerId }: Tenant, taskId: TaskId): Promise<Task | undefined> {
  const [row] = await sql`
    select ${taskColumns(sql)} from task t
    where t.bucket = ${bucket} and t.customer_id = ${customerId} and t.task_id = ${taskId}`;
  return row === undefined ? undefined : toTask(row);
}

// The lateral looks the keys up one by one, whatever the statistics (docs/decisions/0006-plans-without-statistics.md).
export async function readTasks(sql: AnySql, bucket: number, keys: readonly TaskKey[]): Promise<Task[]> {
  const rows = await sql`
    select ${taskColumns(sql)}
    from ${TASK_KEYS.unnest(sql, keys)}
    cross join lateral (
      select * from task where bucket = ${bucket} and customer_id = k.customer_id and task_id = k.task_id limit 1
    ) as t`;
  return rows.map(toTask);
}

/** The fields that delivery events change: every batch reads them, of every task. */
export async function readSettledTasks(sql: AnySql, bucket: number, keys: readonly TaskKey[]): Promise<SettledTask[]> {
  const rows = await sql`
    select ${stateColumns(sql)}
    from ${TASK_KEYS.unnest(sql, keys)}
    cross join lateral (
      select * from task where bucket = ${bucket} and customer_id = k.customer_id and task_id = k.task_id limit 1
    ) as t`;
  return rows.map(toSettledTask);
}

/** The texts of a task. Not part of a task that is read, because they may be large. Null for tasks older than the column. */
export async function readContent(sql: AnySql, { bucket, customerId, taskId }: Task): Promise<string | null> {
  const [row] = await sql<{ content: string | null }[]>`
    select content from task where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId}`;
  return row?.content ?? null;
}

/** Tasks by their request keys, which are unique per customer. The pairs may belong to several customers of the bucket. */
export async function readTasksByRequestKey(
  sql: AnySql,
  bucket: number,
  keys: readonly { readonly customerId: CustomerId; readonly requestKey: string }[],
): Promise<Task[]> {
  const rows = await sql`
    select ${taskColumns(sql)}
    from ${REQUEST_KEYS.unnest(sql, keys)}
    join task t on t.bucket = ${bucketOfKey(sql, bucket, 'k')} and t.customer_id = k.customer_id and t.request_key = k.request_key`;
  return rows.map(toTask);
}

/** Field by field, like `toSettledTask`: adding fields to a spread takes microseconds each. */
export function toTask(row: Row): Task {
  const settled = toSettledTask(row);
  return {
    bucket: settled.bucket,
    customerId: settled.customerId,
    taskId: settled.taskId,
    requestKey: row.request_key,
    fingerprint: row.fingerprint,
    batchId: row.batch_id,
    title: row.title,
    templateId: settled.templateId,
    serviceAccountId: row.service_account_id,
    accountDefaulted: row.account_defaulted,
    targetFirms: row.target_firms,
    autoPrepare: row.auto_prepare,
    autoFreeze: row.auto_freeze,
    autoSubmit: row.auto_submit,
    stage: settled.stage,
    failure: settled.failure,
    insufficientFunds: settled.insufficientFunds,
    overLimit: settled.overLimit,
    frozenAt: settled.frozenAt,
    price: settled.price,
    counts: settled.counts,
    cancelled: settled.cancelled,
    hold: settled.hold,
    terms: settled.terms,
    submitAt: settled.submitAt,
    paused: settled.paused,
    ending: settled.ending,
    queuedFor: row.queued_for,
    sendAt: row.send_at,
    expiresAt: row.expires_at,
    timeline: settled.timeline,
    createdAt: timeOfId(row.task_id),
    updatedAt: row.updated_at,
    completedAt: settled.completedAt,
  };
}

function toSettledTask(row: Row): SettledTask {
  const { total, rejected, unknown, awaiting, delivered, undelivered, expired } = row;
  const unsent = total - rejected - unknown - awaiting - delivered - undelivered - expired;
  return {
    bucket: row.bucket,
    customerId: row.customer_id,
    taskId: row.task_id,
    templateId: row.template_id,
    stage: row.stage,
    failure: row.failure,
    insufficientFunds: row.insufficient_funds,
    overLimit: row.over_limit,
    frozenAt: row.frozen_at,
    price: moneyFromMillionths(row.price),
    counts: { total, unsent, rejected, unknown, awaiting, delivered, undelivered, expired },
    cancelled: row.cancelled,
    hold: {
      frozen: moneyFromMillionths(row.frozen),
      charged: moneyFromMillionths(row.charged),
      released: moneyFromMillionths(row.released),
      refunded: moneyFromMillionths(row.refunded),
    },
    terms: row.charge_on === null ? null : { chargeOn: row.charge_on, refundOnFailure: row.refund_on_failure },
    submitAt: row.submit_at,
    paused: row.paused,
    ending: row.ending,
    timeline: row.timeline,
    completedAt: row.completed_at,
  };
}

const TASK_CHANGES = defineRows('u', {
  customerId: 'bigint',
  taskId: 'bigint',
  stage: 'text',
  failure: 'text',
  insufficientFunds: 'boolean',
  frozenAt: 'timestamptz',
  price: 'bigint',
  counts: {
    rejected: 'int',
    unknown: 'int',
    awaiting: 'int',
    delivered: 'int',
    undelivered: 'int',
    expired: 'int',
  },
  hold: { frozen: 'bigint', charged: 'bigint', released: 'bigint', refunded: 'bigint' },
  terms: { chargeOn: 'text', refundOnFailure: 'boolean' },
  timeline: 'jsonb',
  completedAt: 'timestamptz',
  overLimit: 'boolean',
  submitAt: 'timestamptz',
  paused: 'boolean',
  ending: 'text',
  cancelled: 'int',
});

/**
 * Writes the new state of tasks. Absolute values: the caller holds their customers' account locks and has read the tasks under
 * them. A task that has left `queued` keeps no payload: its numbers live in chunks and receipts from then on.
 */
export function updateTasks(sql: AnySql, bucket: number, changes: readonly TaskChange[], now: Date): Statement {
  return sql`
    update task t set
      stage = u.stage, failure = u.failure, insufficient_funds = u.insufficient_funds, frozen_at = u.frozen_at,
      price = u.price, rejected = u.rejected, unknown = u.unknown, awaiting = u.awaiting, delivered = u.delivered,
      undelivered = u.undelivered, expired = u.expired, frozen = u.frozen, charged = u.charged, released = u.released,
      refunded = u.refunded, charge_on = u.charge_on, refund_on_failure = u.refund_on_failure,
      timeline = u.timeline::jsonb, completed_at = u.completed_at, updated_at = ${now}, over_limit = u.over_limit,
      submit_at = u.submit_at, paused = u.paused, ending = u.ending, cancelled = u.cancelled,
      unsent_until = case when u.stage in ('queued', 'prepared', 'submitting') and u.ending is null then t.unsent_until end,
      payload = case when u.stage = 'queued' then t.payload end,
      queued_for = case when u.stage = 'queued' then t.queued_for end,
      ended = case when u.stage in ('failed', 'cancelled') then u.stage end
    from ${TASK_CHANGES.unnest(sql, changes)}
    where t.bucket = ${bucketOfKey(sql, bucket, 'u')} and t.customer_id = u.customer_id and t.task_id = u.task_id`;
}

/** Queues tasks that waited for a call to be prepared. */
export function queueForPreparing(tx: AnySql, { bucket, customerId }: Tenant, taskIds: readonly TaskId[]): Statement {
  return tx`
    update task set queued_for = 'prepare', prepare_after = null
    where bucket = ${bucket} and customer_id = ${customerId} and task_id = any(${numericArray(taskIds)}::bigint[])
      and stage = 'queued'`;
}

/** The payloads of tasks that are not prepared yet. */
export async function readPayloads(
  tx: AnySql,
  bucket: number,
  keys: readonly TaskKey[],
): Promise<ReadonlyMap<TaskId, string>> {
  const rows = await tx<{ taskId: TaskId; payload: string }[]>`
    select t.task_id as "taskId", t.payload
    from ${TASK_KEYS.unnest(tx, keys)}
    join task t on t.bucket = ${bucketOfKey(tx, bucket, 'k')} and t.customer_id = k.customer_id and t.task_id = k.task_id
    where t.payload is not null`;
  return new Map(rows.map((row) => [row.taskId, row.payload]));
}

export function setSendAt(
  tx: AnySql,
  { bucket, customerId }: Tenant,
  taskId: TaskId,
  sendAt: Date,
  now: Date,
): Statement {
  return tx`
    update task set send_at = ${sendAt}, updated_at = ${now}
    where bucket = ${bucket} and customer_id = ${customerId} and task_id = ${taskId}`;
}

const CURSORS = defineRows('k', { customerId: 'bigint', after: 'bigint' });

/** Tasks that wait for money: for each customer the next few after the given task id, oldest first. */
export async function readWaitingForMoney(
  sql: AnySql,
  bucket: number,
  after: ReadonlyMap<CustomerId, bigint>,
  perCustomer: number,
): Promise<TaskKey[]> {
  const cursors = [...after].map(([customerId, taskId]) => ({ customerId, after: taskId }));
  return await sql<TaskKey[]>`
    select t.customer_id as "customerId", t.task_id as "taskId"
    from ${CURSORS.unnest(sql, cursors)}
    cross join lateral (
      select customer_id, task_id from task
      where bucket = ${bucket} and customer_id = k.customer_id and insufficient_funds and task_id > k.after
      order by task_id limit ${perCustomer}
    ) as t`;
}

/**
 * Locks unprepared tasks, and returns their keys. Prepared ones change only under the locks of their accounts. Without `mayWait`, tasks
 * that another transaction has locked are left out.
 */
export async function lockQueued(
  tx: AnySql,
  bucket: number,
  keys: readonly TaskKey[],
  mayWait: boolean,
): Promise<TaskKey[]> {
  return await tx<TaskKey[]>`
    select t.customer_id as "customerId", t.task_id as "taskId"
    from ${TASK_KEYS.unnest(tx, keys)}
    join task t on t.bucket = ${bucketOfKey(tx, bucket, 'k')} and t.customer_id = k.customer_id and t.task_id = k.task_id
    where t.stage = 'queued'
    order by t.customer_id, t.task_id for update of t ${mayWait ? tx`` : tx`skip locked`}`;
}

/** Tasks whose start is due, by the database's clock. */
export async function readDueToStart(
  sql: AnySql,
  bucket: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<TaskKey[]> {
  return await sql<TaskKey[]>`
    select customer_id as "customerId", task_id as "taskId" from task
    where bucket = ${bucket} and submit_at <= now() and paused is not true and ${exceptTasks(sql, 'task', except)}
    order by submit_at limit ${limit}`;
}

/** Tasks with unsent numbers that have expired, by the database's clock. */
export async function readDueToEnd(
  sql: AnySql,
  bucket: number,
  limit: number,
  except: readonly TaskKey[] = [],
): Promise<TaskKey[]> {
  return await sql<TaskKey[]>`
    select customer_id as "customerId", task_id as "taskId" from task
    where bucket = ${bucket} and unsent_until <= now() and ${exceptTasks(sql, 'task', except)}
    order by unsent_until limit ${limit}`;
}

/** Which of these tasks have a part that a carrier has answered, as `taskKeyOf`. */
export async function readSubmitted(sql: AnySql, bucket: number, keys: readonly TaskKey[]): Promise<Set<string>> {
  const rows = await sql<{ key: string }[]>`
    select k.customer_id::text || '/' || k.task_id::text as key
    from ${TASK_KEYS.unnest(sql, keys)}
    where exists (
      select 1 from submit s where s.bucket = ${bucket} and s.customer_id = k.customer_id and s.task_id = k.task_id
    )`;
  return new Set(rows.map((row) => row.key));
}
