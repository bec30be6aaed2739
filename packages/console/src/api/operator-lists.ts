// The lists of an operator, named here so that the way to their pages can begin to read them.

import type {
  AuditEntry,
  Channel,
  Customer,
  CustomerUser,
  Failure,
  FailureEvent,
  Firm,
  KeptReport,
  MessageClass,
  Operator,
  OperatorClient,
  OperatorTask,
  OperatorTaskFilters,
  OperatorUser,
  Review,
  SetAside,
  Stage,
  UnclaimedUplink,
  UnknownPart,
} from '@postrider/client';
import { queryOptions } from '@tanstack/react-query';
import { startOfDay } from '../format/moment.js';
import type { Zone } from '../preferences.js';
import type { FilterValues } from './filter-values.js';
import { PAGE_SIZE, type RowsQuery } from './rows.js';

/** As many customers as one page searches and sorts; the others are found by their number. */
const MOST_CUSTOMERS = 1_000;

/** The newest customers, to be searched and sorted where they are shown. */
export function customersQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['customers'],
    queryFn: async ({ signal }) => {
      const customers: Customer[] = [];
      for await (const page of operator.customers({ pageSize: PAGE_SIZE, signal }).pages()) {
        customers.push(...page.items);
        if (customers.length >= MOST_CUSTOMERS) return { customers, isPartial: page.next_cursor !== null };
      }
      return { customers, isPartial: false };
    },
  });
}

/** Among all customers, those with a name that begins so: one page, by name. */
export function customersByNameQuery(operator: OperatorClient, name: string) {
  return queryOptions({
    queryKey: ['customers-by-name', name],
    queryFn: async ({ signal }) => (await operator.customers({ name, pageSize: PAGE_SIZE, signal }).page()).items,
  });
}

const MOST_REQUEST_ID = 64;
const MOST_TITLE = 100;

/** Of all customers, the tasks with that request ID or with a title that begins so, also with a capital. */
export function tasksByNameQuery(operator: OperatorClient, name: string, pageSize: number) {
  const start = name.slice(0, MOST_TITLE);
  const titles = new Set([start, start.charAt(0).toUpperCase() + start.slice(1)]);
  return queryOptions({
    queryKey: ['operator-tasks-by-name', name, pageSize],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all([
        operator.tasks({ clientRequestId: name.slice(0, MOST_REQUEST_ID), pageSize, signal }).page(),
        ...[...titles].map((title) => operator.tasks({ title, pageSize, signal }).page()),
      ]);
      const found = pages.flatMap(({ items }) => items.map((task) => [task.task_no, task] as const));
      return [...new Map(found).values()].slice(0, pageSize);
    },
  });
}

/** Which tasks of which customers. */
export type TaskChoice = Pick<OperatorTaskFilters, 'customerNo' | 'stage' | 'clientRequestId' | 'class' | 'title'>;

export const OPERATOR_TASK_FILTERS = ['stage', 'customer_no', 'client_request_id', 'class', 'title'] as const;

export function chooseTasks(filters: FilterValues<(typeof OPERATOR_TASK_FILTERS)[number]>): TaskChoice {
  const { stage, customer_no: customerNo, client_request_id: clientRequestId, class: messageClass, title } = filters;
  return {
    ...(stage !== undefined && { stage: stage as Stage }),
    ...(customerNo !== undefined && { customerNo }),
    ...(clientRequestId !== undefined && { clientRequestId }),
    ...(messageClass !== undefined && { class: messageClass as MessageClass }),
    ...(title !== undefined && { title }),
  };
}

export function operatorTasksOf(operator: OperatorClient, choice: TaskChoice): RowsQuery<OperatorTask> {
  return {
    key: ['operator-tasks', choice.customerNo],
    filters: choice,
    list: (signal) => operator.tasks({ ...choice, pageSize: PAGE_SIZE, signal }),
  };
}

export function channelsOf(operator: OperatorClient): RowsQuery<Channel> {
  return { key: ['operator-channels'], list: (signal) => operator.channels({ pageSize: PAGE_SIZE, signal }) };
}

export function operatorFirmsOf(operator: OperatorClient): RowsQuery<Firm> {
  return { key: ['operator-firms'], list: (signal) => operator.firms({ pageSize: PAGE_SIZE, signal }) };
}

export const UNKNOWN_FILTERS = ['customer_no', 'channel_no', 'task_no'] as const;

export function unknownOf(
  operator: OperatorClient,
  filters: FilterValues<(typeof UNKNOWN_FILTERS)[number]>,
): RowsQuery<UnknownPart> {
  const { customer_no: customerNo, channel_no: channelNo, task_no: taskNo } = filters;
  return {
    key: ['unknown'],
    filters,
    list: (signal) =>
      operator.unknownParts({
        include: 'text',
        ...(taskNo !== undefined && { taskNo }),
        ...(customerNo !== undefined && { customerNo }),
        ...(channelNo !== undefined && { channelNo }),
        pageSize: PAGE_SIZE,
        signal,
      }),
  };
}

