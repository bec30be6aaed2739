import type { Account, PostriderClient } from '@postrider/client';
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCustomer } from './clients.js';

export function accountQuery(client: PostriderClient) {
  return queryOptions({ queryKey: ['account'], queryFn: ({ signal }) => client.account({ signal }) });
}

/** The balances of the customer, live. */
export function useAccount(isWanted = true): UseQueryResult<Account> {
  return useQuery({
    ...accountQuery(useCustomer()),
    refetchInterval: 3_000,
    enabled: isWanted,
  });
}
