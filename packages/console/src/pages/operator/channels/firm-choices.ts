import { useQuery } from '@tanstack/react-query';
import { useOperator } from '../../../api/clients.js';

/** The firms as a form offers them. */
export function useFirmChoices(): readonly { readonly value: string; readonly label: string }[] {
  const operator = useOperator();
  const { data } = useQuery({
    queryKey: ['firm-choices'],
    queryFn: ({ signal }) => operator.firms({ pageSize: 100, signal }).page(),
  });
  return data?.items.map(({ firm, name }) => ({ value: firm, label: `${name} (${firm})` })) ?? [];
}
