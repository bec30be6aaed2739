// The API keys of a customer, as its operator and its own admins see them. A secret is on the screen once, right after it was created.

import { Alert, Stack } from '@mantine/core';
import type { Credential, CredentialRequest, NewCredential, Scope } from '@postrider/client';
import { type ReactElement, type ReactNode, useState } from 'react';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import type { Field, FieldValues } from '../../parts/forms/entity-form.js';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { Card, Facts } from '../../parts/layout/page.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { Copyable } from '../../parts/values/copyable.js';
import { LongName } from '../../parts/values/long-name.js';
import { Moment } from '../../parts/values/moment.js';
import { StatusLabel } from '../../parts/values/status-label.js';
import { type Say, useWords } from '../../words/say.js';
import styles from './credentials-card.module.css';

const SCOPES: readonly Scope[] = ['send', 'read', 'finance', 'webhooks', 'admin', 'masked'];
const DEFAULT_SCOPES: readonly Scope[] = ['send', 'read', 'finance', 'webhooks'];

function fieldsOf(say: Say): readonly Field[] {
  return [
    { name: 'name', label: say('customers.name'), hint: say('credentials.nameHint'), kind: 'text' },
    {
      name: 'scopes',
      label: say('credentials.scopes'),
      hint: say('credentials.scopesHint'),
      kind: 'choices',
      choices: SCOPES.map((value) => ({ value, label: value })),
    },
    { name: 'ip_allow', label: say('credentials.ipAllow'), hint: say('credentials.ipAllowHint'), kind: 'list' },
    { name: 'expires_on', label: say('credentials.expires'), hint: say('credentials.expiresHint'), kind: 'date' },
  ];
}

/** The day that was chosen is the last on which the key is valid. */
function readRequest({ expires_on: day, ...body }: FieldValues): CredentialRequest {
  if (typeof day !== 'string') return body;
  const end = new Date(`${day}T00:00:00Z`);
  end.setUTCDate(end.getUTCDate() + 1);
  return { ...body, expires_at: end.toISOString() };
}

interface CredentialsCardProps {
  readonly credentials: readonly Credential[];
  readonly none: string;
  /** What stands where keys are created, for those who may not. */
  readonly side?: ReactNode;
  /** Undefined for those who may not create and revoke keys. */
  readonly actions:
    | {
        create(body: CredentialRequest): Promise<NewCredential>;
        revoke(apiKey: string): Promise<unknown>;
      }
    | undefined;
}

export function CredentialsCard({ credentials, none, side, actions }: CredentialsCardProps): ReactElement {
  const say = useWords();
  const [made, setMade] = useState<NewCredential>();
  return (
    <Card
      title={say('customers.tab.credentials')}
      side={
        actions === undefined ? (
          side
        ) : (
          <FormDialog
            label={say('credentials.add')}
            fields={fieldsOf(say)}
            initial={{ scopes: DEFAULT_SCOPES }}
            onSubmit={async (body) => setMade(await actions.create(readRequest(body)))}
          />
        )
      }
    >
      <Stack>
        {made !== undefined && <MadeKey made={made} />}
        <PlainTable
          label={say('customers.tab.credentials')}
          none={none}
          rows={credentials.map((credential) => ({
            [say('customers.name')]: credential.name ?? '–',
            [say('session.apiKey')]: (
              <Copyable key="key" value={credential.api_key} name={say('session.apiKey')}>
                <LongName name={credential.api_key} />
              </Copyable>
            ),
            [say('record.status')]: <StatusLabel key="status" status={credential.status} />,
            [say('credentials.scopes')]: <span className={styles.text}>{credential.scopes.join(', ')}</span>,
            [say('credentials.ipAllow')]:
              credential.ip_allow.length === 0 ? (
                say('credentials.anywhere')
              ) : (
                <span className={styles.text}>{credential.ip_allow.join(', ')}</span>
              ),
            [say('credentials.lastUsed')]: <Moment key="used" at={credential.last_used_at} style="minute" />,
            [say('credentials.expires')]: <Moment key="expires" at={credential.expires_at} style="minute" />,
            [say('users.actions')]: actions !== undefined && credential.status === 'active' && (
              <ConfirmButton
                key="revoke"
                label={say('credentials.revoke')}
                title={say('credentials.revokeOf', { name: credential.name ?? credential.api_key })}
                hint={say('credentials.revokeHint')}
                isCompact
                onConfirm={() => actions.revoke(credential.api_key)}
              />
            ),
          }))}
        />
      </Stack>
    </Card>
  );
}

/** The key stays in the list; the secret is on the screen this once. */
export function MadeKey({ made }: { readonly made: Pick<NewCredential, 'api_key' | 'api_secret'> }): ReactElement {
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
