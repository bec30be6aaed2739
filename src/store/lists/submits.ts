import type { ListScope } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { type HistoryFilters, listHistory } from './history.js';
import type { HistoryTable } from './history-table.js';

export interface SubmitRow {
  readonly submit_id: bigint;
  readonly submitted_at: Date;
  readonly task_id: bigint;
  readonly seq: number;
  readonly phone: string;
  readonly firm: string;
  readonly part: number;
  readonly parts: number;
  readonly status: string;
  readonly code: string | null;
  readonly upstream_message_id: string | null;
  readonly answered_at: Date | null;
}

const TABLE: HistoryTable = {
  name: 'submit',
  id: 'submit_id',
  status: 'status',
  success: 'accepted',
  columns: [
    'submit_id',
    'submitted_at',
    'task_id',
    'seq',
    'phone',
    'firm',
    'part',
    'parts',
    'status',
    'code',
    'upstream_message_id',
    'answered_at',
  ],
};

export function listSubmits(sql: AnySql, scope: ListScope, filters: HistoryFilters): ListSource<SubmitRow> {
  return listHistory(sql, TABLE, scope, filters) as ListSource<SubmitRow>;
}
