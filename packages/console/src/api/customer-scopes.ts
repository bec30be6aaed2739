// What the users of a customer may call, by their role, as the service has it; a test compares the two.

import type { Credential } from '@postrider/client';
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

/** Whether a key has the scope is not known before it is asked for, and most have not. */
export function mayManageKeys(session: CustomerSession | undefined): boolean {
  return isUser(session) && session.user.role === 'admin';
}

const EXPIRING_MS = 14 * 86_400_000;

export function isExpiring({ status, expires_at: at }: Credential, nowMs: number): boolean {
  return status === 'active' && at !== null && Date.parse(at) > nowMs && Date.parse(at) < nowMs + EXPIRING_MS;
}
