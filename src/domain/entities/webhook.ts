// Webhook endpoints of customers.

import { type Static, Type } from '@sinclair/typebox';
import { changeOf, closedObject, line, nullable, words } from './fields.js';
import { WEBHOOK_EVENTS, type WebhookEvent } from './webhook-events.js';

export const WebhookFields = closedObject({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    format: 'line',
    description: 'Where the calls go: `https:`, at a public address unless the operator allows others.',
  }),
  events: Type.Array(words(WEBHOOK_EVENTS), {
    minItems: 1,
    maxItems: WEBHOOK_EVENTS.length,
    description: `Events to send: ${WEBHOOK_EVENTS.map((event) => `\`${event}\``).join(', ')}.`,
  }),
  description: nullable(line(200, 'For people.'), { default: null, description: 'For people; null: none.' }),
  status: words(['active', 'disabled'], {
    default: 'active',
    description: 'A disabled webhook keeps its position and continues from there when it is active again.',
  }),
  masked: Type.Boolean({
    default: false,
    description: 'Phone numbers in its messages look like `138****9001`. Always true for what a masked key creates.',
  }),
});
export const WebhookChanges = changeOf(WebhookFields);

export type WebhookTerms = Static<typeof WebhookFields>;
export type WebhookPatch = Static<typeof WebhookChanges>;

/** The delivery state of one event type at an endpoint. */
export interface WebhookProgress {
  readonly event: WebhookEvent;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly next_try_at: Date | null;
}

export interface Webhook extends WebhookTerms {
  readonly webhook_id: bigint;
  /** When it first answered a test message with 2xx; null before. Events wait for it. */
  readonly verified_at: Date | null;
  readonly disabled_reason: string | null;
  readonly disabled_at: Date | null;
  readonly old_secret_until: Date | null;
  readonly progress: readonly WebhookProgress[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface WebhookAttempt {
  readonly attempt_no: bigint;
  readonly event: string;
  readonly message_id: string;
  readonly items: number;
  readonly at: Date;
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly latency_ms: number;
  /** The beginning of the message. */
  readonly request_body: string;
  /** The beginning of the answer's body. */
  readonly response_body: string;
}
