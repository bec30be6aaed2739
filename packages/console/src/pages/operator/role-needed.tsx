// What is not offered on a page because of the role, and which role it takes: a button that is missing explains nothing.

import type { OperatorPermission } from '@postrider/client';
import type { ReactElement } from 'react';
import { useIdentity } from '../../api/identity.js';
import { rolesWith } from '../../api/roles.js';
import { Icon } from '../../design/icons.js';
import { useWords } from '../../words/say.js';
import styles from './operator.module.css';

interface RoleNeededProps {
  /** What the buttons say, and what each takes. */
  readonly actions: readonly (readonly [label: string, permission: OperatorPermission])[];
}

export function RoleNeeded({ actions }: RoleNeededProps): ReactElement | null {
  const say = useWords();
  const permissions = useIdentity()?.permissions;
  const missing = actions.filter(([, permission]) => permissions?.includes(permission) === false);
  if (missing.length === 0) return null;
  const needs = missing.map(([label, permission]) => {
    const roles = rolesWith(permission).map((role) => say(`roleName.${role}`));
    return say('needs.action', { action: label, roles: roles.join(say('needs.or')) });
  });
  return (
    <span className={styles.needed}>
      <Icon name="lock" size={14} />
      <span>{say('needs.role', { actions: needs.join(' · ') })}</span>
    </span>
  );
}
