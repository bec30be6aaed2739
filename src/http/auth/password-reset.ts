// For who has forgotten the password: ask for a link by email, and choose a new password with it. The answer to asking is one and
// the same for every address, and does not wait for what is done about it.

import { Type } from '@sinclair/typebox';
import { checkPassword } from '../../domain/access/password-policy.js';
import { closedObject } from '../../domain/entities/fields.js';
import { actorOf, MAX_EMAIL_LENGTH, PASSWORD_RESET_MINUTES } from '../../domain/entities/user.js';
import { errorText } from '../../domain/fault/error-text.js';
import {
  findPasswordReset,
  findResettable,
  issuePasswordReset,
  type PasswordResetLink,
  resetPassword,
} from '../../store/user/password-reset.js';
import { recordSignInAudit } from '../../store/user/sign-in.js';
import { FREE_FAILURES } from '../limits/guess-guard.js';
import { invalidRequest, Problem } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import { passwordResetUrl } from '../resources/user-actions.js';
import { hashToken } from '../token-hash.js';
import { OpenLinkAnswer } from './answers.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, TAG } from './auth-route.js';
import { tooManyGuesses } from './guess.js';
import { NewPasswordBody } from './invitations.js';

const AskBody = closedObject({ email: Type.String({ minLength: 1, maxLength: MAX_EMAIL_LENGTH }) });
const TOKEN_BYTES = 32;
const PATH = '/auth/password-reset';
const ONE = `${PATH}/{token}`;
const params = { token: Type.String({ description: 'The last part of the link.' }) };

export function passwordResetRoutes(parts: AuthParts): AuthRoute[] {
  return [
    {
      method: 'POST',
      path: PATH,
      name: 'requestPasswordReset',
      tag: TAG,
      isOpen: true,
      summary: 'Ask for a link to choose a new password',
      description:
        'The answer is the same for every address. Who has an account with a password is sent a link, at most one in ten minutes, where a mail server and the public address are set; else an admin makes one.',
      body: { schema: AskBody, example: { email: 'ann@example.com' } },
      answer: { status: 202, description: 'Taken.' },
      problems: ['rate_limited'],
      handle: async (call) => ask(parts, call),
    },
    {
      method: 'GET',
      path: ONE,
      name: 'getPasswordReset',
      tag: TAG,
      isOpen: true,
      summary: 'Show whom a password reset link is for',
      params,
      answer: { status: 200, schema: OpenLinkAnswer, description: 'The link, still open.' },
      problems: [],
      handle: async (call) => {
        const { user, expiresAt } = await requireReset(parts, call);
        return { email: user.email, name: user.name, side: user.side, expires_at: expiresAt };
      },
    },
    {
      method: 'POST',
      path: ONE,
      name: 'resetPassword',
      tag: TAG,
      isOpen: true,
      summary: 'Choose a new password with a link',
      description: `Works once, within ${PASSWORD_RESET_MINUTES} minutes. All sessions of the user end; second factors stay.`,
      params,
      body: { schema: NewPasswordBody, example: { password: 'several words that do not belong together' } },
      answer: { status: 204, description: 'The new password holds. Sign in with it.' },
      problems: [],
      handle: (call) => reset(parts, call),
    },
  ];
}

function ask(parts: AuthParts, call: AuthCall): void {
  rejectParameters(call.requestTarget);
  const { email } = readAuthBody(AskBody, call);
  const { resetGuard } = parts;
  const address = call.request.ip;
  const waitMs = resetGuard.waitMs(address);
  if (waitMs > 0) throw tooManyGuesses(waitMs, { name: 'password resets', count: FREE_FAILURES });
  resetGuard.fail(address);
  // Not awaited: the time of the answer must not tell who has an account.
  sendLinks(parts, email, address).catch((err: unknown) => {
    call.request.log.warn({ err, request_id: call.request.id }, 'a password reset could not be sent');
  });
}

async function sendLinks(parts: AuthParts, email: string, address: string): Promise<void> {
  const { sql, sendUserMail, publicOrigin, randomBytes } = parts;
  // A link from the Host of this request would lead people where a stranger wants them.
  if (sendUserMail === undefined || publicOrigin === undefined) return;
  for (const user of await findResettable(sql, email)) {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    if (!(await issuePasswordReset(sql, user, hashToken(token), address))) continue;
    await sendUserMail({ kind: 'password_reset', email: user.email, url: passwordResetUrl(publicOrigin, token) });
  }
}

async function reset(parts: AuthParts, call: AuthCall): Promise<void> {
  const { user } = await requireReset(parts, call);
  const { password } = readAuthBody(NewPasswordBody, call);
  const faults = checkPassword(password, [user.email, user.name]);
  if (faults.length > 0) throw invalidRequest(faults);
  const passwordHash = await parts.hasher.hash(password);
  const isReset = await parts.sql.begin(async (tx) => {
    const sessions = await resetPassword(tx, tokenHashOf(call), passwordHash);
    // Of two at once, one wins.
    if (sessions === undefined) return false;
    await recordSignInAudit(tx, actorOf(user), user, 'user.password_reset', { address: call.request.ip, sessions });
    return true;
  });
  if (!isReset) throw unusable();
}

async function requireReset({ sql }: AuthParts, call: AuthCall): Promise<PasswordResetLink> {
  rejectParameters(call.requestTarget);
  const found = await findPasswordReset(sql, tokenHashOf(call));
  if (found === undefined) throw unusable();
  return found;
}

function tokenHashOf(call: AuthCall): string {
  return hashToken(call.params.token ?? '');
}

/** One answer for what never existed, was used, or is too old. */
function unusable(): Problem {
  return new Problem('not_found', errorText('password_reset_unusable'));
}
