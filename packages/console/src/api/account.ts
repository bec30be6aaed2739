import type { Account } from '@postrider/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCustomer } from './clients.js';

/** The balances of the customer, live. */
export function useAccount(isWanted = true): UseQueryResult<Account> {
  const client = useCustomer();
  return useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => client.account({ signal }),
    refetchInterval: 3_000,
    enabled: isWanted,
  });
}
