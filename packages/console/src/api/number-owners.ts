// Whose number it is, asked by an operator.

import type { OperatorClient } from '@postrider/client';
import { queryOptions } from '@tanstack/react-query';
import { PAGE_SIZE } from './rows.js';

/** One query for all who ask for it: what was begun on the way to the page is what it shows. */
export function numberOwnersQuery(operator: OperatorClient, phone: string) {
  return queryOptions({
    queryKey: ['whose', phone],
    queryFn: ({ signal }) => operator.numberCustomers(phone, { pageSize: PAGE_SIZE, signal }).page(),
    // Each lookup is in the audit log: never prefetch without a request of the user.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
