// What the page of a task reads, named here so that the way to the page can begin to read it.

import type { PostriderClient, Receipt } from '@postrider/client';
import { queryOptions } from '@tanstack/react-query';
import { filterByResult } from './receipt-outcome.js';
import { PAGE_SIZE, type RowsQuery } from './rows.js';

export function taskQuery(client: PostriderClient, taskNo: string) {
  return queryOptions({
    queryKey: ['task', taskNo],
    queryFn: ({ signal }) => client.task(taskNo, { signal }),
  });
}

/** Read together with the task itself: who opens a task waits for one answer, not for two in turn. */
export function receiptsOf(client: PostriderClient, taskNo: string, result: string | undefined): RowsQuery<Receipt> {
  return {
    key: ['receipts', taskNo],
    filters: { result },
    list: (signal) =>
      client.receipts({
        taskNo,
        include: 'text',
        signal,
        pageSize: PAGE_SIZE,
        ...filterByResult(result),
      }),
  };
}
