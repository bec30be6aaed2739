// Accepting an invitation: the link proves who the person is, once, and the password they choose from then on.

import { Type } from '@sinclair/typebox';
import { checkPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../domain/access/password-policy.js';
import { closedObject } from '../../domain/entities/fields.js';
import { actorOf } from '../../domain/entities/user.js';
import { errorText } from '../../domain/fault/error-text.js';
import { acceptInvitation, findInvited, recordSignInAudit } from '../../store/user/sign-in.js';
import { invalidRequest, Problem } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import { hashToken } from '../token-hash.js';
import { exampleSession, OpenLinkAnswer, SessionAnswer } from './answers.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, TAG } from './auth-route.js';
import { startSession } from './start-session.js';

export const NewPasswordBody = closedObject({
  password: Type.String({
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description: `At least ${MIN_PASSWORD_LENGTH} characters, and none of those that are easy to guess.`,
  }),
});

const PATH = '/auth/invitations/{token}';
const params = { token: Type.String({ description: 'The last part of the invitation link.' }) };

export function invitationRoutes(parts: AuthParts): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: PATH,
      name: 'getInvitation',
      tag: TAG,
      isOpen: true,
      summary: 'Show whom an invitation is for',
      params,
      answer: { status: 200, schema: OpenLinkAnswer, description: 'The invitation, still open.' },
      problems: [],
      handle: async (call) => {
        const user = await requireInvited(parts, call);
        return { email: user.email, name: user.name, side: user.side, expires_at: user.invitation_expires_at };
      },
    },
    {
      method: 'POST',
      path: PATH,
      name: 'acceptInvitation',
      tag: TAG,
      isOpen: true,
      summary: 'Accept an invitation: choose a password and be signed in',
      description: 'Works once, within seven days. Sessions that the user had before end.',
      params,
      body: { schema: NewPasswordBody, example: { password: 'several words that do not belong together' } },
      answer: {
        status: 200,
        schema: SessionAnswer,
        description: 'Signed in; the session is in a cookie.',
        example: exampleSession,
      },
      problems: [],
      handle: (call) => accept(parts, call),
    },
  ];
}

async function accept(parts: AuthParts, call: AuthCall) {
  const user = await requireInvited(parts, call);
  const { password } = readAuthBody(NewPasswordBody, call);
  const faults = checkPassword(password, [user.email, user.name]);
  if (faults.length > 0) throw invalidRequest(faults);
  const passwordHash = await parts.hasher.hash(password);
  const session = await startSession(parts, call, user, {
    method: 'invitation',
    keepsOtherSide: true,
    endsOthers: true,
    within: async (tx) => {
      // Of two at once, one wins.
      if ((await acceptInvitation(tx, tokenHashOf(call), passwordHash)) === undefined) return false;
      await recordSignInAudit(tx, actorOf(user), user, 'user.accept', { email: user.email });
      return true;
    },
  });
  if (session === undefined) throw unknownInvitation();
  return session;
}

async function requireInvited({ sql }: AuthParts, call: AuthCall) {
  rejectParameters(call.requestTarget);
  const user = await findInvited(sql, tokenHashOf(call));
  if (user === undefined) throw unknownInvitation();
  return user;
}

function tokenHashOf(call: AuthCall): string {
  return hashToken(call.params.token ?? '');
}

/** One answer for what never existed, was used, or is too old. */
function unknownInvitation(): Problem {
  return new Problem('not_found', errorText('invitation_unusable'));
}
