// Passkeys in the browser: the service describes what is wanted, the browser asks the person, the service checks the answer.

import type { Say } from '../words/say.js';
import type { UserSession } from './session.js';
import { callAuth, type SessionAnswer } from './user-session.js';

interface Described<Options> {
  readonly public_key: Options;
}

/** Older browsers lack what turns options and answers into JSON and back. */
export const isPasskeyBrowser =
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** `side` keeps a session on the other side open. */
export async function signInWithPasskey(say: Say, side?: string): Promise<SessionAnswer> {
  const { public_key } = await callAuth<Described<PublicKeyCredentialRequestOptionsJSON>>({
    method: 'POST',
    path: '/auth/sign-in/passkey/options',
  });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(public_key);
  const credential = await askPerson(say, () => navigator.credentials.get({ publicKey }));
  const body = { credential, ...(side !== undefined && { side }) };
  return callAuth<SessionAnswer>({ method: 'POST', path: '/auth/sign-in/passkey', body });
}

export async function addPasskey(say: Say, session: UserSession, name: string, password: string): Promise<void> {
  const { public_key } = await callAuth<Described<PublicKeyCredentialCreationOptionsJSON>>(
    { method: 'POST', path: '/auth/passkeys/options', body: { password } },
    session,
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(public_key);
  const credential = await askPerson(say, () => navigator.credentials.create({ publicKey }));
  await callAuth({ method: 'POST', path: '/auth/passkeys', body: { name, credential } }, session);
}

/** Browsers say in English, and little, why there is no answer. */
async function askPerson(say: Say, ask: () => Promise<Credential | null>): Promise<unknown> {
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new Error(say(isKnown ? 'passkey.exists' : 'passkey.cancelled'), { cause: error });
  }
  if (!(credential instanceof PublicKeyCredential)) throw new Error(say('passkey.cancelled'));
  return credential.toJSON();
}
