// Signing in with email and password. A wrong email and a wrong password get one answer, after the same work.

import { Type } from '@sinclair/typebox';
import { MAX_PASSWORD_LENGTH } from '../../domain/access/password-policy.js';
import { closedObject, words } from '../../domain/entities/fields.js';
import { MAX_EMAIL_LENGTH, SIDES } from '../../domain/entities/user.js';
import { errorText } from '../../domain/fault/error-text.js';
import { recordAudit } from '../../store/operator/change.js';
import { hasPasskey } from '../../store/user/passkey.js';
import { readSecondFactors } from '../../store/user/second-factor.js';
import { findUsersByEmail, replacePasswordHash, type UserSecrets } from '../../store/user/sign-in.js';
import { Problem } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import { exampleSession, type SecondFactor, SecondFactorNeeded, SessionAnswer } from './answers.js';
import type { Attempt } from './attempt-guard.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, TAG } from './auth-route.js';
import { findDevice } from './device.js';
import { guardGuess } from './guess.js';
import { startPendingSignIn } from './pending-sign-in.js';
import { startSession } from './start-session.js';

const SignInBody = closedObject({
  email: Type.String({ minLength: 1, maxLength: MAX_EMAIL_LENGTH }),
  password: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH }),
  side: Type.Optional(
    words(SIDES, {
      description:
        'Chooses the side where one email has a user on both; a session on the other side is kept. Without it, the sign-in replaces all sessions of this browser.',
    }),
  ),
});

export function signInRoute(parts: AuthParts): AuthRoute {
  return {
    method: 'POST',
    path: '/auth/sign-in',
    name: 'signIn',
    tag: TAG,
    isOpen: true,
    summary: 'Sign in with email and password',
    description:
      'A wrong email and a wrong password get the same answer. After several failures attempts are refused with 429 for a while.',
    body: {
      schema: SignInBody,
      example: { email: 'ann@example.com', password: 'several words that do not belong together' },
    },
    answer: {
      status: 200,
      schema: Type.Union([SessionAnswer, SecondFactorNeeded]),
      description:
        'Signed in; the session is in a cookie. Or what is to be shown besides the password: `totp` at `POST /auth/second-factor`, `passkey` at `POST /auth/sign-in/passkey`.',
      example: exampleSession,
    },
    problems: ['invalid_credentials', 'rate_limited'],
    handle: (call) => signIn(parts, call),
  };
}

async function signIn(parts: AuthParts, call: AuthCall) {
  rejectParameters(call.requestTarget);
  const { email, password, side } = readAuthBody(SignInBody, call);
  const attempt = { account: email, address: call.request.ip, device: findDevice(parts, call.request, email) };
  const sides = side === undefined ? SIDES : [side];
  let users: readonly UserSecrets[] = [];
  const user = await guardGuess(parts, attempt, async () => {
    users = await findUsersByEmail(parts.sql, email, sides);
    // One key derivation per requested side, whether or not the user exists: the response time reveals nothing.
    const matches = await Promise.all(
      sides.map(async (one) => {
        const found = users.find((candidate) => candidate.side === one);
        const isRight = await parts.hasher.verify(password, found?.password_hash);
        return isRight && found?.status === 'active' ? found : undefined;
      }),
    );
    // Where both match, the one that may do more.
    return matches.findLast((match) => match !== undefined);
  });
  if (user === undefined) {
    await recordRefusal(parts, attempt, users);
    throw new Problem('invalid_credentials', errorText('sign_in_wrong'));
  }
  const passwordHash = await renewHash(parts, user, password);
  const keepsOtherSide = side !== undefined;
  const second_factor = await listSecondFactors(parts, user);
  if (second_factor.length > 0) {
    startPendingSignIn(parts, call, user, passwordHash, keepsOtherSide);
    return { second_factor };
  }
  return startSession(parts, call, user, { method: 'password', keepsOtherSide });
}

/** The same write for an account that does not exist: neither the answer nor its time tells. */
async function recordRefusal({ sql }: AuthParts, { account, address }: Attempt, users: readonly UserSecrets[]) {
  await recordAudit(sql, 'anonymous', {
    action: 'session.refuse',
    subject: users[0]?.user_no ?? '-',
    change: { email: account, address },
  });
}

/** What is stored from then on. */
async function renewHash({ sql, hasher }: AuthParts, user: UserSecrets, password: string): Promise<string | null> {
  if (user.password_hash === null || !hasher.isOutdated(user.password_hash)) return user.password_hash;
  const renewed = await hasher.hash(password);
  await replacePasswordHash(sql, user.user_id, user.password_hash, renewed);
  return renewed;
}

async function listSecondFactors({ sql }: AuthParts, user: UserSecrets): Promise<SecondFactor[]> {
  const { totp_confirmed_at } = await readSecondFactors(sql, user);
  const factors: SecondFactor[] = totp_confirmed_at === null ? [] : ['totp'];
  if (await hasPasskey(sql, user)) factors.push('passkey');
  return factors;
}
