// The records of numbers: receipts, submit records, delivery reports and replies.

import { Type } from '@sinclair/typebox';
import { MAX_FIRM_CHARACTERS } from '../../domain/entities/firm.js';
import { asTaskId, parseNo, type TaskId } from '../../domain/id.js';
import { DELIVERY_STATUSES, RECEIPT_RESULTS, SUBMIT_STATUSES } from '../../domain/record/records.js';
import { MAX_CLIENT_REQUEST_ID_CHARACTERS, MAX_NO_CHARACTERS } from '../../domain/request/send-request.js';
import type { Tenant } from '../../domain/tenant.js';
import { scopeOf } from '../../store/condition.js';
import { listDeliveries } from '../../store/lists/deliveries.js';
import { isRecordKey } from '../../store/lists/of-batch.js';
import { listReceipts, readTaskNames, type TaskNames } from '../../store/lists/receipts.js';
import { listSubmits } from '../../store/lists/submits.js';
import { listUplinks } from '../../store/lists/uplinks.js';
import type { AnySql } from '../../store/sql.js';
import { readTasksByRequestKey } from '../../store/task/task.js';
import { examples } from '../examples.js';
import { type ListQuery, oneOf } from '../query/list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, type OpenList, openList } from './lists.js';
import { keyOfPhone, phoneFilter as phone } from './phone-filter.js';
import { createTextView, renderDelivery, renderReceipt, renderSubmit, renderUplink } from './record-view.js';
import { batchFilter as batch_id } from './schemas/batch.js';
import { DeliverySchema, ReceiptSchema, SubmitSchema, UplinkSchema } from './schemas/records.js';

const task_no = Type.String({ minLength: 1, maxLength: MAX_NO_CHARACTERS });

/** No firm can be called so. */
const NO_FIRM = '-';
const firmFilter = Type.String({
  minLength: 1,
  maxLength: MAX_FIRM_CHARACTERS,
  description: `Only numbers that went to this carrier; \`${NO_FIRM}\` for those that went to none.`,
});

const receiptList = {
  name: 'receipts',
  timed: true,
  isKey: isRecordKey,
  filters: {
    task_no,
    client_request_id: Type.String({ minLength: 1, maxLength: MAX_CLIENT_REQUEST_ID_CHARACTERS }),
    batch_id,
    phone,
    result: oneOf(RECEIPT_RESULTS, 'Only receipts with this result.'),
    firm: firmFilter,
    cancelled: oneOf(
      ['true', 'false'],
      'Only receipts of numbers that were not sent because their task was cancelled or its time was up; `false`: only others.',
    ),
    include: oneOf(['text'], 'Adds `text`, the text as it was sent.'),
  },
} as const;

const uplinkList = {
  name: 'uplinks',
  timed: true,
  filters: { phone, service_account_no: Type.String({ minLength: 1, maxLength: MAX_NO_CHARACTERS }) },
} as const;

const submitList = {
  name: 'submits',
  timed: true,
  isKey: isRecordKey,
  filters: { task_no, batch_id, phone, status: oneOf(SUBMIT_STATUSES, 'Only records with this status.') },
} as const;

const deliveryList = {
  name: 'deliveries',
  timed: true,
  isKey: isRecordKey,
  filters: { task_no, batch_id, phone, status: oneOf(DELIVERY_STATUSES, 'Only records with this status.') },
} as const;

export function recordRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  return [
    listRoute(deps, {
      path: '/openapi/v1/messages/receipts/',
      name: 'listReceipts',
      tag: 'Messages',
      summary: 'List receipts',
      description:
        'One final outcome for each number. A completed task has exactly as many as it has numbers. Times filter by `received_at`.',
      list: receiptList,
      item: ReceiptSchema,
      columnsOnRequest: { columns: ['text'], isAsked: ({ filters }) => filters.include === 'text' },
      example: examples.receipt,
      open: (sql, call, query) => openReceipts(deps, sql, call, query),
    }),
    listRoute(deps, {
      path: '/openapi/v1/messages/uplinks/',
      name: 'listUplinks',
      tag: 'Messages',
      summary: 'List replies',
      description: 'Inbound messages. Times filter by `received_at`.',
      list: uplinkList,
      item: UplinkSchema,
      example: examples.uplink,
      open: (sql, call, query) => openUplinks(deps, sql, call, query),
    }),
    listRoute(deps, {
      path: '/openapi/v1/downstream/submits/',
      name: 'listSubmits',
      tag: 'Downstream',
      summary: 'List submit records',
      description: 'One for each segment put on the wire. Times filter by `submitted_at`.',
      list: submitList,
      item: SubmitSchema,
      example: examples.submit,
      open: (sql, call, query) => openSubmits(deps, sql, call, query),
    }),
    listRoute(deps, {
      path: '/openapi/v1/downstream/deliveries/',
      name: 'listDeliveries',
      tag: 'Downstream',
      summary: 'List delivery records',
      description: 'One for each report that came back for a segment. Times filter by `received_at`.',
      list: deliveryList,
      item: DeliverySchema,
      example: examples.delivery,
      open: (sql, call, query) => openDeliveries(deps, sql, call, query),
    }),
  ];
}

