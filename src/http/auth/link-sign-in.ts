// Signing in by a link of the start banner: as a user of the demo, who has no password.

import { findActiveUser } from '../../store/user/sign-in.js';
import type { SignInGrant } from '../console/sign-in-codes.js';
import type { SignInByGrant } from '../console/sign-in-route.js';
import type { AuthParts } from './auth-route.js';
import { startSession } from './start-session.js';

export async function signInByLink(
  parts: AuthParts,
  call: Parameters<SignInByGrant>[0],
  { side, userNo }: SignInGrant,
): Promise<object | undefined> {
  const user = await findActiveUser(parts.sql, side, userNo);
  return user && startSession(parts, call, user, { method: 'link', keepsOtherSide: true });
}
