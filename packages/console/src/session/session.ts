// Who is signed in. A user has a cookie that this code cannot read (see user-session.ts). Keys and tokens live in memory, and in
// the session storage of this tab where the person asked for it; never in an address, never in local storage.

import { useSyncExternalStore } from 'react';

interface KeySession {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** An operator who sees what a customer sees, for a while, and can change nothing. */
export interface ViewSession {
  readonly viewToken: string;
  readonly customerNo: string;
  readonly name: string;
  readonly expiresAt: string;
  /** Where the operator was: the address that leads back. */
  readonly from?: string;
}

/** A user who is signed in with a cookie. */
export interface UserSession {
  readonly sessionId: string;
  /** For every request that changes anything. */
  readonly csrfToken: string;
  readonly user: SignedInUser;
}

export interface SignedInUser {
  readonly user_no: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly side: Role;
}

export type CustomerSession = KeySession | ViewSession | UserSession;

export function isUser(session: CustomerSession | OperatorSession | undefined): session is UserSession {
  return session !== undefined && 'csrfToken' in session;
}

export function isView(session: CustomerSession | undefined): session is ViewSession {
  return session !== undefined && 'viewToken' in session;
}

export type OperatorSession = { readonly token: string } | UserSession;

/** One tab may be signed in as both: an operator with a customer's key at hand. */
export interface Sessions {
  readonly customer: CustomerSession | undefined;
  readonly operator: OperatorSession | undefined;
}

export type Role = keyof Sessions;

const STORAGE_KEY = 'postrider.session';

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readStored(): Sessions {
  try {
    const { customer, operator } = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}');
    return {
      customer:
        (isText(customer?.apiKey) && isText(customer?.apiSecret)) || isText(customer?.viewToken) ? customer : undefined,
      operator: isText(operator?.token) ? operator : undefined,
    };
  } catch {
    // Nothing was kept, or nothing usable.
    return { customer: undefined, operator: undefined };
  }
}

let current = readStored();
let kept: Sessions = current;
const listeners = new Set<() => void>();

function change(sessions: Partial<Sessions>, isKept: boolean): void {
  current = { ...current, ...sessions };
  const known = isKept ? sessions : {};
  kept = { ...kept, ...Object.fromEntries(Object.keys(sessions).map((role) => [role, undefined])), ...known };
  try {
    if (kept.customer === undefined && kept.operator === undefined) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  } catch {
    // Without session storage the person signs in again after a reload.
  }
  for (const listener of listeners) listener();
}

export function signIn(sessions: Partial<Sessions>, isKept: boolean): void {
  ended = undefined;
  endedView = undefined;
  change(sessions, isKept);
}

/** Whether a reload finds them signed in. */
export function isKept(role: Role): boolean {
  return kept[role] !== undefined;
}

/** In this tab only: the session of a user lasts until the service ends it. */
export function signOut(role: Role): void {
  change({ [role]: undefined }, false);
}

let ended: Role | undefined;
let endedView: ViewSession | undefined;

/** The service no longer takes the credentials: they were revoked, or the operator removed. */
export function endSession(role: Role): void {
  if (current[role] === undefined) return;
  if (role === 'customer' && isView(current.customer)) endedView = current.customer;
  else ended = role;
  signOut(role);
}

/** Whether the person was signed in until the service refused them. */
export function wasEnded(role: Role): boolean {
  return ended === role;
}

/** The view that was looked through until its time was up. */
export function lastView(): ViewSession | undefined {
  return endedView;
}

/** Whether who looks on may change nothing. */
export function useReadOnly(): boolean {
  return isView(useSessions().customer);
}

export function currentSessions(): Sessions {
  return current;
}

export function useSessions(): Sessions {
  return useSyncExternalStore(subscribe, currentSessions);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
