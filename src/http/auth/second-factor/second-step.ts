// The second step of a sign-in: a code of the authenticator app, or a recovery code.

import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../domain/entities/fields.js';
import type { User } from '../../../domain/entities/user.js';
import { actorOf } from '../../../domain/entities/user.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { totpContext } from '../../../store/secrets/seal.js';
import type { AnySql } from '../../../store/sql.js';
import {
  countSecondFactorTry,
  FREE_TRIES,
  readSecondFactors,
  useRecoveryCode,
  useTotpStep,
} from '../../../store/user/second-factor.js';
import { recordSignInAudit } from '../../../store/user/sign-in.js';
import { Problem } from '../../problem/problem.js';
import { rejectParameters } from '../../query/list-query.js';
import { exampleSession, SessionAnswer } from '../answers.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, TAG } from '../auth-route.js';
import { tooManyGuesses } from '../guess.js';
import { endPendingSignIn, readPendingSignIn } from '../pending-sign-in.js';
import { startSession } from '../start-session.js';
import { hashRecoveryCode, isRecoveryCode } from './recovery-codes.js';
import { matchTotp } from './totp.js';

const CodeBody = closedObject({
  code: Type.String({
    minLength: 6,
    maxLength: 20,
    description: 'Six digits of the authenticator app, or a recovery code. Each works once.',
  }),
});

export function secondStepRoute(parts: AuthParts): AuthRoute {
  return {
    method: 'POST',
    path: '/auth/second-factor',
    name: 'signInWithCode',
    tag: TAG,
    isOpen: true,
    summary: 'Sign in: the second step, with a code',
    description:
      'Within five minutes of `POST /auth/sign-in`, in the same browser. After several wrong codes attempts are refused with 429 for a while.',
    body: { schema: CodeBody, example: { code: '492039' } },
    answer: {
      status: 200,
      schema: SessionAnswer,
      description: 'Signed in; the session is in a cookie.',
      example: exampleSession,
    },
    problems: ['invalid_credentials', 'rate_limited'],
    handle: (call) => signInWithCode(parts, call),
  };
}

/** Whose password was right in this browser a moment ago. */
export async function requirePending(parts: AuthParts, call: AuthCall) {
  const pending = await readPendingSignIn(parts, call);
  if (pending === undefined) throw new Problem('invalid_credentials', errorText('second_step_late'));
  return pending;
}

/**
 * Counts a code before it is compared, in the row of the user, where all processes see it. Only who knows the password comes this far,
 * so that codes are counted for the account as a whole. A right one clears the count. Throws when there were too many.
 */
export async function countSecondFactor({ sql }: AuthParts, user: User): Promise<void> {
  const waitMs = await countSecondFactorTry(sql, user);
  if (waitMs > 0) throw tooManyGuesses(waitMs, { name: 'second factors', count: FREE_TRIES });
}

async function signInWithCode(parts: AuthParts, call: AuthCall) {
  rejectParameters(call.requestTarget);
  const { code } = readAuthBody(CodeBody, call);
  const { user, keepsOtherSide } = await requirePending(parts, call);
  await countSecondFactor(parts, user);
  const isRecovery = isRecoveryCode(code);
  const session = await startSession(parts, call, user, {
    method: isRecovery ? 'recovery_code' : 'totp',
    keepsOtherSide,
    within: (tx) => (isRecovery ? spendRecoveryCode(tx, user, code) : spendTotp(parts, tx, user, code)),
  });
  if (session === undefined) {
    const change = { factor: isRecovery ? 'recovery_code' : 'totp', address: call.request.ip };
    await recordSignInAudit(parts.sql, 'anonymous', user, 'session.refuse', change);
    throw new Problem('invalid_credentials', errorText('code_wrong'));
  }
  endPendingSignIn(call);
  return session;
}

async function spendTotp({ sealer, now }: AuthParts, tx: AnySql, user: User, code: string): Promise<boolean> {
  const { totp_sealed, totp_confirmed_at, totp_last_step } = await readSecondFactors(tx, user);
  if (totp_sealed === null || totp_confirmed_at === null) return false;
  const step = matchTotp(sealer.open(totp_sealed, totpContext(user)), code, now(), totp_last_step);
  return step !== undefined && useTotpStep(tx, user, step);
}

async function spendRecoveryCode(tx: AnySql, user: User, code: string): Promise<boolean> {
  if (!(await useRecoveryCode(tx, user, hashRecoveryCode(code)))) return false;
  const { recovery_codes_left } = await readSecondFactors(tx, user);
  await recordSignInAudit(tx, actorOf(user), user, 'recovery_code.use', { left: recovery_codes_left });
  return true;
}
