// Who may sign in on the operator's side.

import type { OperatorRole } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { operatorUsersOf } from '../../../api/operator-lists.js';
import { Page } from '../../../parts/layout/page.js';
import { useWords } from '../../../words/say.js';
import { UsersCard } from '../../users/users-card.js';
import { RoleNeeded } from '../role-needed.js';

const ROLES: readonly OperatorRole[] = ['admin', 'support', 'finance', 'viewer'];

export function OperatorUsersPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  return (
    <Page
      title={say('nav.users')}
      lead={say('users.operatorLead')}
      actions={<RoleNeeded actions={[[say('users.invite'), 'administer']]} />}
    >
      <UsersCard
        query={operatorUsersOf(operator)}
        roles={ROLES}
        isManaged={useMay('administer')}
        actions={{
          create: (body) => operator.createUser(body),
          invite: (userNo) => operator.inviteUser(userNo),
          resetPassword: (userNo) => operator.createUserPasswordReset(userNo),
          update: (userNo, change) => operator.updateUser(userNo, change),
          remove: (userNo) => operator.removeUser(userNo),
        }}
      />
    </Page>
  );
}
