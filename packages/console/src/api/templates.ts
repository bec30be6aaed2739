import { useQuery } from '@tanstack/react-query';
import { useCustomer } from './clients.js';

const NAMES_STALE_MS = 60_000;

/** The templates of the customer, which several pages name things by. */
export function useTemplates() {
  const client = useCustomer();
  return useQuery({
    queryKey: ['templates'],
    queryFn: ({ signal }) => client.templates({ pageSize: 100, signal }).page(),
    staleTime: NAMES_STALE_MS,
  });
}

/** People know a template by its name; its number stands in until the name is known. */
export function useTemplateNames(): (templateNo: string) => string {
  const { data } = useTemplates();
  const names = new Map(data?.items.map(({ template_no: no, name }) => [no, name]));
  return (templateNo) => names.get(templateNo) ?? templateNo;
}
