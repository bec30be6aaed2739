import { useQuery } from '@tanstack/react-query';
import { useCustomer } from './clients.js';

const NAMES_STALE_MS = 60_000;

export interface SenderName {
  readonly name: string;
  /** What recipients see. */
  readonly sender: string;
}

/** The senders of the customer by their number; undefined until they are known, and for one that is gone. */
export function useSenderNames(): (serviceAccountNo: string) => SenderName | undefined {
  const client = useCustomer();
  const { data } = useQuery({
    queryKey: ['sender-names'],
    queryFn: ({ signal }) => client.serviceAccounts({ pageSize: 100, signal }).page(),
    staleTime: NAMES_STALE_MS,
  });
  return (no) => data?.items.find(({ service_account_no: one }) => one === no);
}
