import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { Card } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { useWords } from '../../../words/say.js';
import { CredentialsCard } from '../../credentials/credentials-card.js';
import { RoleNeeded } from '../role-needed.js';

/** Keys of a customer. */
export function CustomerCredentials({ customerNo }: { readonly customerNo: string }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const { data, error } = useQuery({
    queryKey: ['credentials', customerNo],
    queryFn: ({ signal }) => operator.credentials(customerNo, { pageSize: 100, signal }).page(),
  });
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  const actions = {
    create: (body: Parameters<typeof operator.createCredential>[1]) => operator.createCredential(customerNo, body),
    revoke: (apiKey: string) => operator.revokeCredential(customerNo, apiKey),
  };
  return (
    <CredentialsCard
      credentials={data.items}
      none={say('credentials.none')}
      side={<RoleNeeded actions={[[say('credentials.add'), 'configure']]} />}
      actions={mayConfigure ? actions : undefined}
    />
  );
}
