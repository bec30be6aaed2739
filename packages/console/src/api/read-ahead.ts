// What a page shows is read on the way to it, so that it is drawn once, with its data, instead of first without.

import type { PostriderClient } from '@postrider/client';
import { currentSessions } from '../session/session.js';
import { makeCustomerClient, makeOperatorClient } from './clients.js';
import { numberStoryQuery } from './number-story.js';
import { queryClient } from './query-client.js';
import { rowsQuery } from './rows.js';
import { receiptsOf, taskQuery } from './task-queries.js';
import { whoseQuery } from './whose.js';

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

async function readAsCustomer(read: (client: PostriderClient) => Promise<unknown>): Promise<void> {
  const { customer } = currentSessions();
  if (customer !== undefined) await waitBriefly(read(makeCustomerClient(customer)));
}

/** What is there already is shown at once, and brought up to date by the page. */
export function readNumberAhead(phone: string): Promise<void> {
  return readAsCustomer((client) => queryClient.ensureQueryData(numberStoryQuery(client, phone)));
}

export function readTaskAhead(taskNo: string, result: string | undefined): Promise<void> {
  return readAsCustomer((client) =>
    Promise.all([
      queryClient.prefetchQuery(taskQuery(client, taskNo)),
      queryClient.prefetchInfiniteQuery(rowsQuery(receiptsOf(client, taskNo, result))),
    ]),
  );
}

/** For the operator who has asked for it, not for one who may: every look is in the audit log. */
export async function readWhoseAhead(phone: string): Promise<void> {
  const { operator } = currentSessions();
  if (operator !== undefined)
    await waitBriefly(queryClient.prefetchQuery(whoseQuery(makeOperatorClient(operator), phone)));
}
