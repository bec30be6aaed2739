// A person's own second factor: set up an authenticator app, confirm it with a code, remove it. Setting up and removing ask for
// the password: a session that was left open is not enough.

import { Type } from '@sinclair/typebox';
import { MAX_PASSWORD_LENGTH } from '../../../domain/access/password-policy.js';
import { closedObject } from '../../../domain/entities/fields.js';
import { actorOf } from '../../../domain/entities/user.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault } from '../../../domain/fault/fault.js';
import { totpContext } from '../../../store/secrets/seal.js';
import {
  confirmTotp,
  readPasswordHash,
  readSecondFactors,
  removeTotp,
  storeTotp,
} from '../../../store/user/second-factor.js';
import { recordSignInAudit } from '../../../store/user/sign-in.js';
import { invalidRequest, notFound, Problem } from '../../problem/problem.js';
import { answerOf } from '../../resources/entity-answers.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, sessionRoute } from '../auth-route.js';
import { findDevice } from '../device.js';
import { guardGuess } from '../guess.js';
import type { ActiveSession } from '../session-auth.js';
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.js';
import { countSecondFactor } from './second-step.js';
import { describeTotp, matchTotp, TOTP_SECRET_BYTES, toBase32 } from './totp.js';

const password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH, description: 'Your password.' });
const PasswordBody = closedObject({ password });
const ConfirmBody = closedObject({
  code: Type.String({ minLength: 6, maxLength: 6, description: 'Six digits of the app.' }),
});

const FactorsAnswer = answerOf('SecondFactors', {
  totp: Type.Boolean({ description: 'Whether an authenticator app is set up.' }),
  recovery_codes_left: Type.Integer(),
});
const NewTotpAnswer = answerOf('NewTotp', {
  secret: Type.String({ description: 'For typing into the app, in base 32.' }),
  otpauth_url: Type.String({ description: 'The same as a link, for a QR code.' }),
});
const ConfirmedAnswer = answerOf('RecoveryCodes', {
  recovery_codes: Type.Array(Type.String(), { description: 'Shown this once. Each works once in place of a code.' }),
});

const examplePassword = { password: 'several words that do not belong together' };
const exampleTotp = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  otpauth_url: 'otpauth://totp/Postrider%3Aann%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Postrider',
};

export function totpRoutes(parts: AuthParts): AuthRoute[] {
  return [
    sessionRoute({
      method: 'GET',
      path: '/auth/second-factors',
      name: 'getSecondFactors',
      summary: 'Show your second factors',
      answer: { status: 200, schema: FactorsAnswer, description: 'What a sign-in asks for after the password.' },
      handle: async (_, { user }) => {
        const { totp_confirmed_at, recovery_codes_left } = await readSecondFactors(parts.sql, user);
        return { totp: totp_confirmed_at !== null, recovery_codes_left };
      },
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/totp',
      name: 'createTotp',
      summary: 'Set up an authenticator app',
      description: 'Nothing changes until a code of the app confirms it.',
      body: { schema: PasswordBody, example: examplePassword },
      answer: { status: 201, schema: NewTotpAnswer, description: 'What the app needs.', example: exampleTotp },
      problems: ['already_exists', 'rate_limited'],
      handle: async (call, session) => {
        await requirePassword(parts, call, session, readAuthBody(PasswordBody, call).password);
        const { user } = session;
        const secret = parts.randomBytes(TOTP_SECRET_BYTES);
        if (!(await storeTotp(parts.sql, user, parts.sealer.seal(secret, totpContext(user))))) {
          throw new Problem('already_exists', errorText('totp_exists'));
        }
        return { secret: toBase32(secret), otpauth_url: describeTotp(secret, user.email) };
      },
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/totp/confirm',
      name: 'confirmTotp',
      summary: 'Confirm the authenticator app with a code',
      description: 'From then on every sign-in with the password asks for a code.',
      body: { schema: ConfirmBody, example: { code: '492039' } },
      answer: {
        status: 200,
        schema: ConfirmedAnswer,
        description: 'The recovery codes.',
        example: { recovery_codes: ['MFRGG-ZDFMZ', 'TWQ2L-KNFXE'] },
      },
      problems: ['rate_limited'],
      handle: (call, session) => confirm(parts, call, session),
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/totp/remove',
      name: 'removeTotp',
      summary: 'Remove the authenticator app and the recovery codes',
      body: { schema: PasswordBody, example: examplePassword },
      answer: { status: 204, description: 'Removed.' },
      problems: ['rate_limited'],
      handle: async (call, session) => {
        await requirePassword(parts, call, session, readAuthBody(PasswordBody, call).password);
        const { user } = session;
        await parts.sql.begin(async (tx) => {
          if (!(await removeTotp(tx, user))) throw notFound();
          await recordSignInAudit(tx, actorOf(user), user, 'second_factor.remove', { factor: 'totp' });
        });
      },
    }),
  ];
}

async function confirm(parts: AuthParts, call: AuthCall, { user }: ActiveSession) {
  const { code } = readAuthBody(ConfirmBody, call);
  await countSecondFactor(parts, user);
  const { totp_sealed, totp_confirmed_at, totp_last_step } = await readSecondFactors(parts.sql, user);
  if (totp_sealed === null || totp_confirmed_at !== null) throw notFound();
  const secret = parts.sealer.open(totp_sealed, totpContext(user));
  const step = matchTotp(secret, code, parts.now(), totp_last_step);
  if (step === undefined) throw invalidRequest([createFault('/code', 'format', errorText('totp_code_wrong'))]);
  const recovery_codes = createRecoveryCodes(parts.randomBytes);
  const hashes = recovery_codes.map(hashRecoveryCode);
  await parts.sql.begin(async (tx) => {
    if (!(await confirmTotp(tx, user, totp_sealed, step, hashes))) throw notFound();
    await recordSignInAudit(tx, actorOf(user), user, 'second_factor.add', { factor: 'totp' });
  });
  return { recovery_codes };
}

/** Guesses are counted like those of a sign-in. */
export async function requirePassword(
  parts: AuthParts,
  { request }: AuthCall,
  { user }: ActiveSession,
  given: string,
): Promise<void> {
  const attempt = { account: user.email, address: request.ip, device: findDevice(parts, request, user.email) };
  const isRight = await guardGuess(parts, attempt, async () => {
    const matches = await parts.hasher.verify(given, await readPasswordHash(parts.sql, user));
    return matches || undefined;
  });
  if (isRight !== true) throw invalidRequest([createFault('/password', 'format', errorText('password_wrong'))]);
}
