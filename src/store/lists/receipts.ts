import { CANCELLED_CODES } from '../../domain/record/receipt-codes.js';
import { RECEIPT_RESULTS } from '../../domain/record/records.js';
import type { ChargeOn } from '../../domain/task/stages.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray, textArray } from '../array-literal.js';
import { allOf, type Condition, countUpTo, idRange, type ListScope, ownRows, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { selectTask } from '../task/task-lookup.js';
import { type HistoryFilters, isShort, listHistory } from './history.js';
import { type HistoryTable, isNotSuccess } from './history-table.js';
import { idOfKey } from './of-batch.js';
import { listScanned } from './scan.js';

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
  /** Null in receipts from before this was recorded. */
  readonly is_charged: boolean | null;
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
  'is_charged',
] as const;

const TABLE: HistoryTable = {
  name: 'receipt',
  id: 'receipt_id',
  status: 'result',
  success: 'delivered',
  columns: RECEIPT_COLUMNS,
};

export interface ReceiptFilters extends HistoryFilters {
  /** Null for numbers that were given to no firm. */
  readonly firm?: string | null | undefined;
  /** Only numbers that were not sent because their task ended, or only others. */
  readonly isCancelled?: boolean | undefined;
}

export function listReceipts(sql: AnySql, scope: ListScope, filters: ReceiptFilters): ListSource<ReceiptRow> {
  const { firm, status, isCancelled } = filters;
  const isOfFirm = firm === undefined ? undefined : firm === null ? sql`firm is null` : sql`firm = ${firm}`;
  const isWanted = isCancelled === undefined ? undefined : ofCancelled(sql, isCancelled);
  const also = [isOfFirm, isWanted].filter((condition) => condition !== undefined);
  const [first, ...others] = also;
  if (first === undefined) return listHistory(sql, TABLE, scope, filters) as ListSource<ReceiptRow>;
  const both = allOf(sql, first, others);
  if (isShort(filters)) return listHistory(sql, TABLE, scope, filters, both) as ListSource<ReceiptRow>;
  if (isWanted !== undefined) {
    const result = isCancelled ? 'rejected' : status;
    const isOfStatus = status === undefined ? undefined : sql`result = ${status}`;
    const options = result === undefined || result === TABLE.success ? {} : { status: result };
    return listScanned(sql, TABLE, scope, allOf(sql, both, [isOfStatus]), options) as ListSource<ReceiptRow>;
  }
  // What went to no firm was not delivered either.
  const results = status === undefined ? RECEIPT_RESULTS : [status];
  const failures = results.filter((result) => result !== TABLE.success);
  if (firm === null || failures.length === results.length) return listByFirm(sql, scope, first, failures);
  return listScanned(
    sql,
    TABLE,
    scope,
    allOf(sql, first, [status === undefined ? undefined : sql`result = ${status}`]),
  ) as ListSource<ReceiptRow>;
}

/** As `isCancelled` of receipt-codes.ts has it. */
function ofCancelled(sql: AnySql, isCancelled: boolean): Condition {
  const cancelled = sql`
    (result = 'rejected' and submitted_at is null and coalesce(code = any(${textArray(CANCELLED_CODES)}::text[]), false))`;
  return isCancelled ? cancelled : sql`not ${cancelled}`;
}

/**
 * The newest of each result other than delivered, merged: (customer_id, firm, result, bucket, id >> 36), of those rows alone.
 * Ordering by the firm, which is always the same, and by the span of this index alone leaves no other that fits; what is sorted is
 * the 66 seconds around the page.
 */
function listByFirm(
  sql: AnySql,
  scope: ListScope,
  isOfFirm: Condition,
  results: readonly string[],
): ListSource<ReceiptRow> {
  const columns = sql([...RECEIPT_COLUMNS]);
  const { from, until } = idRange(scope);
  const filtered = allOf(sql, ownRows(sql, scope), [
    isOfFirm,
    isNotSuccess(sql, TABLE),
    from === undefined ? undefined : sql`receipt_id >= ${from} and (receipt_id >> 36) >= (${from}::bigint >> 36)`,
    until === undefined ? undefined : sql`receipt_id < ${until} and (receipt_id >> 36) <= (${until}::bigint >> 36)`,
  ]);
  return {
    keyOf: (row) => String(row.receipt_id),
    count: (limit) => countUpTo(sql, sql`from receipt where ${filtered} and result in ${sql([...results])}`, limit),
    rows: async ({ after: key, offset, limit, oldestFirst }) => {
      const after = idOfKey(key);
      const { direction, beyond } = walkOf(sql, oldestFirst);
      const seen =
        after === undefined
          ? sql``
          : sql`and receipt_id ${beyond} ${after} and (receipt_id >> 36) ${beyond}= (${after}::bigint >> 36)`;
      const ofResult = (result: string) => sql`
        (select ${columns} from receipt where ${filtered} and result = ${result} ${seen}
        order by firm ${direction}, (receipt_id >> 36) ${direction}, receipt_id ${direction} limit ${offset + limit})`;
      const [first = '', ...others] = results;
      const merged = others.reduce((all, result) => sql`${all} union all ${ofResult(result)}`, ofResult(first));
      return await sql<ReceiptRow[]>`
        select ${columns} from (${merged}) as merged order by receipt_id ${direction} limit ${limit} offset ${offset}`;
    },
  };
}

/** What records say of a task beside its number. */
export interface TaskNames {
  readonly requestKey: string;
  readonly title: string | null;
  readonly templateId: bigint;
  readonly chargeOn: ChargeOn | null;
  /** Null where it was not asked for, or not kept. */
  readonly content: string | null;
}

/** Of the tasks on a page, by task id. */
export async function readTaskNames(
  sql: AnySql,
  tenant: Tenant,
  taskIds: Iterable<bigint>,
  hasContent = false,
): Promise<ReadonlyMap<bigint, TaskNames>> {
  const distinct = [...new Set(taskIds)];
  if (distinct.length === 0) return new Map();
  const rows = await sql<({ task_id: bigint } & TaskNames)[]>`
    select n.task_id, found.request_key as "requestKey", found.template_id as "templateId",
      found.charge_on as "chargeOn", found.title,
      ${hasContent ? sql`found.content` : sql`null`} as content
    from unnest(${numericArray(distinct.map(String))}::bigint[]) as n (task_id)
    cross join lateral (${selectTask(sql, tenant.bucket, { customerId: sql`${tenant.customerId}`, taskId: sql`n.task_id` })}) as found`;
  return new Map(rows.map(({ task_id: taskId, ...names }) => [taskId, names]));
}
