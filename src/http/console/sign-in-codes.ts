// Codes that sign in to the console with one click. A code belongs to a user of the demo; it is long, is stored as a hash, works
// once, and expires.

import { createHash } from 'node:crypto';
import { forgetOldest } from '../../domain/counts.js';
import type { Side } from '../../domain/entities/user.js';

/** Whom a code signs in. */
export interface SignInGrant {
  readonly side: Side;
  readonly userNo: string;
}

export interface SignInCodes {
  issue(grant: SignInGrant): Promise<string>;
  /** Undefined for a code that is unknown, was used or is too old. Either way it is worth nothing afterwards. */
  redeem(code: string): Promise<SignInGrant | undefined>;
}

export interface SignInCodesDeps {
  readonly now: () => number;
  readonly randomBytes: (count: number) => Buffer;
}

/** A working day with room: the banner may have been printed in the morning. */
export const CODE_LIFETIME_MS = 24 * 3_600_000;
const CODE_BYTES = 32;
const MAX_CODES = 100;

export function createSignInCodes({ now, randomBytes }: SignInCodesDeps): SignInCodes {
  const grants = new Map<string, { readonly grant: SignInGrant; readonly endsAt: number }>();
  return {
    async issue(grant) {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      grants.set(hashCode(code), { grant, endsAt: now() + CODE_LIFETIME_MS });
      forgetOldest(grants, MAX_CODES);
      return code;
    },
    async redeem(code) {
      // Looked up by its hash: how long that takes says nothing about codes that would be valid.
      const hash = hashCode(code);
      const found = grants.get(hash);
      grants.delete(hash);
      return found === undefined || found.endsAt <= now() ? undefined : found.grant;
    },
  };
}

function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}
