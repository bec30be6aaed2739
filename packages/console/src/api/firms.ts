import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCustomer } from './clients.js';

const NAMES_STALE_MS = 60_000;

export function firmsQuery(client: PostriderClient) {
  return queryOptions({
    queryKey: ['firms'],
    queryFn: ({ signal }) => client.firms({ pageSize: 100, signal }).page(),
    staleTime: NAMES_STALE_MS,
  });
}

/** The firms that the customer may use. */
export function useFirms() {
  return useQuery(firmsQuery(useCustomer()));
}

/** People know a firm by its name; what the API calls it stands in until the name is known. */
export function useFirmNames(): (firm: string) => string {
  const { data } = useFirms();
  return useMemo(() => {
    const names = new Map(data?.items.map(({ firm, name }) => [firm, name]));
    return (firm) => names.get(firm) ?? firm;
  }, [data]);
}
