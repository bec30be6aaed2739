import type { Tenant } from '../../domain/ledger.js';
import { numericArray } from '../array-literal.js';
import type { AnySql } from '../connect.js';
import type { ListSource } from '../list.js';
import { type ListScope, ownRows } from './condition.js';
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

/** The request keys of the tasks on a page, by task id. */
export async function readRequestKeys(
  sql: AnySql,
  tenant: Tenant,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (taskIds.length === 0) return new Map();
  const rows = await sql<{ task_id: string; request_key: string }[]>`
    select n.task_id::text, found.request_key
    from unnest(${numericArray([...new Set(taskIds)])}::bigint[]) as n (task_id)
    -- One by one through the key: with all ids at once the planner may prefer to look at every task of the customer.
    cross join lateral (
      select request_key from task where ${ownRows(sql, tenant)} and task.task_id = n.task_id limit 1) as found`;
  return new Map(rows.map((row) => [row.task_id, row.request_key]));
}
