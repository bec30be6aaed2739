// The users of a customer, for the operator who invites the first of them.

import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { customerUsersOf } from '../../../api/operator-lists.js';
import { UsersCard } from '../../users/users-card.js';
import { CUSTOMER_ROLES } from '../../users/users-page.js';

export function CustomerUsers({ customerNo }: { readonly customerNo: string }): ReactElement {
  const operator = useOperator();
  return (
    <UsersCard
      query={customerUsersOf(operator, customerNo)}
      roles={CUSTOMER_ROLES}
      isManaged={useMay('configure')}
      actions={{
        create: (body) => operator.createCustomerUser(customerNo, body),
        invite: (userNo) => operator.inviteCustomerUser(customerNo, userNo),
        resetPassword: (userNo) => operator.createCustomerUserPasswordReset(customerNo, userNo),
        update: (userNo, change) => operator.updateCustomerUser(customerNo, userNo, change),
        remove: (userNo) => operator.removeCustomerUser(customerNo, userNo),
      }}
    />
  );
}
