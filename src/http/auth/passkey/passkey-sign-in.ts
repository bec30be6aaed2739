// Signing in with a passkey: no email, no password, no code. The browser offers the passkeys that it has for this address, so that
// the service says nothing about who has one. Whatever fails gets one answer.

import { Type } from '@sinclair/typebox';
import { closedObject, words } from '../../../domain/entities/fields.js';
import { SIDES, type User } from '../../../domain/entities/user.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { recordAudit } from '../../../store/operator/change.js';
import { findPasskey, notePasskeyUsed } from '../../../store/user/passkey.js';
import { recordSignInAudit } from '../../../store/user/sign-in.js';
import { FREE_FAILURES } from '../../limits/guess-guard.js';
import { Problem } from '../../problem/problem.js';
import { rejectParameters } from '../../query/list-query.js';
import { exampleSession, SessionAnswer } from '../answers.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, TAG } from '../auth-route.js';
import { tooManyGuesses } from '../guess.js';
import { endPendingSignIn } from '../pending-sign-in.js';
import { startSession } from '../start-session.js';
import { startChallenge, takeChallenge } from './passkey-challenge.js';
import { credentialField, exampleAssertion, exampleRequest, RequestOptions } from './passkey-schemas.js';
import { type RelyingParty, requireRelyingParty } from './relying-party.js';
import { describeRequest, verifySignature } from './webauthn.js';

const PasskeyBody = closedObject({
  credential: credentialField('What `navigator.credentials.get` returns, as JSON (`credential.toJSON()`).'),
  side: Type.Optional(
    words(SIDES, {
      description:
        'A session on the other side then continues. Without it, the sign-in replaces all sessions of this browser.',
    }),
  ),
});

export function passkeySignInRoutes(parts: AuthParts): AuthRoute[] {
  return [
    {
      method: 'POST',
      path: '/auth/sign-in/passkey/options',
      name: 'getPasskeyRequest',
      tag: TAG,
      isOpen: true,
      summary: 'Begin a sign-in with a passkey',
      description: 'The challenge belongs to this browser and works once, within five minutes.',
      answer: {
        status: 200,
        schema: RequestOptions,
        description: 'For `navigator.credentials.get`.',
        example: exampleRequest,
      },
      problems: ['not_found'],
      handle: async (call) => {
        rejectParameters(call.requestTarget);
        const party = requireRelyingParty(parts.publicOrigin, call.request);
        return { public_key: await describeRequest(party, startChallenge(parts, call, 'sign-in')) };
      },
    },
    {
      method: 'POST',
      path: '/auth/sign-in/passkey',
      name: 'signInWithPasskey',
      tag: TAG,
      isOpen: true,
      summary: 'Sign in with a passkey',
      description:
        'Also the second step after `second_factor` with `passkey`. Everything that fails gets the same answer. After several failures attempts are refused with 429 for a while.',
      body: { schema: PasskeyBody, example: { credential: exampleAssertion } },
      answer: {
        status: 200,
        schema: SessionAnswer,
        description: 'Signed in; the session is in a cookie.',
        example: exampleSession,
      },
      problems: ['invalid_credentials', 'rate_limited', 'not_found'],
      handle: (call) => signIn(parts, call),
    },
  ];
}

async function signIn(parts: AuthParts, call: AuthCall) {
  rejectParameters(call.requestTarget);
  const { credential, side } = readAuthBody(PasskeyBody, call);
  const party = requireRelyingParty(parts.publicOrigin, call.request);
  const credentialId = typeof credential.id === 'string' ? credential.id : '';
  const found = await findPasskey(parts.sql, credentialId);
  // Nothing is stored for a passkey that does not exist: anyone can make them up.
  const challenge = found === undefined ? undefined : await takeChallenge(parts, call, 'sign-in');
  const signCount =
    challenge === undefined || found === undefined ? undefined : await verify(party, challenge, credential, found);
  const session =
    found === undefined || signCount === undefined
      ? undefined
      : await startSession(parts, call, found.user, {
          method: 'passkey',
          keepsOtherSide: side !== undefined,
          within: (tx) => notePasskeyUsed(tx, credentialId, signCount),
        });
  if (session === undefined) {
    const { passkeyGuard } = parts;
    const waitMs = passkeyGuard.waitMs(call.request.ip);
    if (waitMs > 0) throw tooManyGuesses(waitMs, { name: 'failed passkeys', count: FREE_FAILURES });
    passkeyGuard.fail(call.request.ip);
    await recordRefusal(parts, call, found?.user);
    throw new Problem('invalid_credentials', errorText('passkey_refused'));
  }
  endPendingSignIn(call);
  return session;
}

/** Undefined when the library refuses the signature, for whatever reason. */
async function verify(
  party: RelyingParty,
  challenge: string,
  response: Readonly<Record<string, unknown>>,
  { credential, user }: NonNullable<Awaited<ReturnType<typeof findPasskey>>>,
): Promise<number | undefined> {
  if (userHandleOf(response) !== user.user_no) return undefined;
  try {
    return await verifySignature(party, challenge, response, credential);
  } catch {
    return undefined;
  }
}

/** Whose passkey it is by the authenticator's own word. */
function userHandleOf({ response }: Readonly<Record<string, unknown>>): string | undefined {
  const handle = (response as { readonly userHandle?: unknown } | undefined)?.userHandle;
  return typeof handle === 'string' ? Buffer.from(handle, 'base64url').toString('utf8') : undefined;
}

async function recordRefusal({ sql }: AuthParts, { request }: AuthCall, user: User | undefined): Promise<void> {
  const change = { method: 'passkey', address: request.ip };
  if (user !== undefined) await recordSignInAudit(sql, 'anonymous', user, 'session.refuse', change);
  else await recordAudit(sql, 'anonymous', { action: 'session.refuse', subject: '-', change });
}
