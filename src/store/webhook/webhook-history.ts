// The history of one customer as push reads it: forward, from behind a position.

import type { Money } from '../../domain/money/money.js';
import type { Task } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { ownRows } from '../condition.js';
import { RECEIPT_COLUMNS, type ReceiptRow } from '../lists/receipts.js';
import { UPLINK_COLUMNS, type UplinkRow } from '../lists/uplinks.js';
import type { Sql } from '../sql.js';
import { taskColumns, toTask } from '../task/task.js';

export interface Span {
  /** Exclusive. */
  readonly after: bigint;
  /** Inclusive. */
  readonly until: bigint;
}

export async function readReceiptsOf(sql: Sql, tenant: Tenant, span: Span, limit: number): Promise<ReceiptRow[]> {
  return await sql<ReceiptRow[]>`
    select ${sql([...RECEIPT_COLUMNS])} from receipt
    where ${ownRows(sql, tenant)} and receipt_id > ${span.after} and receipt_id <= ${span.until}
    order by receipt_id limit ${limit}`;
}

export async function readUplinksOf(sql: Sql, tenant: Tenant, span: Span, limit: number): Promise<UplinkRow[]> {
  return await sql<UplinkRow[]>`
    select ${sql([...UPLINK_COLUMNS])} from uplink
    where ${ownRows(sql, tenant)} and uplink_id > ${span.after} and uplink_id <= ${span.until}
    order by uplink_id limit ${limit}`;
}

export interface FinishedTask {
  readonly finishedId: bigint;
  readonly task: Task;
}

/** The next task that ended. */
export async function readFinishedTask(sql: Sql, tenant: Tenant, span: Span): Promise<FinishedTask | undefined> {
  const [row] = await sql`
    select ${taskColumns(sql)}, t.finished_id from task t
    where t.bucket = ${tenant.bucket} and t.customer_id = ${tenant.customerId}
      and t.finished_id > ${span.after} and t.finished_id <= ${span.until}
    order by t.finished_id limit 1`;
  return row === undefined ? undefined : { finishedId: row.finished_id, task: toTask(row) };
}

export interface Crossing {
  readonly seq: bigint;
  readonly availableAfter: Money;
  readonly frozenAfter: Money;
  readonly createdAt: Date;
}

/** The last entry of the span that took the available balance from the mark, or above it, to below it. */
export async function readLastCrossing(
  sql: Sql,
  tenant: Tenant,
  span: Span,
  mark: Money,
): Promise<Crossing | undefined> {
  const [row] = await sql<Crossing[]>`
    select seq, available_after as "availableAfter", frozen_after as "frozenAfter", created_at as "createdAt"
    from ledger_entry
    where ${ownRows(sql, tenant)} and seq > ${span.after} and seq <= ${span.until}
      and available_after < ${mark} and available_after - available_delta >= ${mark}
    order by seq desc limit 1`;
  return row;
}

export interface DisabledWebhook {
  readonly disabledId: bigint;
  readonly webhookId: bigint;
  readonly url: string;
  readonly description: string | null;
  readonly reason: string;
  readonly disabledAt: Date;
}

/** The next endpoint that the service disabled. One that is active again is no news. */
export async function readDisabledWebhook(sql: Sql, tenant: Tenant, span: Span): Promise<DisabledWebhook | undefined> {
  const [row] = await sql<DisabledWebhook[]>`
    select disabled_id as "disabledId", webhook_id as "webhookId", url, description, disabled_reason as reason,
      disabled_at as "disabledAt"
    from webhook
    where ${ownRows(sql, tenant)} and disabled_id > ${span.after} and disabled_id <= ${span.until}
      and status = 'disabled' and disabled_reason is not null
    order by disabled_id limit 1`;
  return row;
}

/** When there was money first: there is no statement of a month before. */
export async function readFirstEntry(sql: Sql, tenant: Tenant): Promise<Date | undefined> {
  const [row] = await sql<{ at: Date }[]>`
    select created_at as at from ledger_entry where ${ownRows(sql, tenant)} and seq = 1`;
  return row?.at;
}