async function openReceipts(
  deps: CustomerDeps,
  sql: AnySql,
  { customer, hidesCodes = false }: CustomerCall,
  query: ListQuery<typeof receiptList.filters>,
): Promise<OpenList | undefined> {
  const { filters } = query;
  const taskId = await resolveTask(sql, customer, filters.task_no, filters.client_request_id);
  if (taskId === 'none') return undefined;
  const source = listReceipts(sql, scopeOf(customer, query), {
    taskId,
    batchId: filters.batch_id,
    phoneKey: keyOfPhone(filters.phone, deps.defaultRegion),
    status: filters.result,
    firm: filters.firm === NO_FIRM ? null : filters.firm,
    isCancelled: filters.cancelled === undefined ? undefined : filters.cancelled === 'true',
  });
  const hasText = filters.include === 'text';
  const viewText = createTextView(
    ({ templateId }) => hidesCodes && deps.snapshot.current().classOf(templateId) === 'otp',
  );
  // Reuses those of the page before: a task often spans pages.
  let known: ReadonlyMap<bigint, TaskNames> = new Map();
  return openList(source, async (rows) => {
    const taskIds = new Set(rows.map((row) => row.task_id));
    const found = await readTaskNames(
      sql,
      customer,
      [...taskIds].filter((id) => !known.has(id)),
      hasText,
    );
    known = new Map([...[...known].filter(([id]) => taskIds.has(id)), ...found]);
    return rows.map((row) => {
      const task = known.get(row.task_id);
      return { ...renderReceipt(row, task), ...(hasText ? viewText(row, task) : {}) };
    });
  });
}

async function openUplinks(
  deps: CustomerDeps,
  sql: AnySql,
  { customer }: CustomerCall,
  query: ListQuery<typeof uplinkList.filters>,
): Promise<OpenList | undefined> {
  const { filters } = query;
  const snapshot = deps.snapshot.current();
  const no = filters.service_account_no;
  const account = no === undefined ? undefined : snapshot.serviceAccount(customer.customerId, no);
  if (no !== undefined && account === undefined) return undefined;
  const source = listUplinks(sql, scopeOf(customer, query), {
    phoneKey: keyOfPhone(filters.phone, deps.defaultRegion),
    serviceAccountId: account?.serviceAccountId,
  });
  return openList(source, (rows) => rows.map((row) => renderUplink(row, snapshot)));
}

async function openSubmits(
  deps: CustomerDeps,
  sql: AnySql,
  { customer }: CustomerCall,
  query: ListQuery<typeof submitList.filters>,
): Promise<OpenList | undefined> {
  const filters = await partFilters(deps, sql, customer, query.filters);
  if (filters === undefined) return undefined;
  const source = listSubmits(sql, scopeOf(customer, query), filters);
  return openList(source, (rows) => rows.map(renderSubmit));
}

async function openDeliveries(
  deps: CustomerDeps,
  sql: AnySql,
  { customer }: CustomerCall,
  query: ListQuery<typeof deliveryList.filters>,
): Promise<OpenList | undefined> {
  const filters = await partFilters(deps, sql, customer, query.filters);
  if (filters === undefined) return undefined;
  const source = listDeliveries(sql, scopeOf(customer, query), filters);
  return openList(source, (rows) => rows.map(renderDelivery));
}

/** Submits and deliveries are found alike; undefined when no task can be meant. */
async function partFilters(
  deps: CustomerDeps,
  sql: AnySql,
  customer: Tenant,
  filters: ListQuery<typeof submitList.filters>['filters'] | ListQuery<typeof deliveryList.filters>['filters'],
) {
  const taskId = await resolveTask(sql, customer, filters.task_no, undefined);
  if (taskId === 'none') return undefined;
  return {
    taskId,
    batchId: filters.batch_id,
    phoneKey: keyOfPhone(filters.phone, deps.defaultRegion),
    status: filters.status,
  };
}

/** The task that the filters name, if they name one; `none` when they cannot both be met or no such number exists. */
async function resolveTask(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  taskNo: string | undefined,
  clientRequestId: string | undefined,
): Promise<TaskId | 'none' | undefined> {
  const byNo = taskNo === undefined ? undefined : parseNo('T', taskNo);
  if (taskNo !== undefined && byNo === undefined) return 'none';
  if (clientRequestId === undefined) return byNo === undefined ? undefined : asTaskId(byNo);
  const [task] = await readTasksByRequestKey(sql, bucket, [{ customerId, requestKey: `c:${clientRequestId}` }]);
  if (task === undefined || (byNo !== undefined && task.taskId !== byNo)) return 'none';
  return task.taskId;
}
