import { Alert, Stack } from '@mantine/core';
import type { CredentialRequest, NewCredential, Scope } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import type { Field } from '../../../parts/forms/entity-form.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card, Facts } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Copyable } from '../../../parts/values/copyable.js';
import { LongName } from '../../../parts/values/long-name.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { type Say, useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { RoleNeeded } from '../role-needed.js';

const SCOPES: readonly Scope[] = ['send', 'read', 'finance', 'webhooks', 'masked'];
const DEFAULT_SCOPES: readonly Scope[] = ['send', 'read', 'finance', 'webhooks'];

function fieldsOf(say: Say): readonly Field[] {
  const scopes: Field = {
    name: 'scopes',
    label: say('credentials.scopes'),
    hint: say('credentials.scopesHint'),
    kind: 'choices',
    choices: SCOPES.map((value) => ({ value, label: value })),
  };
  return [
    { name: 'ip_allow', label: say('credentials.ipAllow'), hint: say('credentials.ipAllowHint'), kind: 'list' },
    scopes,
  ];
}

/** Keys of a customer. A secret is on the screen once, right after it was made. */
export function CustomerCredentials({ customerNo }: { readonly customerNo: string }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const [made, setMade] = useState<NewCredential>();
  const { data, error } = useQuery({
    queryKey: ['credentials', customerNo],
    queryFn: ({ signal }) => operator.credentials(customerNo, { pageSize: 100, signal }).page(),
  });
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  return (
    <Card
      title={say('customers.tab.credentials')}
      side={
        mayConfigure ? (
          <FormDialog
            label={say('credentials.add')}
            fields={fieldsOf(say)}
            initial={{ scopes: DEFAULT_SCOPES }}
            onSubmit={async (body) => setMade(await operator.createCredential(customerNo, body as CredentialRequest))}
          />
        ) : (
          <RoleNeeded actions={[[say('credentials.add'), 'configure']]} />
        )
      }
    >
      <Stack>
        {made !== undefined && <MadeKey made={made} />}
        <PlainTable
          label={say('customers.tab.credentials')}
          none={say('credentials.none')}
          rows={data.items.map((credential) => ({
            [say('session.apiKey')]: (
              <Copyable key="key" value={credential.api_key} name={say('session.apiKey')}>
                <LongName name={credential.api_key} />
              </Copyable>
            ),
            [say('record.status')]: <StatusLabel key="status" status={credential.status} />,
            [say('credentials.ipAllow')]:
              credential.ip_allow.length === 0 ? (
                say('credentials.anywhere')
              ) : (
                <span className={styles.text}>{credential.ip_allow.join(', ')}</span>
              ),
            [say('credentials.scopes')]: <span className={styles.text}>{credential.scopes.join(', ')}</span>,
            [say('tasks.column.created')]: <Moment key="created" at={credential.created_at} />,
            ' ': mayConfigure && credential.status === 'active' && (
              <ConfirmButton
                key="revoke"
                label={say('credentials.revoke')}
                title={say('credentials.revokeOf', { name: credential.api_key })}
                hint={say('credentials.revokeHint')}
                isCompact
                onConfirm={() => operator.revokeCredential(customerNo, credential.api_key)}
              />
            ),
          }))}
        />
      </Stack>
    </Card>
  );
}

/** The key stays in the list; the secret is on the screen this once. */
function MadeKey({ made }: { readonly made: NewCredential }): ReactElement {
  const say = useWords();
  const copyable = (name: string, value: string) => [name, <Copyable key={name} value={value} name={name} />] as const;
  return (
    <Alert color="yellow" title={say('credentials.made')} role="status">
      <Facts
        facts={[copyable(say('session.apiKey'), made.api_key), copyable(say('session.apiSecret'), made.api_secret)]}
      />
    </Alert>
  );
}
