import type { ListScope } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { type HistoryFilters, listHistory, listHistoryByTasks } from './history.js';
import type { HistoryTable } from './history-table.js';

export interface DeliveryRow {
  readonly delivery_id: bigint;
  readonly task_id: bigint;
  readonly seq: number;
  readonly phone: string;
  readonly firm: string;
  readonly part: number;
  readonly parts: number;
  readonly status: string;
  readonly code: string | null;
  readonly upstream_message_id: string | null;
  readonly done_at: Date | null;
}

const TABLE: HistoryTable = {
  name: 'delivery',
  id: 'delivery_id',
  status: 'status',
  success: 'delivered',
  columns: [
    'delivery_id',
    'task_id',
    'seq',
    'phone',
    'firm',
    'part',
    'parts',
    'status',
    'code',
    'upstream_message_id',
    'done_at',
  ],
};

export function listDeliveries(sql: AnySql, scope: ListScope, filters: HistoryFilters): ListSource<DeliveryRow> {
  const { phoneKey, taskId } = filters;
  if (phoneKey === undefined || taskId !== undefined) {
    return listHistory(sql, TABLE, scope, filters) as ListSource<DeliveryRow>;
  }
  return listHistoryByTasks(sql, TABLE, scope, { ...filters, phoneKey }) as ListSource<DeliveryRow>;
}
