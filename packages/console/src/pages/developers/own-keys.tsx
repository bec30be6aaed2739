import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { isForbidden } from '../../api/query-client.js';
import { Card } from '../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { useReadOnly } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { CredentialsCard } from '../credentials/credentials-card.js';

/** The keys of one's own programs, for users with the role `admin` and keys with that scope. */
export function OwnKeys(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const isReadOnly = useReadOnly();
  const { data, error } = useQuery({
    queryKey: ['own-keys'],
    queryFn: ({ signal }) => client.credentials({ pageSize: 100, signal }).page(),
  });
  if (isForbidden(error)) {
    return (
      <Card>
        <State icon="lock" title={say('keys.forbidden')} hint={say('keys.forbiddenHint')} />
      </Card>
    );
  }
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  const actions = {
    create: (body: Parameters<typeof client.createCredential>[0]) => client.createCredential(body),
    revoke: (apiKey: string) => client.revokeCredential(apiKey),
  };
  return (
    <CredentialsCard credentials={data.items} none={say('keys.none')} actions={isReadOnly ? undefined : actions} />
  );
}
