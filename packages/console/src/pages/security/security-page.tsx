// What a signed-in user sees of their own sign-in: who they are, and where they are signed in.

import { Group, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Card, Facts, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { Moment } from '../../parts/values/moment.js';
import { isUser, type Role, signOut, type UserSession, useSessions } from '../../session/session.js';
import { callAuth, forgetUser } from '../../session/user-session.js';
import { sayValue, useWords } from '../../words/say.js';
import { nameBrowser } from './name-browser.js';
import { NoticesCard } from './notices-card.js';
import { PasskeysCard } from './passkeys-card.js';
import { TotpCard } from './totp-card.js';

export function CustomerSecurityPage(): ReactElement {
  return <SecurityPage side="customer" />;
}

export function OperatorSecurityPage(): ReactElement {
  return <SecurityPage side="operator" />;
}

function SecurityPage({ side }: { readonly side: Role }): ReactElement {
  const say = useWords();
  const session = useSessions()[side];
  return (
    <Page title={say('security.title')}>
      {isUser(session) ? (
        <Stack>
          <Card>
            <Facts
              facts={[
                [say('customers.name'), session.user.name],
                [say('session.email'), session.user.email],
                [say('operators.role'), sayValue(say, 'roleName', session.user.role)],
              ]}
            />
          </Card>
          <NoticesCard session={session} />
          <PasskeysCard session={session} />
          <TotpCard session={session} />
          <SessionsCard session={session} />
        </Stack>
      ) : (
        <Card>
          <State icon="lock" title={say('security.noUser')} hint={say('security.noUserHint')} />
        </Card>
      )}
    </Page>
  );
}

interface ConsoleSession {
  readonly id: string;
  readonly is_current: boolean;
  readonly method: string;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_seen_at: string;
}

function SessionsCard({ session }: { readonly session: UserSession }): ReactElement {
  const say = useWords();
  const queryClient = useQueryClient();
  const { side } = session.user;
  const { data, error } = useQuery({
    queryKey: ['own-sessions', session.sessionId],
    queryFn: ({ signal }) =>
      callAuth<{ items: ConsoleSession[] }>({ method: 'GET', path: '/auth/sessions', signal }, session),
  });
  const end = async (path: string, endsThis: boolean) => {
    await callAuth({ method: 'DELETE', path }, session);
    if (!endsThis) return;
    forgetUser(side);
    signOut(side);
    queryClient.clear();
  };
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  return (
    <Card
      title={say('security.sessions')}
      side={
        <ConfirmButton
          label={say('security.signOutAll')}
          title={say('security.signOutAll')}
          hint={say('security.signOutAllHint')}
          isCompact
          onConfirm={() => end('/auth/sessions', true)}
        />
      }
    >
      <PlainTable
        label={say('security.sessions')}
        none={say('state.none')}
        rows={data.items.map((one) => ({
          [say('security.browser')]: (
            <span key="browser" title={one.user_agent}>
              {nameBrowser(one.user_agent)}
              {one.is_current && <span className="soft"> · {say('security.thisOne')}</span>}
            </span>
          ),
          [say('security.address')]: one.address,
          [say('security.method')]: sayValue(say, 'signInMethod', one.method),
          [say('security.since')]: <Moment key="since" at={one.created_at} />,
          [say('security.lastSeen')]: <Moment key="seen" at={one.last_seen_at} />,
          [say('users.actions')]: (
            <Group key="end" justify="flex-end">
              <ConfirmButton
                label={say('security.end')}
                title={say('security.endOf', { name: nameBrowser(one.user_agent) })}
                hint={say('security.endHint')}
                isCompact
                onConfirm={() => end(`/auth/sessions/${one.id}`, one.is_current)}
              />
            </Group>
          ),
        }))}
      />
    </Card>
  );
}
