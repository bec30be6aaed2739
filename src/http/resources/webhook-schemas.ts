// Webhooks as both APIs show them.

import { Type } from '@sinclair/typebox';
import { closedObject } from '../../domain/entities/fields.js';
import { type Webhook, type WebhookAttempt, WebhookFields } from '../../domain/entities/webhook.js';
import { WEBHOOK_EVENTS } from '../../domain/entities/webhook-events.js';
import { formatNo } from '../../domain/id.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, changed, orNull, Time } from './entity-answers.js';

const shown = {
  webhook_no: Type.String(),
  verified_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When its URL first answered a test message with 2xx; null before, and events wait for it.',
    }),
  ),
  disabled_reason: orNull(Type.String({ description: 'Why the service disabled it.' })),
  disabled_at: orNull(Time()),
  old_secret_until: orNull(
    Type.String({ format: 'date-time', description: 'Until when the secret before the last rotation signs along.' }),
  ),
  progress: Type.Array(
    Type.Object({
      event: oneOf(WEBHOOK_EVENTS, 'The kind of event.'),
      failures: Type.Integer({ minimum: 0, description: 'Of the message under way, in a row.' }),
      failing_since: orNull(Time()),
      next_try_at: orNull(Time()),
    }),
    { description: 'The delivery state of each kind of event.' },
  ),
  ...changed,
};

export const WebhookAnswer = answerOf('Webhook', shown, WebhookFields);
export const NewWebhookAnswer = answerOf(
  'NewWebhook',
  { ...shown, secret: Type.String({ description: '`whsec_` and base64; shown this once.' }) },
  WebhookFields,
);
export const WebhookAttemptAnswer = answerOf(
  { $id: 'WebhookAttempt', description: 'One call to a webhook and its result.' },
  {
    id: Type.Integer({ minimum: 1, description: 'The same as `attempt_no`.' }),
    attempt_no: Type.Integer({ minimum: 1, description: 'Counted for the endpoint.' }),
    event: Type.String({ description: 'A kind of event, or `test`.' }),
    message_id: Type.String({ description: 'Its `webhook-id`: the same over the tries of one message.' }),
    items: Type.Integer({ minimum: 0, description: 'How many things it tells.' }),
    at: Time(),
    status: orNull(Type.Integer({ description: 'Of the answer; null when there was none.' })),
    error: orNull(Type.String({ description: 'Why it is no success; null when it is one.' })),
    latency_ms: Type.Integer({ minimum: 0 }),
    request_body: Type.String({ description: 'The first 4 KiB of what was sent.' }),
    response_status: orNull(Type.Integer({ description: 'The same as `status`.' })),
    response_body: Type.String({ description: 'The first 1 KiB of what was answered.' }),
  },
);

export const ReplayBody = closedObject({
  from: Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Integer({ minimum: 0 })], {
    description: 'Events since then are sent again. RFC 3339 with an offset, or milliseconds since the epoch.',
  }),
});

export function renderWebhook({ webhook_id, progress, ...webhook }: Webhook) {
  const { verified_at, disabled_at, old_secret_until, created_at, updated_at } = webhook;
  return {
    ...webhook,
    webhook_no: formatNo('W', webhook_id),
    progress: progress.map((one) => ({
      ...one,
      failing_since: one.failing_since?.toISOString() ?? null,
      next_try_at: one.next_try_at?.toISOString() ?? null,
    })),
    verified_at: verified_at?.toISOString() ?? null,
    disabled_at: disabled_at?.toISOString() ?? null,
    old_secret_until: old_secret_until?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export function renderAttempt({ attempt_no, at, ...attempt }: WebhookAttempt) {
  const no = Number(attempt_no);
  return { id: no, attempt_no: no, ...attempt, response_status: attempt.status, at: at.toISOString() };
}

const webhook = {
  webhook_no: 'W01K9XJ3Q8ZV4W',
  url: 'https://example.com/hooks/postrider',
  events: ['receipts', 'task.finished'],
  description: 'Orders',
  status: 'active',
  masked: false,
  verified_at: '2026-11-14T20:00:00.000Z',
  disabled_reason: null,
  disabled_at: null,
  old_secret_until: null,
  progress: [
    { event: 'receipts', failures: 0, failing_since: null, next_try_at: null },
    { event: 'task.finished', failures: 0, failing_since: null, next_try_at: null },
  ],
  created_at: '2026-11-14T20:00:00.000Z',
  updated_at: '2026-11-14T20:00:00.000Z',
};

export const webhookExamples = {
  body: { url: webhook.url, events: webhook.events, description: webhook.description },
  change: { status: 'active' },
  replay: { from: '2026-11-14T12:00:00Z' },
  webhook,
  newWebhook: { ...webhook, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDGtTSQ4DN5Nw=' },
  attempt: {
    id: 42,
    attempt_no: 42,
    event: 'receipts',
    message_id: 'msg_W01K9XJ3Q8ZV4W_receipts_17',
    items: 500,
    at: '2026-11-14T23:57:01.200Z',
    status: 200,
    error: null,
    latency_ms: 34,
    request_body: '{"type":"receipts","timestamp":"2026-11-14T23:57:01.000Z","data":{"items":[',
    response_status: 200,
    response_body: 'ok',
  },
};
