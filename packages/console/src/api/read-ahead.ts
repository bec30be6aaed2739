// What a page shows is read on the way to it, so that it is drawn once, with its data, instead of first without.

import type { OperatorClient, PostriderClient } from '@postrider/client';
import { currentPreferences } from '../preferences.js';
import { currentSessions } from '../session/session.js';
import { accountQuery } from './account.js';
import { createCustomerClient, createOperatorClient } from './clients.js';
import { pickFilters } from './filter-values.js';
import { firmsQuery } from './firms.js';
import {
  allReceiptsOf,
  batchesOf,
  LEDGER_FILTERS,
  ledgerOf,
  OPT_OUT_FILTERS,
  optOutsOf,
  ownTemplatesOf,
  RECEIPT_FILTERS,
  REPLY_FILTERS,
  TASK_FILTERS,
  TEMPLATE_FILTERS,
  tasksOf,
  uplinksOf,
} from './lists.js';
import { channelNamesQuery, customerNamesQuery } from './names.js';
import { numberOwnersQuery } from './number-owners.js';
import { numberStoryQuery } from './number-story.js';
import { openApiQuery } from './openapi.js';
import {
  AUDIT_FILTERS,
  auditOf,
  blockedWordsQuery,
  channelsOf,
  chooseTasks,
  customersQuery,
  erasuresQuery,
  FAILURE_FILTERS,
  failuresOf,
  OPERATOR_TASK_FILTERS,
  operatorFirmsOf,
  operatorsOf,
  operatorTasksOf,
  operatorUsersOf,
  REPORT_FILTERS,
  REVIEW_FILTERS,
  recoveryQuery,
  reportsOf,
  retentionQuery,
  reviewsOf,
  setAsideOf,
  UNKNOWN_FILTERS,
  unclaimedOf,
  unknownOf,
} from './operator-lists.js';
import { queryClient } from './query-client.js';
import { type RowsQuery, rowsQuery } from './rows.js';
import { receiptsOf, taskQuery } from './task-queries.js';
import { templatesQuery } from './templates.js';

/** So long the page before stays. Then the one that was asked for is shown, and tells that it is loading. */
const PATIENCE_MS = 120;

async function waitBriefly(reading: Promise<unknown>): Promise<void> {
  await Promise.race([
    // A failure is the page's to tell.
    reading.catch(() => undefined),
    new Promise((resolve) => {
      setTimeout(resolve, PATIENCE_MS);
    }),
  ]);
}

/** Reads as the customer who is signed in, if one is. */
export async function readAsCustomer(read: (client: PostriderClient) => Promise<unknown>): Promise<void> {
  const { customer } = currentSessions();
  if (customer !== undefined) await waitBriefly(read(createCustomerClient(customer)));
}

export function prefetchNumber(phone: string): Promise<void> {
  return readAsCustomer((client) => queryClient.ensureQueryData(numberStoryQuery(client, phone)));
}

export function prefetchTask(taskNo: string, result: string | undefined): Promise<void> {
  return readAsCustomer((client) =>
    Promise.all([
      queryClient.prefetchQuery(taskQuery(client, taskNo)),
      queryClient.prefetchInfiniteQuery(rowsQuery(receiptsOf(client, taskNo, result))),
    ]),
  );
}

type Search = Readonly<Record<string, string | undefined>>;

/** Where they are there already, they are shown at once, and brought up to date by the page. */
function ensureRows<Row>(query: RowsQuery<Row>) {
  return queryClient.ensureInfiniteQueryData(rowsQuery(query));
}

export function prefetchTasks(search: Search): Promise<void> {
  return readAsCustomer((client) =>
    ensureRows(tasksOf(client, pickFilters(TASK_FILTERS, search), currentPreferences().zone)),
  );
}

export function prefetchBatches(): Promise<void> {
  return readAsCustomer((client) => ensureRows(batchesOf(client)));
}

export function prefetchReceipts(search: Search): Promise<void> {
  return readAsCustomer((client) => ensureRows(allReceiptsOf(client, pickFilters(RECEIPT_FILTERS, search))));
}

/** With the balances above them. */
export function prefetchLedger(search: Search): Promise<void> {
  return readAsCustomer((client) =>
    Promise.all([
      queryClient.ensureQueryData(accountQuery(client)),
      ensureRows(ledgerOf(client, pickFilters(LEDGER_FILTERS, search))),
    ]),
  );
}

/** With the conversation that is open, which is the newest unless one was chosen. */
export function prefetchReplies(search: Search): Promise<void> {
  return readAsCustomer(async (client) => {
    const replies = ensureRows(uplinksOf(client, pickFilters(REPLY_FILTERS, search)));
    const phone = search.with ?? (await replies).pages[0]?.items[0]?.phone;
    if (phone !== undefined) await queryClient.ensureQueryData(numberStoryQuery(client, phone));
    await replies;
  });
}

