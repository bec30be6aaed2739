import type { OwnTemplate, PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCustomer } from './clients.js';
import { PAGE_SIZE, readAllRows } from './rows.js';

const NAMES_STALE_MS = 60_000;
/** More are shown by their number. */
const MOST_TEMPLATES = 1_000;

export function readTemplates(client: PostriderClient, signal: AbortSignal): Promise<readonly OwnTemplate[]> {
  return readAllRows({ list: () => client.templates({ pageSize: PAGE_SIZE, signal }) }, MOST_TEMPLATES, signal);
}

export function templatesQuery(client: PostriderClient) {
  return queryOptions({
    queryKey: ['templates'],
    queryFn: async ({ signal }) => ({ items: await readTemplates(client, signal) }),
    staleTime: NAMES_STALE_MS,
  });
}

/** The templates of the customer, which several pages name things by. */
export function useTemplates() {
  return useQuery(templatesQuery(useCustomer()));
}

/** A template as lists describe it: its name and how its text begins. */
export type DescribeTemplate = (templateNo: string) => { readonly name: string; readonly body: string };

export function useTemplateTexts(): DescribeTemplate {
  const { data } = useTemplates();
  return useMemo(() => {
    const known = new Map(data?.items.map((template) => [template.template_no, template]));
    return (templateNo) => known.get(templateNo) ?? { name: templateNo, body: '' };
  }, [data]);
}

/** People know a template by its name; its number stands in until the name is known. */
export type NameTemplate = (templateNo: string) => string;

interface NamedTemplate {
  readonly template_no: string;
  readonly name: string;
}

export function nameTemplates(templates: readonly NamedTemplate[] = []): NameTemplate {
  const names = new Map(templates.map(({ template_no: no, name }) => [no, name]));
  return (templateNo) => names.get(templateNo) ?? templateNo;
}

export function useTemplateNames(): NameTemplate {
  const { data } = useTemplates();
  return nameTemplates(data?.items);
}

export interface SenderName {
  readonly name: string;
  /** What recipients see. */
  readonly sender: string;
  readonly signature: string | null;
}

/** A sender by its number; undefined until it is known, and for one that is gone. */
export type NameSender = (serviceAccountNo: string) => SenderName | undefined;

export function nameSenders(
  accounts: readonly (SenderName & { readonly service_account_no: string })[] = [],
): NameSender {
  const known = new Map(accounts.map((account) => [account.service_account_no, account]));
  return (no) => known.get(no);
}

export function useSenderNames(): NameSender {
  const client = useCustomer();
  const { data } = useQuery({
    queryKey: ['sender-names'],
    queryFn: ({ signal }) => client.serviceAccounts({ pageSize: 100, signal }).page(),
    staleTime: NAMES_STALE_MS,
  });
  return useMemo(() => nameSenders(data?.items), [data]);
}
