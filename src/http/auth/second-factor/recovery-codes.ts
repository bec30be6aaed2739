// Codes for the day the phone is lost: 50 random bits each, so that a plain hash keeps them.

import { hashToken } from '../../token-hash.js';
import { toBase32 } from './totp.js';

const COUNT = 10;
const HALF = 5;
const LENGTH = 2 * HALF;
/** Enough for ten letters of base 32, and a bit over. */
const BYTES = 7;

export function createRecoveryCodes(randomBytes: (count: number) => Buffer): readonly string[] {
  return Array.from({ length: COUNT }, () => {
    const text = toBase32(randomBytes(BYTES)).slice(0, LENGTH);
    return `${text.slice(0, HALF)}-${text.slice(HALF)}`;
  });
}

export function isRecoveryCode(code: string): boolean {
  return normalise(code).length === LENGTH;
}

/** As typed: case, blanks and the hyphen do not count. */
export function hashRecoveryCode(code: string): string {
  return hashToken(normalise(code));
}

function normalise(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase();
}
