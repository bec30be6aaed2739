// The challenge that a passkey signs: in a sealed cookie of the browser that asked for it, for a few minutes. The first answer
// uses it up, right or wrong; the database remembers it, so that a copy of cookie and answer is worth nothing.

import { useChallenge } from '../../../store/user/passkey.js';
import type { Call } from '../../route.js';
import { hashToken } from '../../token-hash.js';
import type { AuthParts } from '../auth-route.js';
import { clearCookie, readCookie, setCookie } from '../cookies.js';

const CONTEXT = 'passkey challenge';
const CHALLENGE_BYTES = 32;
export const CHALLENGE_SECONDS = 300;

/** `sign-in`, or the session that adds a passkey: a challenge for one is none for the other. */
type Purpose = 'sign-in' | `add ${string}`;

interface PendingChallenge {
  readonly challenge: string;
  readonly purpose: Purpose;
  readonly expiresAtMs: number;
}

type Exchange = Pick<Call, 'request' | 'reply'>;

export function startChallenge(
  { sealer, now, randomBytes }: AuthParts,
  { request, reply }: Exchange,
  purpose: Purpose,
): Uint8Array<ArrayBuffer> {
  const challenge = randomBytes(CHALLENGE_BYTES);
  const pending: PendingChallenge = {
    challenge: challenge.toString('base64url'),
    purpose,
    expiresAtMs: now() + CHALLENGE_SECONDS * 1000,
  };
  const value = sealer.seal(JSON.stringify(pending), CONTEXT).toString('base64url');
  setCookie(request, reply, 'postrider_passkey', value, CHALLENGE_SECONDS);
  return new Uint8Array(challenge);
}

/** The challenge in base64url. Undefined when there is none, it is too old, was used, or is for something else. */
export async function takeChallenge(
  { sealer, sql, now }: AuthParts,
  { request, reply }: Exchange,
  purpose: Purpose,
): Promise<string | undefined> {
  const value = readCookie(request, 'postrider_passkey') ?? '';
  clearCookie(request, reply, 'postrider_passkey');
  let pending: PendingChallenge;
  try {
    pending = JSON.parse(sealer.open(Buffer.from(value, 'base64url'), CONTEXT).toString('utf8'));
  } catch {
    // None, or made up.
    return undefined;
  }
  if (pending.purpose !== purpose || pending.expiresAtMs <= now()) return undefined;
  const isFirst = await useChallenge(sql, hashToken(pending.challenge), new Date(pending.expiresAtMs));
  return isFirst ? pending.challenge : undefined;
}
