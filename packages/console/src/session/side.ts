// Whose pages are shown: those of a customer or those of the operator.

import { useRouterState } from '@tanstack/react-router';
import { type Role, useSessions } from './session.js';

/** Where each of them begins. */
export const FIRST_PAGES = { customer: '/overview', operator: '/operator/platform' } as const satisfies Record<
  Role,
  string
>;

/** The side by the address. For an unknown address, the side of the signed-in user. */
export function useSide(): Role {
  const sessions = useSessions();
  const asked: Role = useRouterState({
    select: ({ location }) => (location.pathname.startsWith('/operator') ? 'operator' : 'customer'),
  });
  // The root alone matches what no page has.
  const isMissing = useRouterState({ select: ({ matches }) => matches.length === 1 });
  const other: Role = asked === 'operator' ? 'customer' : 'operator';
  return isMissing && sessions[asked] === undefined && sessions[other] !== undefined ? other : asked;
}
