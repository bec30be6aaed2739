// The users of one side: invite, change the role, disable, remove. Everything that takes something from a person asks first.

import { ActionIcon, Alert, Menu, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type RowsQuery, useRows } from '../../api/rows.js';
import { Icon } from '../../design/icons.js';
import { ConfirmDialog } from '../../parts/forms/confirm-dialog.js';
import { ChoiceField } from '../../parts/forms/field.js';
import { Card } from '../../parts/layout/page.js';
import { ProblemText, State } from '../../parts/layout/states.js';
import { type Column, RowsTable } from '../../parts/tables/rows-table.js';
import { Copyable } from '../../parts/values/copyable.js';
import { Moment } from '../../parts/values/moment.js';
import { StatusLabel } from '../../parts/values/status-label.js';
import { type Say, sayValue, useWords } from '../../words/say.js';
import { type ConsoleUser, type Invited, type PasswordReset, type UserActions, UserInvitation } from './invite-user.js';

interface UsersCardProps<Role extends string> {
  readonly query: RowsQuery<ConsoleUser<Role>>;
  readonly roles: readonly Role[];
  readonly actions: UserActions<Role>;
  /** Whether the person may change anything here. */
  readonly isManaged: boolean;
}

/** What is about to be done, once it is confirmed. */
interface Question {
  readonly title: string;
  readonly hint: string;
  readonly confirm: string;
  readonly isDangerous: boolean;
  readonly act: () => Promise<unknown>;
}

export function UsersCard<Role extends string>(props: UsersCardProps<Role>): ReactElement {
  const { query, roles, actions, isManaged } = props;
  const say = useWords();
  const queryClient = useQueryClient();
  const source = useRows(query);
  const [question, setQuestion] = useState<Question>();
  const [invited, setInvited] = useState<Invited>();
  const [reset, setReset] = useState<PasswordReset>();
  const run = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const ask = (asked: Question) => setQuestion(asked);
  const renew = (user: ConsoleUser<Role>) => run.mutate(async () => setInvited(await actions.invite(user.user_no)));
  const resetPassword = (user: ConsoleUser<Role>) =>
    run.mutate(async () => setReset(await actions.resetPassword(user.user_no)));
  const manage: Column<ConsoleUser<Role>> = {
    id: 'manage',
    title: say('users.actions'),
    width: '5.5rem',
    narrowWidth: '5rem',
    isEnd: true,
    render: (user) => (
      <UserMenu
        user={user}
        onInvite={() => renew(user)}
        onResetPassword={() => resetPassword(user)}
        onStatus={() => ask(askStatus(say, actions, user))}
        onRemove={() => ask(askRemoval(say, actions, user))}
      />
    ),
  };
  const columns: readonly Column<ConsoleUser<Role>>[] = [
    {
      id: 'name',
      title: say('customers.name'),
      width: 'minmax(7rem, 1fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ name }) => <span title={name}>{name}</span>,
      renderNote: ({ email }) => email,
    },
    {
      id: 'email',
      title: say('session.email'),
      width: 'minmax(9rem, 1.4fr)',
      isWideOnly: true,
      render: ({ email }) => <span title={email}>{email}</span>,
    },
    {
      id: 'role',
      title: say('operators.role'),
      width: '9rem',
      narrowWidth: '7rem',
      render: (user) =>
        isManaged ? (
          <ChoiceField
            aria-label={`${say('operators.role')}: ${user.name}`}
            isSmall
            value={user.role}
            choices={roles.map((value) => ({ value, label: sayValue(say, 'roleName', value) }))}
            onChange={(event) => ask(askRole(say, actions, user, event.currentTarget.value as Role))}
          />
        ) : (
          sayValue(say, 'roleName', user.role)
        ),
      renderNote: (user) => <StatusLabel status={statusOf(user)} />,
    },
    {
      id: 'status',
      title: say('record.status'),
      width: '8rem',
      isWideOnly: true,
      render: (user) => <StatusLabel status={statusOf(user)} />,
    },
    {
      id: 'seen',
      title: say('users.lastSignIn'),
      width: '10.5rem',
      isWideOnly: true,
      isEnd: true,
      render: ({ last_signed_in_at: at }) => <Moment at={at} />,
    },
    ...(isManaged ? [manage] : []),
  ];
  return (
    <Stack>
      {isManaged && (
        <UserInvitation
          roles={roles}
          // Without an admin the first user could do nothing, and invite no one who can.
          proposed={source.total === 0 ? roles[0] : roles.at(-1)}
          actions={actions}
          onInvited={setInvited}
        />
      )}
      {invited !== undefined && (
        <LinkOnce
          key={invited.invitation_url}
          title={say('users.linkOnce', { name: invited.name })}
          hint={say('users.linkHint')}
          name={say('users.link')}
          url={invited.invitation_url}
        />
      )}
      {reset !== undefined && (
        <LinkOnce
          key={reset.password_reset_url}
          title={say('users.resetLinkOnce', { name: reset.name })}
          hint={say('users.resetLinkHint')}
          name={say('users.resetLink')}
          url={reset.password_reset_url}
        />
      )}
      {run.error !== null && (
        <Alert color="red" role="alert">
          <ProblemText error={run.error} />
        </Alert>
      )}
      <Card isFlush>
        <RowsTable
          label={say('nav.users')}
          source={source}
          keyOf={({ user_no: no }) => no}
          rowHeight={48}
          empty={<State icon="operators" title={say('users.empty')} hint={say('users.emptyHint')} />}
          columns={columns}
        />
      </Card>
      <ConfirmDialog
        title={question?.title}
        hint={question?.hint}
        confirm={question?.confirm ?? ''}
        isDangerous={question?.isDangerous ?? false}
        onClose={() => setQuestion(undefined)}
        onConfirm={() => question && run.mutate(question.act)}
      />
    </Stack>
  );
}

