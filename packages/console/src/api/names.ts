// Names for the numbers that records carry: people know a customer and a channel by name.

import type { OperatorClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOperator } from './clients.js';
import { type NameSender, type NameTemplate, nameSenders, nameTemplates } from './templates.js';

export interface Named {
  /** Its number. */
  readonly value: string;
  readonly label: string;
}

const PAGE_SIZE = 100;
/** More are shown by their number, and still found by it. */
const MOST_PAGES = 10;
const KEPT_MS = 60_000;

export function customerNamesQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['customer-names'],
    staleTime: KEPT_MS,
    queryFn: async ({ signal }) => {
      const named: Named[] = [];
      let pages = 0;
      for await (const page of operator.customers({ pageSize: PAGE_SIZE, signal }).pages()) {
        named.push(...page.items.map(({ customer_no: value, name: label }) => ({ value, label })));
        pages += 1;
        if (pages === MOST_PAGES) break;
      }
      return named;
    },
  });
}

/** Undefined until they are known. */
export function useCustomerNames(): readonly Named[] | undefined {
  return useQuery(customerNamesQuery(useOperator())).data;
}

export function channelNamesQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['channel-names'],
    staleTime: KEPT_MS,
    queryFn: async ({ signal }) => {
      const { items } = await operator.channels({ pageSize: PAGE_SIZE, signal }).page();
      return items.map(({ channel_no: value, name: label }): Named => ({ value, label }));
    },
  });
}

interface SendingNames {
  readonly nameTemplate: NameTemplate;
  readonly nameSender: NameSender;
}

/** Of the templates and senders of a customer, by the same rules as for the customer itself. */
export function useSendingNames(customerNo: string | null): SendingNames {
  const operator = useOperator();
  const no = customerNo ?? '';
  const { data } = useQuery({
    queryKey: ['sending-names', no],
    enabled: customerNo !== null,
    staleTime: KEPT_MS,
    queryFn: async ({ signal }) => {
      const [templates, accounts] = await Promise.all([
        operator.templates(no, { pageSize: PAGE_SIZE, signal }).page(),
        operator.serviceAccounts(no, { pageSize: PAGE_SIZE, signal }).page(),
      ]);
      return { templates: templates.items, accounts: accounts.items };
    },
  });
  return useMemo(
    () => ({ nameTemplate: nameTemplates(data?.templates), nameSender: nameSenders(data?.accounts) }),
    [data],
  );
}

/** Undefined until they are known. */
export function useChannelNames(): readonly Named[] | undefined {
  return useQuery(channelNamesQuery(useOperator())).data;
}

export function nameOf(named: readonly Named[] | undefined, no: string): string | undefined {
  return named?.find(({ value }) => value === no)?.label;
}
