// Which roles may do what, as the service has it; a test compares the two.

import type { OperatorPermission, OperatorRole } from '@postrider/client';

const ROLES_BY_PERMISSION: Readonly<Record<OperatorPermission, readonly OperatorRole[]>> = {
  read: ['admin', 'support', 'finance', 'viewer'],
  view: ['admin', 'support'],
  resolve: ['admin', 'support'],
  suspend: ['admin', 'support'],
  credit: ['admin', 'finance'],
  configure: ['admin'],
  move: ['admin'],
  administer: ['admin'],
};

export function rolesWith(permission: OperatorPermission): readonly OperatorRole[] {
  return ROLES_BY_PERMISSION[permission];
}
