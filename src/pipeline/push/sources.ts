// Reads the events of each type from the customer's history. They are rendered by the same functions as the lists of the API.

import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { TemplateReview } from '../../domain/entities/template.js';
import type { WebhookEvent } from '../../domain/entities/webhook-events.js';
import { firstIdAt, formatNo, timeOfId } from '../../domain/id.js';
import { dayAt, shiftDay, startOfDay } from '../../domain/local-time.js';
import { formatMoney } from '../../domain/money/money.js';
import type { Batch } from '../../domain/task/batch.js';
import type { Task } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { MAX_ITEMS } from '../../domain/webhook.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { type ReceiptRow, readTaskNames, type TaskNames } from '../../store/lists/receipts.js';
import type { UplinkRow } from '../../store/lists/uplinks.js';
import { readReviewIn } from '../../store/operator/templates/template-review.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { readBatch } from '../../store/task/batch.js';
import { createFinishedBatchReader } from '../../store/webhook/finished-batch.js';
import {
  readDisabledWebhook,
  readFinishedTask,
  readFirstEntry,
  readLastCrossing,
  readReceiptsOf,
  readUplinksOf,
  type Span,
} from '../../store/webhook/webhook-history.js';

/** The events of one message, and their end in the history. */
export interface EventBatch {
  readonly last: bigint;
  readonly data: unknown;
  readonly items: number;
  /** Whether the message has room for more events. */
  readonly hasRoom: boolean;
  /** The time of the last event. */
  readonly at: Date;
}

/** The first message of a span of history; undefined if it has no events. */
export type ReadEventBatch = (tenant: Tenant, span: Span) => Promise<EventBatch | undefined>;

export type Sources = Readonly<Record<WebhookEvent, ReadEventBatch>>;

/** Renders events as the API does. */
export interface Views {
  receipt(row: ReceiptRow, task: TaskNames | undefined): object;
  uplink(row: UplinkRow, snapshot: Snapshot): object;
  task(task: Task, snapshot: Snapshot): object;
  batch(batch: Batch, customer: CustomerConfig): object;
  review(review: TemplateReview): object;
}

