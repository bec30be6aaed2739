import type { ListScope } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql, Row } from '../sql.js';
import { hasReport, mayStandInReceipt } from '../wire/reports.js';
import { type HistoryFilters, listHistory } from './history.js';
import { type HistoryTable, PART_COLUMNS, type PartRow } from './history-table.js';
import { mergeLists } from './over-buckets.js';

export interface DeliveryRow extends PartRow {
  readonly delivery_id: bigint;
  readonly done_at: Date | null;
}

const TABLE: HistoryTable = {
  name: 'delivery',
  id: 'delivery_id',
  status: 'status',
  columns: ['delivery_id', ...PART_COLUMNS, 'done_at'],
};

/** As their receipts have them. */
const IN_RECEIPTS: HistoryTable = {
  name: 'receipt',
  id: 'receipt_id',
  status: 'result',
  success: 'delivered',
  columns: [
    'receipt_id',
    'task_id',
    'seq',
    'phone',
    'firm',
    'report_part',
    'report_parts',
    'result',
    'code',
    'upstream_message_id',
    'done_at',
  ],
  isRecord: hasReport,
};

export function listDeliveries(sql: AnySql, scope: ListScope, filters: HistoryFilters): ListSource<DeliveryRow> {
  const { status } = filters;
  const others = listHistory(sql, TABLE, scope, filters) as ListSource<DeliveryRow>;
  if (status !== undefined && !mayStandInReceipt(status)) return others;
  const { keyOf: _, ...inReceipts } = listHistory(sql, IN_RECEIPTS, scope, filters);
  return mergeLists([others, mapRows(inReceipts, others.keyOf)], isNewer);
}

function mapRows(
  source: Omit<ListSource<Row>, 'keyOf'>,
  keyOf: ListSource<DeliveryRow>['keyOf'],
): ListSource<DeliveryRow> {
  const { scan } = source;
  return {
    keyOf,
    count: source.count,
    rows: async (bounds) => (await source.rows(bounds)).map(toDelivery),
    ...(scan && {
      scan: {
        count: scan.count,
        page: async (bounds) => {
          const { rows, resumeAfter } = await scan.page(bounds);
          return { rows: rows.map(toDelivery), resumeAfter };
        },
      },
    }),
  };
}

function toDelivery(row: Row): DeliveryRow {
  const { receipt_id, report_part, report_parts, result, ...same } = row;
  return { ...same, delivery_id: receipt_id, part: report_part, parts: report_parts, status: result } as DeliveryRow;
}

/** In a large batch the newest task comes first. */
function isNewer(one: DeliveryRow & { is_sorted?: boolean }, other: DeliveryRow): number {
  if (one.is_sorted === false && one.task_id !== other.task_id) return one.task_id > other.task_id ? -1 : 1;
  return one.delivery_id > other.delivery_id ? -1 : 1;
}
