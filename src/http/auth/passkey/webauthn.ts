// WebAuthn by its library, which is loaded by the first person who uses a passkey. A passkey must be discoverable (a sign-in asks
// for no email) and must verify the user by a PIN, a fingerprint or the like: it is then a full sign-in.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { User } from '../../../domain/entities/user.js';
import type { PasskeyCredential } from '../../../store/user/passkey.js';
import { CHALLENGE_SECONDS } from './passkey-challenge.js';
import type { RelyingParty } from './relying-party.js';

/** ES256, RS256 and EdDSA: what every version of Node that runs the service can verify. */
const ALGORITHMS = [-7, -257, -8];

const library = () => import('@simplewebauthn/server');

type Challenge = Uint8Array<ArrayBuffer>;

export async function describeCreation(
  { id }: RelyingParty,
  challenge: Challenge,
  user: User,
  existing: readonly PasskeyCredential[],
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Postrider',
    rpID: id,
    // One email may have a user on each side: the browser's list of passkeys tells them apart.
    userName: user.side === 'operator' ? `${user.email} (operator)` : user.email,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(user.user_no)),
    challenge,
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: existing.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** No passkey is named: the browser offers those that it has for this address. */
export async function describeRequest({ id }: RelyingParty, challenge: Challenge) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: id,
    challenge,
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
  });
}

/** Throws, or returns undefined, when anything does not match: challenge, origin, host, user verification. */
export async function verifyCreation(
  { origin, id }: RelyingParty,
  challenge: string,
  credential: Readonly<Record<string, unknown>>,
) {
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verifyRegistrationResponse({
    // The library checks the form.
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return registrationInfo?.credential;
}

/** The new count of signatures. Throws, or returns undefined, when anything does not match, or the count has gone back. */
export async function verifySignature(
  { origin, id }: RelyingParty,
  challenge: string,
  response: Readonly<Record<string, unknown>>,
  { credential_id, public_key, sign_count }: PasskeyCredential,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    credential: { id: credential_id, publicKey: new Uint8Array(public_key), counter: sign_count },
    requireUserVerification: true,
  });
  return verified ? authenticationInfo.newCounter : undefined;
}
