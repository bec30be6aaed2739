// The signing scheme of contract section 2, on the raw bytes of the request.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';

export interface SignedParts {
  readonly method: string;
  /** Path and query exactly as on the request line. */
  readonly requestTarget: string;
  /** As the header spells it. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

export function sign(secret: Buffer, { method, requestTarget, timestamp, body }: SignedParts): Buffer {
  const bodyHash = hash('sha256', body, 'hex');
  return createHmac('sha256', secret).update([method, requestTarget, timestamp, bodyHash].join('\n'), 'utf8').digest();
}

/** In constant time. The caller has checked that `signature` has the length of a signature. */
export function isSignedBy(secret: Buffer, parts: SignedParts, signature: Buffer): boolean {
  return timingSafeEqual(sign(secret, parts), signature);
}