function statusOf(user: ConsoleUser<string>): string {
  return user.status === 'active' && user.accepted_at === null && user.invitation_expires_at !== null
    ? 'invited'
    : user.status;
}

function askRole<Role extends string>(say: Say, actions: UserActions<Role>, user: ConsoleUser<Role>, role: Role) {
  const roleName = sayValue(say, 'roleName', role);
  return {
    title: say('users.roleOf', { name: user.name, role: roleName }),
    hint: say('users.roleHint', { before: sayValue(say, 'roleName', user.role), after: roleName }),
    confirm: say('users.changeRole'),
    isDangerous: false,
    act: () => actions.update(user.user_no, { role }),
  };
}

function askStatus<Role extends string>(say: Say, actions: UserActions<Role>, user: ConsoleUser<Role>) {
  const isActive = user.status === 'active';
  return {
    title: say(isActive ? 'users.disableOf' : 'users.enableOf', { name: user.name }),
    hint: say(isActive ? 'users.disableHint' : 'users.enableHint'),
    confirm: say(isActive ? 'users.disable' : 'users.enable'),
    isDangerous: isActive,
    act: () => actions.update(user.user_no, { status: isActive ? 'disabled' : 'active' }),
  };
}

function askRemoval<Role extends string>(say: Say, actions: UserActions<Role>, user: ConsoleUser<Role>) {
  return {
    title: say('operators.removeOf', { name: user.name }),
    hint: say('users.removeHint'),
    confirm: say('operators.remove'),
    isDangerous: true,
    act: () => actions.remove(user.user_no),
  };
}

interface UserMenuProps {
  readonly user: ConsoleUser<string>;
  readonly onInvite: () => void;
  readonly onResetPassword: () => void;
  readonly onStatus: () => void;
  readonly onRemove: () => void;
}

function UserMenu({ user, onInvite, onResetPassword, onStatus, onRemove }: UserMenuProps): ReactElement {
  const say = useWords();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={say('users.manage', { name: user.name })}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {user.status === 'active' && <Menu.Item onClick={onInvite}>{say('users.newLink')}</Menu.Item>}
        {user.status === 'active' && user.accepted_at !== null && (
          <Menu.Item onClick={onResetPassword}>{say('users.newResetLink')}</Menu.Item>
        )}
        <Menu.Item onClick={onStatus}>{say(user.status === 'active' ? 'users.disable' : 'users.enable')}</Menu.Item>
        <Menu.Item color="red" onClick={onRemove}>
          {say('operators.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface LinkOnceProps {
  readonly title: string;
  readonly hint: string;
  readonly name: string;
  readonly url: string;
}

/** The link is on the screen this once. */
function LinkOnce({ title, hint, name, url }: LinkOnceProps): ReactElement {
  return (
    <Alert color="yellow" title={title} role="status">
      <p>{hint}</p>
      <Copyable value={url} name={name} />
    </Alert>
  );
}
