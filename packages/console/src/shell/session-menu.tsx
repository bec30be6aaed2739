import { Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { createOperatorClient } from '../api/clients.js';
import { useIdentityOf } from '../api/identity.js';
import { Icon } from '../design/icons.js';
import { Button } from '../parts/controls/button.js';
import { isUser, isView, type OperatorSession, type Role, signOut, useSessions } from '../session/session.js';
import { FIRST_PAGES } from '../session/side.js';
import { forgetUser, signOutUser } from '../session/user-session.js';
import { sayValue, useWords } from '../words/say.js';
import styles from './shell.module.css';

/** Who is signed in, the way to the other side where one is signed in there too, and the way out. */
export function SessionMenu({ role }: { readonly role: Role }): ReactElement {
  const { operator } = useSessions();
  return role === 'operator' && operator !== undefined ? <OperatorMenu session={operator} /> : <CustomerMenu />;
}

/** By name: what an operator does is in the audit log under it. */
function OperatorMenu({ session }: { readonly session: OperatorSession }): ReactElement {
  const say = useWords();
  const client = useMemo(() => createOperatorClient(session), [session]);
  // The frame asks for itself: there may be no page in it that does.
  const identity = useIdentityOf(client);
  if (isUser(session)) return <RoleMenu side="operator" name={session.user.name} title={session.user.email} />;
  const name = identity?.name ?? say('app.operator');
  const title = identity === undefined ? name : `${name} · ${sayValue(say, 'roleName', identity.role)}`;
  return <RoleMenu side="operator" name={name} title={title} />;
}

function CustomerMenu(): ReactElement {
  const say = useWords();
  const { customer } = useSessions();
  if (isUser(customer)) return <RoleMenu side="customer" name={customer.user.name} title={customer.user.email} />;
  const title = isView(customer) ? customer.name : (customer?.apiKey ?? '');
  return <RoleMenu side="customer" name={say('app.customer')} title={title} />;
}

interface RoleMenuProps {
  readonly side: Role;
  /** On the button. */
  readonly name: string;
  /** In full. */
  readonly title: string;
}

function RoleMenu({ side, name, title }: RoleMenuProps): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const session = useSessions()[side];
  const isUsers = isUser(session);
  const leave = async () => {
    // Away or not: this browser forgets the session, and the service ends one that it does not see again.
    if (isUsers) await signOutUser(side, session).catch(() => forgetUser(side));
    signOut(side);
    // What was loaded belongs to who was signed in.
    queryClient.clear();
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button
          look="bordered"
          size="low"
          className={styles.session}
          aria-label={say('session.signedInAs', { name: title })}
        >
          <Icon name={side === 'operator' ? 'operators' : 'customers'} size={16} />
          <span className={styles.role}>{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className={styles.fullName}>{say('session.signedInAs', { name: title })}</Menu.Label>
        <Menu.Item
          leftSection={<Icon name={side === 'customer' ? 'operators' : 'customers'} size={16} />}
          onClick={() => navigate({ to: FIRST_PAGES[side === 'customer' ? 'operator' : 'customer'] })}
        >
          {say(side === 'customer' ? 'app.toOperator' : 'app.toCustomer')}
        </Menu.Item>
        {isUsers && (
          <Menu.Item
            leftSection={<Icon name="lock" size={16} />}
            onClick={() => navigate({ to: side === 'customer' ? '/security' : '/operator/security' })}
          >
            {say('security.title')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={leave}>
          {say('session.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
