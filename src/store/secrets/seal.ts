// Secrets at rest: API secrets and upstream passwords are AES-256-GCM sealed under the secret key. The owner of a secret
// is bound in as associated data, so that a sealed value copied to another customer's row does not open there.

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { CustomerId } from '../../domain/id.js';

export interface Sealer {
  /** Names the key that seals, without revealing it. */
  readonly keyId: string;
  seal(plain: string | Buffer, context: string): Buffer;
  /** Throws when the value was sealed under another key or for another context, or was changed since. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** Keys for another use, that tell nothing about the secret key: the first seals, all of them open. */
  deriveKeys(purpose: string): readonly Buffer[];
}

const SECRET_KEY_BYTES = 32;

const ALGORITHM = 'aes-256-gcm';
// Leads every sealed value, so that another scheme can be distinguished from this one later.
const SCHEME = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** During a rotation `oldKey` opens what was sealed before it; it never seals. */
export function createSealer(key: Buffer, oldKey?: Buffer): Sealer {
  const keys = oldKey === undefined ? [key] : [key, oldKey];
  for (const { length } of keys) {
    if (length === SECRET_KEY_BYTES) continue;
    throw new RangeError(`the secret key has ${length} bytes, it must have ${SECRET_KEY_BYTES}`);
  }
  return {
    keyId: createHmac('sha256', key).update('key id').digest('hex').slice(0, 16),
    deriveKeys: (purpose) => keys.map((each) => createHmac('sha256', each).update(`derived: ${purpose}`).digest()),
    seal(plain, context) {
      // A fresh random nonce is safe for about four billion values under one key.
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce);
      cipher.setAAD(Buffer.from(context, 'utf8'));
      const body = Buffer.concat([
        typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain),
        cipher.final(),
      ]);
      return Buffer.concat([Buffer.of(SCHEME), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      if (sealed.length < HEADER_BYTES || sealed[0] !== SCHEME) throw new Error('not a sealed value');
      if (oldKey === undefined) return openWith(key, sealed, context);
      try {
        return openWith(key, sealed, context);
      } catch {
        return openWith(oldKey, sealed, context);
      }
    },
  };
}

function openWith(key: Buffer, sealed: Uint8Array, context: string): Buffer {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
}

export function credentialContext(customerId: CustomerId, apiKey: string): string {
  return `credential:${customerId}:${apiKey}`;
}

export function webhookContext(customerId: CustomerId, webhookId: bigint): string {
  return `webhook:${customerId}:${webhookId}`;
}

export function totpContext({ user_no }: { readonly user_no: string }): string {
  return `totp:${user_no}`;
}

export const KEY_CHECK_CONTEXT = 'secret-key-check';
export const ERASURE_KEY_CONTEXT = 'erasure-key';

export function erasureContext(erasureId: bigint): string {
  return `erasure:${erasureId}`;
}

export function channelContext(channelNo: string): string {
  return `channel:${channelNo}`;
}
