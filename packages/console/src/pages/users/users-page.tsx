// Who may sign in on the customer's side, for its admins.

import type { CustomerRole } from '@postrider/client';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { usersOf } from '../../api/lists.js';
import { Page } from '../../parts/layout/page.js';
import { useReadOnly } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { UsersCard } from './users-card.js';

export const CUSTOMER_ROLES: readonly CustomerRole[] = ['admin', 'sender', 'finance', 'viewer'];

export function UsersPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  return (
    <Page title={say('nav.users')} lead={say('users.lead')}>
      <UsersCard
        query={usersOf(client)}
        roles={CUSTOMER_ROLES}
        isManaged={!useReadOnly()}
        actions={{
          create: (body) => client.createUser(body),
          invite: (userNo) => client.inviteUser(userNo),
          resetPassword: (userNo) => client.createUserPasswordReset(userNo),
          update: (userNo, change) => client.updateUser(userNo, change),
          remove: (userNo) => client.removeUser(userNo),
        }}
      />
    </Page>
  );
}
