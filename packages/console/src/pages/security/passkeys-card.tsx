// A person's own passkeys: add, see when each was used, remove.

import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { Card } from '../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { Moment } from '../../parts/values/moment.js';
import { addPasskey, isPasskeyBrowser } from '../../session/passkey.js';
import type { UserSession } from '../../session/session.js';
import { useSignInMethods } from '../../session/sign-in-methods.js';
import { callAuth } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';
import { nameBrowser } from './name-browser.js';
import styles from './security.module.css';

interface Passkeys {
  readonly items: readonly {
    readonly id: string;
    readonly name: string;
    readonly created_at: string;
    readonly last_used_at: string | null;
  }[];
  readonly asks_password: boolean;
}

export function PasskeysCard({ session }: { readonly session: UserSession }): ReactElement {
  const say = useWords();
  const isOffered = useSignInMethods()?.passkey === true && isPasskeyBrowser;
  const { data, error } = useQuery({
    queryKey: ['passkeys', session.sessionId],
    queryFn: ({ signal }) => callAuth<Passkeys>({ method: 'GET', path: '/auth/passkeys', signal }, session),
  });
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  const askPassword = data.asks_password
    ? ([{ name: 'password', label: say('session.password'), kind: 'secret', isRequired: true }] as const)
    : [];
  return (
    <Card
      title={say('passkey.title')}
      side={
        isOffered && (
          <FormDialog
            label={say('passkey.add')}
            isCompact
            fields={[
              {
                name: 'name',
                label: say('passkey.name'),
                hint: say('passkey.nameHint'),
                kind: 'text',
                isRequired: true,
              },
              ...askPassword,
            ]}
            initial={{ name: nameBrowser(navigator.userAgent) }}
            submit={say('totp.continue')}
            onSubmit={({ name, password = '' }) => addPasskey(say, session, String(name), String(password))}
          />
        )
      }
    >
      <Stack>
        <p className={styles.line}>{say(isOffered ? 'passkey.lead' : 'passkey.notHere')}</p>
        {data.items.length > 0 && (
          <PlainTable
            label={say('passkey.title')}
            none={say('state.none')}
            rows={data.items.map(({ id, name, created_at, last_used_at }) => ({
              [say('passkey.name')]: name,
              [say('passkey.created')]: <Moment key="created" at={created_at} />,
              [say('security.lastSeen')]:
                last_used_at === null ? say('passkey.never') : <Moment key="used" at={last_used_at} />,
              [say('users.actions')]: (
                <Group key="remove" justify="flex-end">
                  <FormDialog
                    label={say('passkey.remove')}
                    title={say('passkey.removeOf', { name })}
                    isCompact
                    fields={askPassword}
                    renderOutlook={() => <p className={styles.line}>{say('passkey.removeHint')}</p>}
                    onSubmit={(body) =>
                      callAuth({ method: 'POST', path: `/auth/passkeys/${id}/remove`, body }, session)
                    }
                  />
                </Group>
              ),
            }))}
          />
        )}
      </Stack>
    </Card>
  );
}
