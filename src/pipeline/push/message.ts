// Builds a webhook message: its body, and the headers of the Standard Webhooks specification.

import { createHmac } from 'node:crypto';
import { maskAnswer } from '../../domain/access/mask.js';
import type { CustomerId } from '../../domain/id.js';
import { cleanText } from '../../domain/text.js';
import { type Sealer, webhookContext } from '../../store/secrets/seal.js';
import type { Attempt, AttemptSpan } from '../../store/webhook/webhook-attempt.js';
import type { Endpoint } from '../../store/webhook/webhook-cursor.js';
import type { Answer } from './post.js';
import type { EventBatch } from './sources.js';

function formatBody(type: string, at: Date, data: unknown): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: at.toISOString(), data }));
}

/** The events, masked for this endpoint if needed. */
export function formatEvents(event: string, { at, data }: EventBatch, { masked }: Pick<Endpoint, 'masked'>): Buffer {
  return formatBody(event, at, masked ? maskAnswer(data) : data);
}

/** Without events: shows whether the endpoint answers. */
export function formatTestBody(webhookNo: string, at: Date): Buffer {
  return formatBody('test', at, { webhook_no: webhookNo });
}

/** The part of a message that is kept in the log of attempts. */
const KEPT_REQUEST_BYTES = 4096;

/** For the log of attempts. */
export function describeAttempt(
  event: string,
  items: number,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: Buffer },
  answer: Answer,
  span: AttemptSpan = null,
): Attempt {
  const request_body = cleanText(body.toString('utf8', 0, KEPT_REQUEST_BYTES), KEPT_REQUEST_BYTES);
  const { status, error, latencyMs: latency_ms, body: response_body } = answer;
  return { event, message_id: id, items, at, status, error, latency_ms, request_body, response_body, span };
}

/** During a rotation both secrets sign, so that a receiver can change at any time. */
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

/** With node:crypto: the package of the specification hashes in JavaScript, which takes seven times as long. */
function sign(secret: string, head: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(head, 'utf8').update(body).digest('base64')}`;
}

/** The current secrets, newest first. */
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
