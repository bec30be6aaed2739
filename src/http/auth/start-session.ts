// Starts sessions: always with a new token, whatever cookie the browser sent.

import type { Side, User } from '../../domain/entities/user.js';
import { actorOf, SIDES } from '../../domain/entities/user.js';
import { formatNo } from '../../domain/id.js';
import type { AnySql } from '../../store/sql.js';
import { createSession, endSessions, SESSION_DAYS, type SignInMethod } from '../../store/user/session.js';
import { recordSignInAudit } from '../../store/user/sign-in.js';
import type { Call } from '../route.js';
import { hashToken } from '../token-hash.js';
import { renderPerson } from './answers.js';
import type { AuthDeps } from './auth-route.js';
import { clearCookie, readCookie, setCookie } from './cookies.js';
import { rememberDevice } from './device.js';
import { csrfTokenOf } from './session-auth.js';

const TOKEN_BYTES = 32;
const MAX_USER_AGENT = 300;

export interface StartOptions {
  readonly method: SignInMethod;
  /** Whether a session on the other side of the console stays open in this browser. */
  readonly keepsOtherSide: boolean;
  /** Whether all other sessions of the user end, as after a new password. */
  readonly endsOthers?: boolean;
  /** Runs in the transaction; false when the sign-in does not stand any more. */
  readonly within?: (tx: AnySql) => Promise<boolean>;
}

/** Undefined if `within` returns undefined. Sets the cookies and returns the answer of `GET /auth/session`. */
export async function startSession(
  deps: AuthDeps,
  { request, reply }: Pick<Call, 'request' | 'reply'>,
  user: User,
  options: StartOptions,
) {
  const token = deps.randomBytes(TOKEN_BYTES).toString('base64url');
  const sessionNo = formatNo('K', deps.nextId());
  const before = readCookie(request, `postrider_${user.side}`);
  const started = await deps.sql.begin(async (tx) => {
    if (options.within !== undefined && !(await options.within(tx))) return false;
    // The session that this browser had on this side is replaced.
    if (before !== undefined) await tx`delete from console_session where token_hash = ${hashToken(before)}`;
    if (options.endsOthers === true) await endSessions(tx, user.user_id);
    await createSession(tx, user, {
      tokenHash: hashToken(token),
      sessionNo,
      method: options.method,
      address: request.ip,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    });
    const change = { session_id: sessionNo, method: options.method, address: request.ip };
    await recordSignInAudit(tx, actorOf(user), user, 'session.create', change);
    return true;
  });
  if (!started) return undefined;
  setCookie(request, reply, `postrider_${user.side}`, token, SESSION_DAYS * 24 * 3600);
  if (!options.keepsOtherSide) clearCookie(request, reply, `postrider_${otherSide(user.side)}`);
  rememberDevice(deps, request, reply, user.email);
  const csrf_token = csrfTokenOf(token);
  reply.header('x-csrf-token', csrf_token);
  return { user: renderPerson(deps, user), session_id: sessionNo, csrf_token };
}

function otherSide(side: Side): Side {
  return SIDES.find((one) => one !== side) ?? side;
}
