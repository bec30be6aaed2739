// A person's own passkeys: list, add, remove. Adding and removing ask for the password of a user who has one: a session that was
// left open is not enough.

import { Type } from '@sinclair/typebox';
import { MAX_PASSWORD_LENGTH } from '../../../domain/access/password-policy.js';
import { closedObject, line } from '../../../domain/entities/fields.js';
import { actorOf } from '../../../domain/entities/user.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault } from '../../../domain/fault/fault.js';
import { formatNo } from '../../../domain/id.js';
import { addPasskey, readCredentials, readPasskeys, removePasskey } from '../../../store/user/passkey.js';
import { readPasswordHash } from '../../../store/user/second-factor.js';
import { recordSignInAudit } from '../../../store/user/sign-in.js';
import { invalidRequest, notFound, Problem } from '../../problem/problem.js';
import { type AuthCall, type AuthParts, type AuthRoute, readAuthBody, sessionRoute } from '../auth-route.js';
import { requirePassword } from '../second-factor/totp-routes.js';
import type { ActiveSession } from '../session-auth.js';
import { startChallenge, takeChallenge } from './passkey-challenge.js';
import {
  CreationOptions,
  credentialField,
  exampleAttestation,
  exampleCreation,
  PasskeyAnswer,
  PasskeyList,
  renderPasskey,
} from './passkey-schemas.js';
import { requireRelyingParty } from './relying-party.js';
import { describeCreation, verifyCreation } from './webauthn.js';

const MAX_PASSKEYS = 20;

const ConfirmBody = closedObject({
  password: Type.Optional(
    Type.String({ maxLength: MAX_PASSWORD_LENGTH, description: 'Your password, where you have one.' }),
  ),
});
const NewPasskeyBody = closedObject({
  name: line(100, 'What you call it, such as the name of the device.'),
  credential: credentialField('What `navigator.credentials.create` returns, as JSON (`credential.toJSON()`).'),
});

export function passkeyRoutes(parts: AuthParts): AuthRoute[] {
  return [
    sessionRoute({
      method: 'GET',
      path: '/auth/passkeys',
      name: 'listPasskeys',
      summary: 'List your passkeys, oldest first',
      answer: { status: 200, schema: PasskeyList, description: 'With the last use of each.' },
      handle: async (_, { user }) => ({
        items: (await readPasskeys(parts.sql, user)).map(renderPasskey),
        asks_password: (await readPasswordHash(parts.sql, user)) !== null,
      }),
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/passkeys/options',
      name: 'getPasskeyCreation',
      summary: 'Begin to add a passkey',
      description: 'The challenge belongs to this session and works once, within five minutes.',
      body: { schema: ConfirmBody, example: { password: 'several words that do not belong together' } },
      answer: {
        status: 200,
        schema: CreationOptions,
        description: 'For `navigator.credentials.create`.',
        example: exampleCreation,
      },
      problems: ['not_found', 'rate_limited'],
      handle: async (call, session) => {
        const party = requireRelyingParty(parts.publicOrigin, call.request);
        await requirePerson(parts, call, session);
        const existing = await readCredentials(parts.sql, session.user);
        if (existing.length >= MAX_PASSKEYS) throw tooMany();
        const challenge = startChallenge(parts, call, `add ${session.session_no}`);
        return { public_key: await describeCreation(party, challenge, session.user, existing) };
      },
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/passkeys',
      name: 'createPasskey',
      summary: 'Add a passkey',
      description:
        'From then on the passkey signs in without a password, and a sign-in with the password asks for a second factor.',
      body: { schema: NewPasskeyBody, example: { name: 'Laptop', credential: exampleAttestation } },
      answer: { status: 201, schema: PasskeyAnswer, description: 'Added.' },
      problems: ['already_exists', 'not_found'],
      handle: (call, session) => add(parts, call, session),
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/passkeys/{id}/remove',
      name: 'removePasskey',
      summary: 'Remove a passkey',
      description: 'The last one cannot be removed by a user who has no other way to sign in.',
      params: { id: Type.String({ description: 'As `GET /auth/passkeys` shows it.' }) },
      body: { schema: ConfirmBody, example: { password: 'several words that do not belong together' } },
      answer: { status: 204, description: 'Removed.' },
      problems: ['not_found', 'rate_limited'],
      handle: (call, session) => remove(parts, call, session),
    }),
  ];
}

async function add(parts: AuthParts, call: AuthCall, { user, session_no }: ActiveSession) {
  const { name, credential: given } = readAuthBody(NewPasskeyBody, call);
  const party = requireRelyingParty(parts.publicOrigin, call.request);
  const challenge = await takeChallenge(parts, call, `add ${session_no}`);
  // The library throws for whatever does not match.
  const created =
    challenge === undefined ? undefined : await verifyCreation(party, challenge, given).catch(() => undefined);
  if (created === undefined) {
    throw invalidRequest([createFault('/credential', 'format', errorText('passkey_not_verified'))]);
  }
  const passkeyNo = formatNo('Y', parts.nextId());
  await parts.sql.begin(async (tx) => {
    const isAdded = await addPasskey(tx, user, {
      passkeyNo,
      name,
      credentialId: created.id,
      publicKey: Buffer.from(created.publicKey),
      signCount: created.counter,
      transports: created.transports ?? [],
    });
    if (!isAdded) throw new Problem('already_exists', errorText('passkey_exists'));
    await recordSignInAudit(tx, actorOf(user), user, 'passkey.create', { id: passkeyNo, name });
  });
  const passkey = (await readPasskeys(parts.sql, user)).find(({ passkey_no }) => passkey_no === passkeyNo);
  if (passkey === undefined) throw notFound();
  return renderPasskey(passkey);
}

async function remove(parts: AuthParts, call: AuthCall, session: ActiveSession): Promise<void> {
  await requirePerson(parts, call, session);
  const { user } = session;
  const id = call.params.id ?? '';
  await parts.sql.begin(async (tx) => {
    const removed = await removePasskey(tx, user, id);
    if (removed === undefined) throw notFound();
    if (removed.isLastWayIn) throw new Problem('not_permitted', errorText('last_passkey'));
    await recordSignInAudit(tx, actorOf(user), user, 'passkey.remove', { id, name: removed.name });
  });
}

/** The password of a user who has one. Others proved who they are at the OpenID provider, or with a passkey. */
async function requirePerson(parts: AuthParts, call: AuthCall, session: ActiveSession): Promise<void> {
  const { password = '' } = readAuthBody(ConfirmBody, call);
  if ((await readPasswordHash(parts.sql, session.user)) === null) return;
  await requirePassword(parts, call, session, password);
}

function tooMany(): Problem {
  return invalidRequest([createFault('', 'too_many', errorText('too_many_passkeys', { count: MAX_PASSKEYS }))]);
}
