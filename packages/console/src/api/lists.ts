// The lists of a customer that have a page of their own, named here so that the way to the page can begin to read them.

import type {
  Batch,
  CustomerUser,
  LedgerEntry,
  LedgerType,
  MessageClass,
  OptOut,
  OwnTemplate,
  PostriderClient,
  Receipt,
  Stage,
  Task,
  TemplateStatus,
  Uplink,
} from '@postrider/client';
import { startOfDay } from '../format/moment.js';
import type { Zone } from '../preferences.js';
import type { FilterValues } from './filter-values.js';
import { filterByResult } from './receipt-outcome.js';
import { PAGE_SIZE, type RowsQuery } from './rows.js';

export const TEMPLATE_FILTERS = ['class', 'status'] as const;

export function ownTemplatesOf(
  client: PostriderClient,
  filters: FilterValues<(typeof TEMPLATE_FILTERS)[number]>,
): RowsQuery<OwnTemplate> {
  const { class: messageClass, status } = filters;
  return {
    key: ['own-templates'],
    filters,
    list: (signal) =>
      client.templates({
        signal,
        pageSize: PAGE_SIZE,
        ...(messageClass === undefined ? {} : { class: messageClass as MessageClass }),
        ...(status === undefined ? {} : { status: status as TemplateStatus }),
      }),
  };
}

export const TASK_FILTERS = [
  'words',
  'stage',
  'title',
  'client_request_id',
  'template_no',
  'class',
  'batch_id',
  'from',
  'until',
] as const;

export function tasksOf(
  client: PostriderClient,
  filters: FilterValues<(typeof TASK_FILTERS)[number]>,
  zone: Zone,
): RowsQuery<Task> {
  const {
    words,
    stage,
    title,
    client_request_id: clientRequestId,
    template_no: templateNo,
    class: messageClass,
    batch_id: batchId,
    from,
    until,
  } = filters;
  const startAt = startOfDay(from, zone);
  const endAt = startOfDay(until, zone, 1);
  return {
    key: ['tasks'],
    filters: [filters, zone],
    list: (signal) =>
      client.tasks({
        signal,
        pageSize: PAGE_SIZE,
        ...(stage === undefined ? {} : { stage: stage as Stage }),
        ...(words === undefined ? {} : { words }),
        ...(title === undefined ? {} : { title }),
        ...(clientRequestId === undefined ? {} : { clientRequestId }),
        ...(templateNo === undefined ? {} : { templateNo }),
        ...(messageClass === undefined ? {} : { class: messageClass as MessageClass }),
        ...(batchId === undefined ? {} : { batchId }),
        ...(startAt === undefined ? {} : { startAt }),
        ...(endAt === undefined ? {} : { endAt }),
      }),
  };
}

export function batchesOf(client: PostriderClient): RowsQuery<Batch> {
  return { key: ['batches'], list: (signal) => client.batches({ pageSize: PAGE_SIZE, signal }) };
}

/** The firm of receipts that have none. */
export const NO_FIRM = '-';

export const RECEIPT_FILTERS = [
  'result',
  'firm',
  'phone',
  'client_request_id',
  'batch_id',
  'start_at',
  'end_at',
] as const;

export function allReceiptsOf(
  client: PostriderClient,
  filters: FilterValues<(typeof RECEIPT_FILTERS)[number]>,
): RowsQuery<Receipt> {
  const { result, firm, phone, client_request_id: clientRequestId, batch_id: batchId } = filters;
  const { start_at: startAt, end_at: endAt } = filters;
  return {
    key: ['all-receipts'],
    filters,
    list: (signal) =>
      client.receipts({
        signal,
        pageSize: PAGE_SIZE,
        include: 'text',
        ...filterByResult(result),
        ...(firm === undefined ? {} : { firm }),
        ...(phone === undefined ? {} : { phone }),
        ...(clientRequestId === undefined ? {} : { clientRequestId }),
        ...(batchId === undefined ? {} : { batchId }),
        ...(startAt === undefined ? {} : { startAt }),
        ...(endAt === undefined ? {} : { endAt }),
      }),
  };
}

export const REPLY_FILTERS = ['service_account_no'] as const;

export function uplinksOf(
  client: PostriderClient,
  filters: FilterValues<(typeof REPLY_FILTERS)[number]>,
): RowsQuery<Uplink> {
  const { service_account_no: serviceAccountNo } = filters;
  return {
    key: ['uplinks'],
    filters,
    list: (signal) =>
      client.uplinks({ signal, pageSize: PAGE_SIZE, ...(serviceAccountNo === undefined ? {} : { serviceAccountNo }) }),
  };
}

export const OPT_OUT_FILTERS = ['phone'] as const;

export function optOutsOf(
  client: PostriderClient,
  { phone }: FilterValues<(typeof OPT_OUT_FILTERS)[number]>,
): RowsQuery<OptOut> {
  return {
    key: ['opt-outs', phone],
    list: (signal) => client.optOuts({ pageSize: PAGE_SIZE, signal, ...(phone === undefined ? {} : { phone }) }),
  };
}

export const LEDGER_FILTERS = ['type', 'task_no', 'batch_id', 'start_at', 'end_at'] as const;

export function ledgerOf(
  client: PostriderClient,
  filters: FilterValues<(typeof LEDGER_FILTERS)[number]>,
): RowsQuery<LedgerEntry> {
  const { type, task_no: taskNo, batch_id: batchId, start_at: startAt, end_at: endAt } = filters;
  return {
    key: ['ledgers'],
    filters,
    list: (signal) =>
      client.ledgers({
        signal,
        pageSize: PAGE_SIZE,
        ...(type === undefined ? {} : { type: type as LedgerType }),
        ...(taskNo === undefined ? {} : { taskNo }),
        ...(batchId === undefined ? {} : { batchId }),
        ...(startAt === undefined ? {} : { startAt }),
        ...(endAt === undefined ? {} : { endAt }),
      }),
  };
}

export function usersOf(client: PostriderClient): RowsQuery<CustomerUser> {
  return { key: ['users'], list: (signal) => client.users({ pageSize: PAGE_SIZE, signal }) };
}
