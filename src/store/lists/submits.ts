import type { ListScope } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { type HistoryFilters, listHistory } from './history.js';
import { type HistoryTable, PART_COLUMNS, type PartRow } from './history-table.js';

export interface SubmitRow extends PartRow {
  readonly submit_id: bigint;
  readonly submitted_at: Date;
  readonly answered_at: Date | null;
}

const TABLE: HistoryTable = {
  name: 'submit',
  id: 'submit_id',
  status: 'status',
  success: 'accepted',
  columns: ['submit_id', 'submitted_at', ...PART_COLUMNS, 'answered_at'],
};

export function listSubmits(sql: AnySql, scope: ListScope, filters: HistoryFilters): ListSource<SubmitRow> {
  return listHistory(sql, TABLE, scope, filters) as ListSource<SubmitRow>;
}