export function prefetchOptOuts(search: Search): Promise<void> {
  return readAsCustomer((client) => ensureRows(optOutsOf(client, pickFilters(OPT_OUT_FILTERS, search))));
}

export function prefetchTemplates(search: Search): Promise<void> {
  return readAsCustomer((client) => ensureRows(ownTemplatesOf(client, pickFilters(TEMPLATE_FILTERS, search))));
}

/** What can be sent, to whom, and what a send may say. */
export function prefetchCompose(): Promise<void> {
  return readAsCustomer((client) =>
    Promise.all([
      queryClient.ensureQueryData(templatesQuery(client)),
      queryClient.ensureQueryData(firmsQuery(client)),
      queryClient.ensureQueryData(openApiQuery),
    ]),
  );
}

/** Reads as the operator who is signed in, if one is. */
export async function readAsOperator(read: (operator: OperatorClient) => Promise<unknown>): Promise<void> {
  const { operator } = currentSessions();
  if (operator !== undefined) await waitBriefly(read(createOperatorClient(operator)));
}

/** For the operator who has asked for it, not for one who may: every look is in the audit log. */
export function prefetchNumberOwners(phone: string): Promise<void> {
  return readAsOperator((operator) => queryClient.prefetchQuery(numberOwnersQuery(operator, phone)));
}

export function prefetchCustomers(): Promise<void> {
  return readAsOperator((operator) => queryClient.ensureQueryData(customersQuery(operator)));
}

/** Many calls where there are many customers, and several pages call them by their names. */
export function prefetchCustomerNames(): Promise<void> {
  return readAsOperator((operator) => queryClient.prefetchQuery(customerNamesQuery(operator)));
}

/** With the names of those whose they are. */
export function prefetchOperatorTasks(search: Search): Promise<void> {
  const choice = chooseTasks(pickFilters(OPERATOR_TASK_FILTERS, search));
  return readAsOperator((operator) =>
    Promise.all([
      ensureRows(operatorTasksOf(operator, choice)),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
    ]),
  );
}

/** With the names of the channel and of those whose they are. */
export function prefetchFailures(channelNo: string, search: Search): Promise<void> {
  return readAsOperator((operator) => {
    const rows = failuresOf(operator, channelNo, pickFilters(FAILURE_FILTERS, search));
    return Promise.all([
      rows === undefined ? undefined : ensureRows(rows),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
      queryClient.ensureQueryData(channelNamesQuery(operator)),
    ]);
  });
}

/** Lists of an operator that are read alike, by the last name in their address. */
const OPERATOR_LISTS = {
  channels: (operator: OperatorClient) => ensureRows(channelsOf(operator)),
  firms: (operator: OperatorClient) => ensureRows(operatorFirmsOf(operator)),
  unknown: (operator: OperatorClient, search: Search) =>
    Promise.all([
      ensureRows(unknownOf(operator, pickFilters(UNKNOWN_FILTERS, search))),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
      queryClient.ensureQueryData(channelNamesQuery(operator)),
    ]),
  replies: (operator: OperatorClient) => ensureRows(unclaimedOf(operator)),
  reports: (operator: OperatorClient, search: Search) =>
    Promise.all([
      ensureRows(reportsOf(operator, pickFilters(REPORT_FILTERS, search))),
      queryClient.ensureQueryData(channelNamesQuery(operator)),
    ]),
  'blocked-words': (operator: OperatorClient) =>
    Promise.all([
      queryClient.ensureQueryData(blockedWordsQuery(operator)),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
    ]),
  reviews: (operator: OperatorClient, search: Search) =>
    Promise.all([
      ensureRows(reviewsOf(operator, pickFilters(REVIEW_FILTERS, search))),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
    ]),
  'held-channels': (operator: OperatorClient) =>
    Promise.all([
      queryClient.ensureQueryData(recoveryQuery(operator)),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
    ]),
  erasures: (operator: OperatorClient) => queryClient.ensureQueryData(erasuresQuery(operator)),
  retention: (operator: OperatorClient) => queryClient.ensureQueryData(retentionQuery(operator)),
  'set-aside': (operator: OperatorClient) => ensureRows(setAsideOf(operator)),
  audit: (operator: OperatorClient, search: Search) =>
    Promise.all([
      ensureRows(auditOf(operator, pickFilters(AUDIT_FILTERS, search), currentPreferences().zone)),
      queryClient.ensureQueryData(customerNamesQuery(operator)),
      queryClient.ensureQueryData(channelNamesQuery(operator)),
    ]),
  operators: (operator: OperatorClient) => ensureRows(operatorsOf(operator)),
  users: (operator: OperatorClient) => ensureRows(operatorUsersOf(operator)),
};

export function prefetchOperatorList(name: keyof typeof OPERATOR_LISTS, search: Search): Promise<void> {
  return readAsOperator((operator) => OPERATOR_LISTS[name](operator, search));
}
