import type { Account, PostriderClient } from '@postrider/client';
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCustomer } from './clients.js';
import { useMayCall } from './customer-scopes.js';

export function accountQuery(client: PostriderClient) {
  return queryOptions({ queryKey: ['account'], queryFn: ({ signal }) => client.account({ signal }) });
}

/** The balances of the customer, live. Not read for a user who may not see money. */
export function useAccount(): UseQueryResult<Account> {
  const hasMoney = useMayCall('finance');
  return useQuery({
    ...accountQuery(useCustomer()),
    refetchInterval: 3_000,
    enabled: hasMoney,
  });
}
