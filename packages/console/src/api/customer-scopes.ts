// What the users of a customer may call, by their role, as the service has it; a test compares the two.

import { type CustomerSession, isUser, useSessions } from '../session/session.js';

export type CustomerScope = 'send' | 'read' | 'finance' | 'webhooks' | 'admin';

export const SCOPES_BY_ROLE: Readonly<Record<string, readonly CustomerScope[]>> = {
  admin: ['send', 'read', 'finance', 'webhooks', 'admin'],
  sender: ['send', 'read'],
  finance: ['read', 'finance'],
  viewer: ['read'],
};

/** False only where the service is known to refuse: the scopes of a key are not known here. */
export function mayCall(session: CustomerSession | undefined, scope: CustomerScope): boolean {
  if (!isUser(session)) return true;
  return SCOPES_BY_ROLE[session.user.role]?.includes(scope) ?? true;
}

export function useMayCall(scope: CustomerScope): boolean {
  return mayCall(useSessions().customer, scope);
}
