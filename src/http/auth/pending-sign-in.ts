// Between the password and the second factor: a sealed cookie that says whose password was right, for a few minutes. It is worth
// nothing without the second factor, and nothing once the password has changed.

import type { SIDES, User } from '../../domain/entities/user.js';
import { readPasswordHash } from '../../store/user/second-factor.js';
import { findActiveUser } from '../../store/user/sign-in.js';
import type { Call } from '../route.js';
import { hashToken } from '../token-hash.js';
import type { AuthParts } from './auth-route.js';
import { clearCookie, readCookie, setCookie } from './cookies.js';

const CONTEXT = 'pending sign-in';
const LIFETIME_SECONDS = 300;

interface PendingSignIn {
  readonly userNo: string;
  readonly side: (typeof SIDES)[number];
  readonly keepsOtherSide: boolean;
  readonly password: string;
  readonly expiresAtMs: number;
}

type Exchange = Pick<Call, 'request' | 'reply'>;

export function startPendingSignIn(
  { sealer, now }: AuthParts,
  { request, reply }: Exchange,
  user: User,
  passwordHash: string | null,
  keepsOtherSide: boolean,
): void {
  const pending: PendingSignIn = {
    userNo: user.user_no,
    side: user.side,
    keepsOtherSide,
    password: hashToken(passwordHash ?? ''),
    expiresAtMs: now() + LIFETIME_SECONDS * 1000,
  };
  const value = sealer.seal(JSON.stringify(pending), CONTEXT).toString('base64url');
  setCookie(request, reply, 'postrider_pending', value, LIFETIME_SECONDS);
}

/** Undefined when there is none, it is too old, or the user may not sign in any more. */
export async function readPendingSignIn(
  { sealer, sql, now }: AuthParts,
  { request }: Exchange,
): Promise<{ readonly user: User; readonly keepsOtherSide: boolean } | undefined> {
  const value = readCookie(request, 'postrider_pending') ?? '';
  let pending: PendingSignIn;
  try {
    pending = JSON.parse(sealer.open(Buffer.from(value, 'base64url'), CONTEXT).toString('utf8'));
  } catch {
    // None, or made up.
    return undefined;
  }
  if (pending.expiresAtMs <= now()) return undefined;
  const user = await findActiveUser(sql, pending.side, pending.userNo);
  if (user === undefined) return undefined;
  const isSamePassword = hashToken((await readPasswordHash(sql, user)) ?? '') === pending.password;
  return isSamePassword ? { user, keepsOtherSide: pending.keepsOtherSide } : undefined;
}

export function endPendingSignIn({ request, reply }: Exchange): void {
  clearCookie(request, reply, 'postrider_pending');
}
