// What a page shows is read on the way to it, so that it is drawn once, with its data, instead of first without.

import type { PostriderClient } from '@postrider/client';
import { currentSessions } from '../session/session.js';
import { makeCustomerClient } from './clients.js';
import { numberStoryQuery } from './number-story.js';
import { queryClient } from './query-client.js';
import { rowsQuery } from './rows.js';
import { receiptsOf, taskQuery } from './task-queries.js';

/** So long the page before stays. Then the one that was asked for is shown, and tells that it is loading. */
const PATIENCE_MS = 120;

async function waitBriefly(read: (client: PostriderClient) => Promise<unknown>): Promise<void> {
  const { customer } = currentSessions();
  if (customer === undefined) return;
  await Promise.race([
    read(makeCustomerClient(customer)),
    new Promise((resolve) => {
      setTimeout(resolve, PATIENCE_MS);
    }),
  ]);
}

export function readNumberAhead(phone: string): Promise<void> {
  return waitBriefly((client) => queryClient.prefetchQuery(numberStoryQuery(client, phone)));
}

export function readTaskAhead(taskNo: string, result: string | undefined): Promise<void> {
  return waitBriefly((client) =>
    Promise.all([
      queryClient.prefetchQuery(taskQuery(client, taskNo)),
      queryClient.prefetchInfiniteQuery(rowsQuery(receiptsOf(client, taskNo, result))),
    ]),
  );
}