export function blockedWordsQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['blocked-words'],
    queryFn: async ({ signal }) => {
      const options = { pageSize: PAGE_SIZE, signal };
      const [words, hits] = await Promise.all([
        operator.blockedWords(options).page(),
        operator.blockedContent(options).page(),
      ]);
      return { words: words.items, hits: hits.items };
    },
  });
}

export function recoveryQuery(operator: OperatorClient) {
  return queryOptions({ queryKey: ['recovery'], queryFn: ({ signal }) => operator.recovery({ signal }) });
}

/** The newest. */
export function erasuresQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['erasures'],
    queryFn: ({ signal }) => operator.erasures({ pageSize: PAGE_SIZE, signal }).page(),
  });
}

export function retentionQuery(operator: OperatorClient) {
  return queryOptions({ queryKey: ['retention'], queryFn: ({ signal }) => operator.retention({ signal }) });
}

export const REVIEW_FILTERS = ['customer_no', 'class'] as const;

export function reviewsOf(
  operator: OperatorClient,
  filters: FilterValues<(typeof REVIEW_FILTERS)[number]>,
): RowsQuery<Review> {
  const { customer_no: customerNo, class: messageClass } = filters;
  return {
    key: ['reviews'],
    filters,
    list: (signal) =>
      operator.reviews({
        ...(customerNo !== undefined && { customerNo }),
        ...(messageClass !== undefined && { class: messageClass as MessageClass }),
        pageSize: PAGE_SIZE,
        signal,
      }),
  };
}

export function setAsideOf(operator: OperatorClient): RowsQuery<SetAside> {
  return { key: ['set-aside'], list: (signal) => operator.setAside({ pageSize: PAGE_SIZE, signal }) };
}

export function unclaimedOf(operator: OperatorClient): RowsQuery<UnclaimedUplink> {
  return { key: ['unclaimed'], list: (signal) => operator.unclaimedUplinks({ pageSize: PAGE_SIZE, signal }) };
}

export const REPORT_FILTERS = ['channel_no'] as const;

export function reportsOf(
  operator: OperatorClient,
  filters: FilterValues<(typeof REPORT_FILTERS)[number]>,
): RowsQuery<KeptReport> {
  const { channel_no: channelNo } = filters;
  return {
    key: ['kept-reports'],
    filters,
    list: (signal) =>
      operator.keptReports({ ...(channelNo !== undefined && { channelNo }), pageSize: PAGE_SIZE, signal }),
  };
}

export const FAILURE_FILTERS = ['event', 'code', 'start_at', 'end_at'] as const;

/** Undefined until an event and a code are chosen: there is no list of all that failed. */
export function failuresOf(
  operator: OperatorClient,
  channelNo: string,
  filters: FilterValues<(typeof FAILURE_FILTERS)[number]>,
): RowsQuery<Failure> | undefined {
  const { event, code, start_at: startAt, end_at: endAt } = filters;
  if (event === undefined || code === undefined) return undefined;
  const times = { ...(startAt !== undefined && { startAt }), ...(endAt !== undefined && { endAt }) };
  return {
    key: ['failures', channelNo],
    filters,
    list: (signal) =>
      operator.channelFailures(channelNo, {
        event: event as FailureEvent,
        code,
        ...times,
        pageSize: PAGE_SIZE,
        signal,
      }),
  };
}

export const AUDIT_FILTERS = ['actor', 'action', 'subject', 'from', 'until'] as const;

export function auditOf(
  operator: OperatorClient,
  filters: FilterValues<(typeof AUDIT_FILTERS)[number]>,
  zone: Zone,
): RowsQuery<AuditEntry> {
  const { from, until, ...named } = filters;
  const startAt = startOfDay(from, zone);
  const endAt = startOfDay(until, zone, 1);
  const times = { ...(startAt !== undefined && { startAt }), ...(endAt !== undefined && { endAt }) };
  return {
    key: ['audit'],
    filters: [filters, zone],
    list: (signal) => operator.auditLog({ ...named, ...times, pageSize: PAGE_SIZE, signal }),
  };
}

export function operatorsOf(operator: OperatorClient): RowsQuery<Operator> {
  return { key: ['operators'], list: (signal) => operator.operators({ pageSize: PAGE_SIZE, signal }) };
}

export function operatorUsersOf(operator: OperatorClient): RowsQuery<OperatorUser> {
  return { key: ['operator-users'], list: (signal) => operator.users({ pageSize: PAGE_SIZE, signal }) };
}

export function customerUsersOf(operator: OperatorClient, customerNo: string): RowsQuery<CustomerUser> {
  return {
    key: ['customer-users', customerNo],
    list: (signal) => operator.customerUsers(customerNo, { pageSize: PAGE_SIZE, signal }),
  };
}
