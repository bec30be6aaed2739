// Submits, deliveries and receipts are listed alike: newest first by an id that carries its time.
//
// Each filter has an index that bounds what is read, and the statement is written so that no other can be chosen:
// - none, or time: the primary key (bucket, customer_id, id);
// - phone: (phone_key, customer_id, id);
// - task: (customer_id, task_id), materialised first, so that at most one task is sorted. Left to itself the planner may walk the
//   primary key instead and hope to meet the task soon;
// - batch: the tasks of the batch, then as for a task; see of-batch.ts;
// - a status other than success: (customer_id, status, bucket, id >> 37), of those rows alone. Its condition is repeated word for
//   word, so that a kept plan may use it; ordering by the span first makes it the only index that fits. What is sorted is the
//   131 seconds around the page. In `delivery` no status is that of most, and its index has all;
// - success, which most rows are: no index. The key is walked and filtered, see scan.ts. So are the reports that
//   stand in receipts, where no filter keeps their list short.

import type { TaskId } from '../../domain/id.js';
import { allOf, type Condition, countUpTo, idRange, type ListScope, ownRows, spanOf, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql, Row } from '../sql.js';
import { type HistoryTable, isNotSuccess } from './history-table.js';
import { DAY_OF_IDS, idOfKey, isOfBatch, listOfBatch } from './of-batch.js';
import { listScanned, listSuccesses } from './scan.js';

export interface HistoryFilters {
  readonly taskId?: TaskId | undefined;
  readonly batchId?: string | undefined;
  readonly phoneKey?: string | undefined;
  readonly status?: string | undefined;
}

/** Filters that keep a list short. */
export type ShortFilters = HistoryFilters &
  ({ readonly taskId: TaskId } | { readonly batchId: string } | { readonly phoneKey: string });

export function isShort(filters: HistoryFilters): filters is ShortFilters {
  return filters.taskId !== undefined || filters.batchId !== undefined || filters.phoneKey !== undefined;
}

export function listHistory(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filters: HistoryFilters,
): ListSource<Row>;
/** The additional condition has no index, so it needs a filter that keeps the list short. */
export function listHistory(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filters: ShortFilters,
  also: Condition,
): ListSource<Row>;
export function listHistory(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filters: HistoryFilters,
  also?: Condition,
): ListSource<Row> {
  const { batchId } = filters;
  const isRecord = table.isRecord?.(sql);
  if (batchId === undefined && isSuccessAlone(table, filters)) return listSuccesses(sql, table, scope);
  if (isRecord !== undefined && filters.status === undefined && !isShort(filters)) {
    return listScanned(sql, table, scope, isRecord);
  }
  if (batchId === undefined) return listByIndex(sql, table, scope, filters, [isRecord, also]);
  if (filters.taskId !== undefined || filters.phoneKey !== undefined)
    return listByIndex(sql, table, scope, filters, [isOfBatch(sql, scope, table.name, batchId), isRecord, also]);
  const { from, until } = idRange(scope);
  const id = sql(table.id);
  const hasStatus = filters.status === undefined ? undefined : sql`${sql(table.status)} = ${filters.status}`;
  const filtered = allOf(sql, ownRows(sql, scope), [
    hasStatus,
    from === undefined ? undefined : sql`${id} >= ${from}`,
    until === undefined ? undefined : sql`${id} < ${until}`,
    isRecord,
    also,
  ]);
  // A task counts its numbers by the results of their receipts.
  const tasks = table.name === 'receipt' && filters.status !== undefined ? sql`${sql(filters.status)} > 0` : undefined;
  const { name, id: idName, columns } = table;
  return listOfBatch(sql, scope, batchId, { table: name, id: idName, columns, filtered, tasks, isTimed: true });
}

function listByIndex(
  sql: AnySql,
  table: HistoryTable,
  scope: ListScope,
  filters: HistoryFilters,
  also: readonly (Condition | undefined)[],
): ListSource<Row> {
  const id = sql(table.id);
  const status = sql(table.status);
  const columns = sql([...table.columns]);
  const range = idRange(scope);
  const byTask = filters.taskId !== undefined;
  const bySpan = !byTask && filters.phoneKey === undefined && filters.status !== undefined;

  const filtered = allOf(sql, ownRows(sql, scope), [
    filters.taskId === undefined
      ? undefined
      : sql`task_id = ${filters.taskId} and ${id} >= ${earliestIdOf(filters.taskId)}`,
    filters.phoneKey === undefined ? undefined : sql`phone_key = ${filters.phoneKey}`,
    filters.status === undefined ? undefined : sql`${status} = ${filters.status}`,
    range.from === undefined ? undefined : sql`${id} >= ${range.from}`,
    range.until === undefined ? undefined : sql`${id} < ${range.until}`,
    bySpan ? isNotSuccess(sql, table) : undefined,
    bySpan && range.from !== undefined ? sql`(${id} >> 37) >= ${spanOf(range.from)}` : undefined,
    bySpan && range.until !== undefined ? sql`(${id} >> 37) <= ${spanOf(range.until)}` : undefined,
    ...also,
  ]);
  const matching = sql`from ${sql(table.name)} where ${filtered}`;
  return {
    keyOf: (row) => String(row[table.id]),
    count: (limit) => countUpTo(sql, matching, limit),
    rows: async ({ after: key, offset, limit, oldestFirst }) => {
      const after = idOfKey(key);
      const { direction, beyond } = walkOf(sql, oldestFirst);
      const seen = after === undefined ? sql`` : sql`and ${id} ${beyond} ${after}`;
      const seenSpan = bySpan && after !== undefined ? sql`and (${id} >> 37) ${beyond}= ${spanOf(after)}` : sql``;
      const order = bySpan
        ? sql`order by (${id} >> 37) ${direction}, ${id} ${direction}`
        : sql`order by ${id} ${direction}`;
      if (byTask) {
        return await sql`
          with matched as materialized (select ${columns} ${matching} ${seen})
          select ${columns} from matched ${order} limit ${limit} offset ${offset}`;
      }
      return await sql`
        select ${columns} ${matching} ${seen} ${seenSpan} ${order} limit ${limit} offset ${offset}`;
    },
  };
}

function isSuccessAlone({ success }: HistoryTable, { taskId, phoneKey, status }: HistoryFilters): boolean {
  return status !== undefined && status === success && taskId === undefined && phoneKey === undefined;
}

/** Nothing of a task is older than the task, so months before it need not be opened. */
function earliestIdOf(taskId: TaskId): bigint {
  return taskId - DAY_OF_IDS;
}
