import type { WebhookData } from './wire/wire.generated.js';
import type { Timestamp } from './wire/wire-values.js';

// The receiving end of a webhook: the signature of the Standard Webhooks specification, with WebCrypto alone.

interface Message<Type extends string, Data> {
  readonly type: Type;
  /** When it happened. */
  readonly timestamp: Timestamp;
  readonly data: Data;
}

/** What a webhook receives. */
export type WebhookMessage = { [Type in keyof WebhookData]: Message<Type, WebhookData[Type]> }[keyof WebhookData];

export interface WebhookDelivery {
  /** Of the request, in any form: `Headers`, or an object with names in lower case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as it came, before anything has parsed it. */
  readonly body: string;
}

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** An older call, or one from the future, may be a replay. */
const TOLERANCE_S = 300;
const encoder = new TextEncoder();

/**
 * The message of a call to your webhook, once it is proven to be from the service. Throws a `WebhookVerificationError`
 * otherwise: answer 400 then. `id` stays the same when a message comes again, so that it can be recognised.
 *
 * @example
 * const { id, message } = await verifyWebhook(secret, { headers: request.headers, body: rawBody });
 * if (message.type === 'receipts') for (const receipt of message.data.items) await store(receipt);
 */
export async function verifyWebhook(
  secret: string,
  { headers, body }: WebhookDelivery,
  options: { readonly now?: () => number } = {},
): Promise<{ id: string; message: WebhookMessage }> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`the header ${name} is missing`);
    return value;
  };
  const id = read('webhook-id');
  const timestamp = read('webhook-timestamp');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const ageS = (options.now ?? Date.now)() / 1000 - seconds;
  if (!(Math.abs(ageS) <= TOLERANCE_S)) throw new WebhookVerificationError('the timestamp is too far from now');
  const key = await importSecret(secret);
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  for (const signature of read('webhook-signature').split(' ')) {
    const [version, encoded = ''] = signature.split(',', 2);
    const bytes = version === 'v1' ? decodeBase64(encoded) : undefined;
    // In constant time, which is why the signature is not computed and compared here.
    if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
      return { id, message: JSON.parse(body) as WebhookMessage };
    }
  }
  throw new WebhookVerificationError('no signature is by this secret');
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) {
    throw new WebhookVerificationError('the secret must be whsec_ and base64, as it was shown');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replaceAll('=', '').length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
