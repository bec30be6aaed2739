// A message as it goes out: its body, and the headers of the Standard Webhooks specification.

import { createHmac } from 'node:crypto';
import type { CustomerId } from '../../domain/id.js';
import { type Sealer, webhookContext } from '../../store/seal.js';
import type { Endpoint } from '../../store/webhook/webhook-cursor.js';

export function formatBody(type: string, at: Date, data: unknown): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: at.toISOString(), data }));
}

/** During a rotation both secrets sign, so that a receiver may change from one to the other when it likes. */
export function signMessage(
  secrets: readonly string[],
  message: { readonly id: string; readonly body: Buffer; readonly at: Date },
): Record<string, string> {
  const { id, body, at } = message;
  const seconds = String(Math.floor(at.getTime() / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': 'Postrider',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => sign(secret, `${id}.${seconds}.`, body)).join(' '),
  };
}

/** By the library of the system: the package of the specification hashes in JavaScript, which takes seven times as long. */
function sign(secret: string, head: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(head, 'utf8').update(body).digest('base64')}`;
}

/** The secrets that sign now, the newest first. */
export function openSecrets(
  sealer: Sealer,
  customerId: CustomerId,
  webhookId: bigint,
  { secretSealed, oldSecretSealed, oldSecretUntil }: Endpoint,
  now: Date,
): string[] {
  const open = (sealed: Buffer) => sealer.open(sealed, webhookContext(customerId, webhookId)).toString('utf8');
  const isOldValid = oldSecretSealed !== null && oldSecretUntil !== null && oldSecretUntil > now;
  return isOldValid ? [open(secretSealed), open(oldSecretSealed)] : [open(secretSealed)];
}
