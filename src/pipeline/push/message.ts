// A message as it goes out: its body, and the headers of the Standard Webhooks specification.

import { Webhook as Signer } from 'standardwebhooks';
import type { CustomerId } from '../../domain/id.js';
import { type Sealer, webhookContext } from '../../store/seal.js';
import type { Endpoint } from '../../store/webhook-cursor.js';

export function formatBody(type: string, at: Date, data: unknown): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

/** During a rotation both secrets sign, so that a receiver may change from one to the other when it likes. */
export function signMessage(
  secrets: readonly string[],
  message: { readonly id: string; readonly body: string; readonly at: Date },
): Record<string, string> {
  const { id, body, at } = message;
  return {
    'content-type': 'application/json',
    'user-agent': 'Postrider',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, at, body)).join(' '),
  };
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
