import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../design/icons.js';
import { isView, type Role, signOut, useSessions } from '../session/session.js';
import { useWords } from '../words/say.js';
import styles from './shell.module.css';

/** Who is signed in, the way to the other side where one is signed in there too, and the way out. */
export function SessionMenu({ role }: { readonly role: Role }): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { customer } = useSessions();
  const customerName = isView(customer) ? customer.name : (customer?.apiKey ?? '');
  const name = role === 'customer' ? customerName : say('app.operator');
  const leave = () => {
    signOut(role);
    // What was loaded belongs to who was signed in.
    queryClient.clear();
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" size="xs" aria-label={say('session.signedInAs', { name })}>
          {say(role === 'customer' ? 'app.customer' : 'app.operator')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className={styles.who}>{say('session.signedInAs', { name })}</Menu.Label>
        <Menu.Item
          leftSection={<Icon name={role === 'customer' ? 'operators' : 'customers'} size={16} />}
          onClick={() => navigate({ to: role === 'customer' ? '/operator/platform' : '/overview' })}
        >
          {say(role === 'customer' ? 'app.toOperator' : 'app.toCustomer')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={leave}>
          {say('session.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