export function createSources(deps: {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly views: Views;
}): Sources {
  const { sql, snapshot, views } = deps;
  const taskNames = createTaskNames(sql);
  const readFinishedBatch = createFinishedBatchReader(sql);
  const list = (items: readonly object[], last: bigint | undefined): EventBatch | undefined =>
    last === undefined
      ? undefined
      : { last, data: { items }, items: items.length, hasRoom: items.length < MAX_ITEMS, at: timeOfId(last) };
  return {
    async receipts(tenant, span) {
      const rows = await readReceiptsOf(bucketSql(sql, tenant.bucket), tenant, span, MAX_ITEMS);
      const tasks = await taskNames(
        tenant,
        rows.map((row) => row.task_id),
      );
      const items = rows.map((row) => views.receipt(row, tasks.get(row.task_id)));
      return list(items, rows.at(-1)?.receipt_id);
    },
    async uplinks(tenant, span) {
      const rows = await readUplinksOf(bucketSql(sql, tenant.bucket), tenant, span, MAX_ITEMS);
      const items = rows.map((row) => views.uplink(row, snapshot()));
      return list(items, rows.at(-1)?.uplink_id);
    },
    async 'task.finished'(tenant, span) {
      const found = await readFinishedTask(bucketSql(sql, tenant.bucket), tenant, span);
      if (found === undefined) return undefined;
      const { finishedId, task } = found;
      return {
        last: finishedId,
        data: views.task(task, snapshot()),
        items: 1,
        hasRoom: false,
        at: timeOfId(finishedId),
      };
    },
    async 'batch.finished'(tenant, span) {
      const found = await readFinishedBatch(tenant, span);
      const customer = snapshot().customer(tenant.customerId);
      const batch = found && (await readBatch(sql, tenant, found.batchId));
      if (found === undefined || batch === undefined || customer === undefined) return undefined;
      const { finishedId } = found;
      return {
        last: finishedId,
        data: views.batch(batch, customer),
        items: 1,
        hasRoom: false,
        at: timeOfId(finishedId),
      };
    },
    async 'account.low'(tenant, span) {
      const customer = snapshot().customer(tenant.customerId);
      const mark = customer?.lowBalance ?? null;
      if (customer === undefined || mark === null) return undefined;
      const crossing = await readLastCrossing(sql, tenant, span, mark);
      if (crossing === undefined) return undefined;
      const { seq, availableAfter, frozenAfter, createdAt } = crossing;
      const data = {
        customer_no: customer.customerNo,
        currency: customer.currency,
        available: formatMoney(availableAfter),
        frozen: formatMoney(frozenAfter),
        low_balance: formatMoney(mark),
        ledger_seq: Number(seq),
        at: createdAt.toISOString(),
      };
      return { last: seq, data, items: 1, hasRoom: false, at: createdAt };
    },
    async 'template.reviewed'(tenant, span) {
      const review = await readReviewIn(sql, tenant, span);
      if (review === undefined) return undefined;
      const { review_id: last } = review;
      return { last, data: views.review(review), items: 1, hasRoom: false, at: timeOfId(last) };
    },
    async 'statement.ready'(tenant, span) {
      const customer = snapshot().customer(tenant.customerId);
      const opened = await readFirstEntry(bucketSql(sql, tenant.bucket), tenant);
      if (customer === undefined || opened === undefined) return undefined;
      const afterMs = Math.max(timeOfId(span.after).getTime(), opened.getTime());
      const ended = findMonthEnd(customer.billingTimeZone, afterMs, span.until);
      if (ended === undefined) return undefined;
      const data = {
        customer_no: customer.customerNo,
        month: ended.month,
        currency: customer.currency,
        billing_time_zone: customer.billingTimeZone,
        at: ended.at.toISOString(),
      };
      return { last: firstIdAt(ended.at), data, items: 1, hasRoom: false, at: ended.at };
    },
    async 'webhook.disabled'(tenant, span) {
      const found = await readDisabledWebhook(bucketSql(sql, tenant.bucket), tenant, span);
      if (found === undefined) return undefined;
      const { disabledId: last, webhookId, url, description, reason, disabledAt } = found;
      const data = {
        webhook_no: formatNo('W', webhookId),
        url,
        description,
        disabled_reason: reason,
        disabled_at: disabledAt.toISOString(),
      };
      return { last, data, items: 1, hasRoom: false, at: timeOfId(last) };
    },
  };
}

/** Cached tasks, of all customers together. */
const MAX_KNOWN_TASKS = 1000;

/** Cached, because a large task is in many messages and these fields do not change after its first receipt. */
function createTaskNames(
  sql: Sql,
): (tenant: Tenant, taskIds: readonly bigint[]) => Promise<ReadonlyMap<bigint, TaskNames>> {
  const known = new Map<string, TaskNames>();
  return async (tenant, taskIds) => {
    const keyOf = (taskId: bigint) => `${tenant.customerId}/${taskId}`;
    const distinct = [...new Set(taskIds)];
    const found = await readTaskNames(
      bucketSql(sql, tenant.bucket),
      tenant,
      distinct.filter((taskId) => !known.has(keyOf(taskId))),
    );
    const all = new Map(found);
    for (const taskId of distinct) {
      const task = known.get(keyOf(taskId));
      if (task !== undefined) all.set(taskId, task);
    }
    if (known.size + found.size > MAX_KNOWN_TASKS) known.clear();
    for (const [taskId, task] of found) known.set(keyOf(taskId), task);
    return all;
  };
}

/** The first end of a month behind a time, up to a record: ids carry their time. */
function findMonthEnd(timeZone: string, afterMs: number, until: bigint): { month: string; at: Date } | undefined {
  const month = dayAt(timeZone, afterMs).slice(0, 7);
  // 31 days after its first day, every month is over.
  const at = new Date(startOfDay(timeZone, `${shiftDay(`${month}-01`, 31).slice(0, 7)}-01`));
  return firstIdAt(at) <= until ? { month, at } : undefined;
}
