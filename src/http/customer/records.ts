// What came of the numbers of tasks: receipts, downstream submit and delivery records, and what people wrote back.

import { Type } from '@sinclair/typebox';
import { asTaskId, formatNo, parseNo, type TaskId, timeOfId } from '../../domain/id.js';
import type { Tenant } from '../../domain/ledger.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/phone.js';
import { describeReceipt } from '../../domain/receipt-codes.js';
import { formatTime, formatTimeOrNull } from '../../domain/rfc3339.js';
import { MAX_CLIENT_REQUEST_ID_CHARACTERS, MAX_NO_CHARACTERS } from '../../domain/send-request.js';
import { RECEIPT_RESULTS, type ReceiptResult } from '../../domain/stages.js';
import type { AnySql } from '../../store/connect.js';
import { scopeOf } from '../../store/lists/condition.js';
import { type DeliveryRow, listDeliveries } from '../../store/lists/deliveries.js';
import { isRecordKey } from '../../store/lists/of-batch.js';
import { listReceipts, type ReceiptRow, readRequestKeys } from '../../store/lists/receipts.js';
import { listSubmits, type SubmitRow } from '../../store/lists/submits.js';
import { listUplinks, type UplinkRow } from '../../store/lists/uplinks.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { readTasksByRequestKey } from '../../store/task/task.js';
import { formatMillionths } from '../ledger-view.js';
import { type ListQuery, oneOf } from '../list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './admit.js';
import type { CustomerDeps, ListDeps } from './deps.js';
import { examples } from './examples.js';
import { listRoute, type OpenList, openList } from './lists.js';
import {
  batchFilter as batch_id,
  DELIVERY_STATUSES,
  DeliverySchema,
  ReceiptSchema,
  SUBMIT_STATUSES,
  SubmitSchema,
  UplinkSchema,
} from './schemas.js';
import { clientRequestIdOf } from './task-view.js';

const task_no = Type.String({ minLength: 1, maxLength: MAX_NO_CHARACTERS });
const phone = Type.String({
  minLength: 1,
  maxLength: MAX_PHONE_LENGTH,
  description: 'Any spelling of the number.',
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

export function recordRoutes(deps: ListDeps): Route<CustomerCall>[] {
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
      example: examples.receipt,
      open: (sql, call, query) => openReceipts(deps, sql, call, query),
    }),
    listRoute(deps, {
      path: '/openapi/v1/messages/uplinks/',
      name: 'listUplinks',
      tag: 'Messages',
      summary: 'List uplinks',
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
      description: 'One for each message part put on the wire. Times filter by `submitted_at`.',
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
      description: 'One for each report that came back for a part. Times filter by `received_at`.',
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
  { customer }: CustomerCall,
  query: ListQuery<typeof receiptList.filters>,
): Promise<OpenList | undefined> {
  const { filters } = query;
  const taskId = await resolveTask(sql, customer, filters.task_no, filters.client_request_id);
  if (taskId === 'none') return undefined;
  const source = listReceipts(sql, scopeOf(customer, query), {
    taskId,
    batchId: filters.batch_id,
    phoneKey: keyOfPhone(deps, filters.phone),
    status: filters.result,
  });
  // Those of the page before: a task often goes on from one page to the next.
  let known: ReadonlyMap<bigint, string> = new Map();
  return openList(source, async (rows) => {
    const taskIds = new Set(rows.map((row) => row.task_id));
    const found = await readRequestKeys(
      sql,
      customer,
      [...taskIds].filter((id) => !known.has(id)),
    );
    known = new Map([...[...known].filter(([id]) => taskIds.has(id)), ...found]);
    return rows.map((row) => renderReceipt(row, known.get(row.task_id)));
  });
}

/** Also what webhooks tell. */
export function renderReceipt(row: ReceiptRow, requestKey: string | undefined) {
  return {
    task_no: formatNo('T', row.task_id),
    client_request_id: clientRequestIdOf(requestKey),
    seq: row.seq,
    phone: row.phone,
    firm: row.firm,
    result: row.result,
    code: row.code,
    description: describeReceipt(row.result as ReceiptResult, row.code),
    parts: row.parts,
    price: formatMillionths(row.price),
    submitted_at: formatTimeOrNull(row.submitted_at),
    done_at: formatTimeOrNull(row.done_at),
    received_at: formatTime(timeOfId(row.receipt_id)),
  };
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
    phoneKey: keyOfPhone(deps, filters.phone),
    serviceAccountId: account?.serviceAccountId,
  });
  return openList(source, (rows) => rows.map((row) => renderUplink(row, snapshot)));
}

/** Also what webhooks tell. */
export function renderUplink(row: UplinkRow, snapshot: Snapshot) {
  return {
    uplink_no: formatNo('U', row.uplink_id),
    phone: row.phone,
    service_account_no: snapshot.serviceAccountById(row.service_account_id)?.serviceAccountNo ?? null,
    firm: row.firm,
    content: row.content,
    task_no: row.task_id === null ? null : formatNo('T', row.task_id),
    received_at: formatTime(timeOfId(row.uplink_id)),
  };
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
  return openList(source, (rows) =>
    rows.map((row) => ({
      submit_no: formatNo('S', row.submit_id),
      ...renderPart(row),
      submitted_at: formatTime(timeOfId(row.submit_id)),
      answered_at: formatTimeOrNull(row.answered_at),
    })),
  );
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
  return openList(source, (rows) =>
    rows.map((row) => ({
      delivery_no: formatNo('D', row.delivery_id),
      ...renderPart(row),
      done_at: formatTimeOrNull(row.done_at),
      received_at: formatTime(timeOfId(row.delivery_id)),
    })),
  );
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
  return { taskId, batchId: filters.batch_id, phoneKey: keyOfPhone(deps, filters.phone), status: filters.status };
}

function renderPart(row: SubmitRow | DeliveryRow) {
  return {
    task_no: formatNo('T', row.task_id),
    seq: row.seq,
    phone: row.phone,
    firm: row.firm,
    part: row.part,
    parts: row.parts,
    status: row.status,
    code: row.code,
    upstream_message_id: row.upstream_message_id,
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

function keyOfPhone(deps: CustomerDeps, raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  // A plus sign that was sent unescaped reads as a space in a query.
  const written = raw.startsWith(' ') ? `+${raw.slice(1)}` : raw;
  return phoneKey(written, normalisePhone(written, deps.defaultRegion));
}
