// The signature of a request, over its raw bytes.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface SignedParts {
  readonly method: string;
  /** Path and query exactly as on the request line. */
  readonly requestTarget: string;
  /** As the header spells it. */
  readonly timestamp: string;
  /** In hexadecimal digits. */
  readonly bodySha256: string;
}

export function sign(secret: Buffer, { method, requestTarget, timestamp, bodySha256 }: SignedParts): Buffer {
  return createHmac('sha256', keyOf(secret))
    .update([method, requestTarget, timestamp, bodySha256].join('\n'), 'utf8')
    .digest();
}

/** Making a key takes as long as using it once; a secret in the snapshot is the same buffer every time. */
const keys = new WeakMap<Buffer, KeyObject>();

function keyOf(secret: Buffer): KeyObject {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = createSecretKey(secret);
  keys.set(secret, key);
  return key;
}

/** In constant time. The caller has checked that `signature` has the length of a signature. */
export function isSignedBy(secret: Buffer, parts: SignedParts, signature: Buffer): boolean {
  return timingSafeEqual(sign(secret, parts), signature);
}
