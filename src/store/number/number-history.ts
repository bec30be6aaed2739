// Everything that happened to a number of one customer, read in one snapshot: submits, reports, receipts and replies belong together.

import type { Tenant } from '../../domain/tenant.js';
import { type DeliveryRow, listDeliveries } from '../lists/deliveries.js';
import { listReceipts, type ReceiptRow, readTaskNames, type TaskNames } from '../lists/receipts.js';
import { listSubmits, type SubmitRow } from '../lists/submits.js';
import { listUplinks, type UplinkRow } from '../lists/uplinks.js';
import type { AnySql, Sql } from '../sql.js';
import { optOuts } from './number-list.js';

export interface NumberHistory {
  /** Each newest first. */
  readonly receipts: readonly ReceiptRow[];
  readonly submits: readonly SubmitRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly uplinks: readonly UplinkRow[];
  /** Of all tasks that these name, by task id. */
  readonly tasks: ReadonlyMap<bigint, TaskNames>;
  readonly optedOutAt: Date | null;
  /** Whether there are no more of any kind. */
  readonly isComplete: boolean;
}

/** The newest `limit` of each kind. */
export function readNumberHistory(sql: Sql, tenant: Tenant, phoneKey: string, limit: number): Promise<NumberHistory> {
  return sql.begin('isolation level repeatable read read only', (tx) => readRecords(tx, tenant, phoneKey, limit));
}

async function readRecords(sql: AnySql, tenant: Tenant, phoneKey: string, limit: number): Promise<NumberHistory> {
  const scope = { ...tenant, startMs: undefined, endMs: undefined };
  // One row more than asked for tells whether there are more.
  const newest = { after: undefined, offset: 0, limit: limit + 1 };
  // All are sent at once; the connection answers them in turn.
  const [receipts, submits, deliveries, uplinks, optedOut] = await Promise.all([
    listReceipts(sql, scope, { phoneKey }).rows(newest),
    listSubmits(sql, scope, { phoneKey }).rows(newest),
    listDeliveries(sql, scope, { phoneKey }).rows(newest),
    listUplinks(sql, scope, { phoneKey }).rows(newest),
    optOuts.list(sql, tenant, phoneKey).rows({ ...newest, limit: 1 }),
  ]);
  const records = [receipts, submits, deliveries, uplinks];
  const shown = records.flatMap((rows): readonly { readonly task_id: bigint | null }[] => rows.slice(0, limit));
  const taskIds = shown.map(({ task_id: taskId }) => taskId).filter((taskId) => taskId !== null);
  return {
    receipts: receipts.slice(0, limit),
    submits: submits.slice(0, limit),
    deliveries: deliveries.slice(0, limit),
    uplinks: uplinks.slice(0, limit),
    tasks: await readTaskNames(sql, tenant, taskIds),
    optedOutAt: optedOut[0]?.created_at ?? null,
    isComplete: records.every((rows) => rows.length <= limit),
  };
}
