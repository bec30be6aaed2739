import type { Tenant } from '../../domain/ledger.js';
import { numericArray } from '../array-literal.js';
import type { AnySql } from '../connect.js';
import type { ListSource } from '../list.js';
import { takeRows } from '../take-rows.js';
import { selectTask } from '../task/task-lookup.js';
import type { ListScope } from './condition.js';
import { type HistoryFilters, type HistoryTable, listHistory } from './history.js';

export interface ReceiptRow {
  readonly receipt_id: bigint;
  readonly task_id: bigint;
  readonly seq: number;
  readonly phone: string;
  readonly firm: string | null;
  readonly result: string;
  readonly code: string | null;
  readonly parts: number;
  readonly price: bigint;
  readonly submitted_at: Date | null;
  readonly done_at: Date | null;
}

export const RECEIPT_COLUMNS = [
  'receipt_id',
  'task_id',
  'seq',
  'phone',
  'firm',
  'result',
  'code',
  'parts',
  'price',
  'submitted_at',
  'done_at',
] as const;

const TABLE: HistoryTable = { name: 'receipt', id: 'receipt_id', status: 'result', columns: RECEIPT_COLUMNS };

export function listReceipts(sql: AnySql, scope: ListScope, filters: HistoryFilters): ListSource<ReceiptRow> {
  return listHistory(sql, TABLE, scope, filters) as ListSource<ReceiptRow>;
}

/** What records say of a task beside its number. */
export interface TaskNames {
  readonly requestKey: string;
  readonly templateId: bigint;
}

/** Of the tasks on a page, by task id. */
export async function readTaskNames(
  sql: AnySql,
  tenant: Tenant,
  taskIds: Iterable<bigint>,
): Promise<ReadonlyMap<bigint, TaskNames>> {
  const distinct = [...new Set(taskIds)];
  if (distinct.length === 0) return new Map();
  const rows = await takeRows(sql<({ task_id: bigint } & TaskNames)[]>`
    select n.task_id, found.request_key as "requestKey", found.template_id as "templateId"
    from unnest(${numericArray(distinct.map(String))}::bigint[]) as n (task_id)
    cross join lateral (${selectTask(sql, tenant.bucket, { customerId: sql`${tenant.customerId}`, taskId: sql`n.task_id` })}) as found`);
  return new Map(rows.map(({ task_id: taskId, ...names }) => [taskId, names]));
}

export async function readRequestKeys(
  sql: AnySql,
  tenant: Tenant,
  taskIds: Iterable<bigint>,
): Promise<ReadonlyMap<bigint, string>> {
  const tasks = await readTaskNames(sql, tenant, taskIds);
  return new Map([...tasks].map(([taskId, { requestKey }]) => [taskId, requestKey]));
}
