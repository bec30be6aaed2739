import { createHash } from 'node:crypto';

/** What is stored of a token. It is long and random, so that one round of hashing is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}
