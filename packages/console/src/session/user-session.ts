// Users sign in with a cookie that no script can read. What this code keeps is the number of the session, in local storage: other
// tabs sign in and out with it, and a browser that has none does not ask the service.

import { OperatorClient } from '@postrider/client';
import { currentSessions, isUser, type Role, type SignedInUser, signIn, signOut, type UserSession } from './session.js';

/** As `GET /auth/session` answers. */
export interface SessionAnswer {
  readonly user: SignedInUser;
  readonly session_id: string;
  readonly csrf_token: string;
}

/** As `POST /auth/sign-in` answers where the password is not enough. */
export interface SecondFactorNeeded {
  readonly second_factor: readonly string[];
}

interface AuthCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A call of `/auth`, with the token of the session where it has to change anything. */
export function callAuth<Result>(call: AuthCall, session?: UserSession): Promise<Result> {
  const csrfToken = session?.csrfToken ?? 'none';
  const client = new OperatorClient({ baseUrl: location.origin, timeoutMs: 20_000, retry: { attempts: 1 }, csrfToken });
  const query = session === undefined ? {} : { query: { side: session.user.side } };
  return client.request<Result>({ ...call, ...query });
}

const STORAGE_KEY = 'postrider.users';

type KnownSessions = Partial<Record<Role, string>>;

function readKnown(): KnownSessions {
  try {
    const { customer, operator } = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<string, unknown>;
    return {
      ...(typeof customer === 'string' && { customer }),
      ...(typeof operator === 'string' && { operator }),
    };
  } catch {
    // Storage is off or holds something else: the person signs in again after a reload.
    return {};
  }
}

function writeKnown(known: KnownSessions): void {
  try {
    if (Object.keys(known).length === 0) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, JSON.stringify(known));
  } catch {
    // As above.
  }
}

/** The person has signed in. Returns the side of the console that is theirs. */
export function adoptSession(answer: SessionAnswer): Role {
  const { user, session_id: sessionId, csrf_token: csrfToken } = answer;
  writeKnown({ ...readKnown(), [user.side]: sessionId });
  signIn({ [user.side]: { sessionId, csrfToken, user } }, false);
  return user.side;
}

/** The service has ended the session, or the person has. */
export function forgetUser(role: Role): void {
  const { [role]: _ended, ...others } = readKnown();
  writeKnown(others);
}

/** Ends the session at the service, and in every tab. */
export async function signOutUser(role: Role, session: UserSession): Promise<void> {
  await callAuth({ method: 'POST', path: '/auth/sign-out' }, session);
  forgetUser(role);
  signOut(role);
}

const SIDES: readonly Role[] = ['customer', 'operator'];

/** Before the first page: who signed in earlier, or in another tab, is signed in here, unless this tab has a key or a token. */
export async function restoreUsers(): Promise<void> {
  const known = { ...readKnown(), ...takeSignedIn() };
  await Promise.all(SIDES.map((role) => restore(role, known[role])));
}

/** The OpenID provider has led back to this page, which now has a session: its side stands behind the `#`. */
function takeSignedIn(): KnownSessions {
  const { hash, pathname, search } = location;
  const role = SIDES.find((side) => hash === `#signed-in=${side}`);
  if (role === undefined) return {};
  history.replaceState(null, '', pathname + search);
  // A key or a token that this tab kept gives way to the person who has just signed in.
  signOut(role);
  return { [role]: 'new' };
}

async function restore(role: Role, sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined || currentSessions()[role] !== undefined) return;
  try {
    const response = await fetch(`/auth/session?side=${role}`, { headers: { accept: 'application/json' } });
    if (response.ok) adoptSession((await response.json()) as SessionAnswer);
    else if (response.status === 401) forgetUser(role);
  } catch {
    // The service is away. The sign-in page says so.
  }
}

/** Another tab signed in or out. */
addEventListener('storage', ({ key }) => {
  if (key !== STORAGE_KEY) return;
  const known = readKnown();
  for (const role of SIDES) {
    const session = currentSessions()[role];
    if (isUser(session) && session.sessionId !== known[role]) signOut(role);
    void restore(role, known[role]);
  }
});
