import type { Timestamp } from './wire.js';

export type WebhookEvent =
  | 'receipts'
  | 'uplinks'
  | 'task.finished'
  | 'batch.finished'
  | 'account.low'
  | 'template.reviewed';

export interface WebhookRequest {
  /** `https:`, at a public address unless the operator allows others. */
  url: string;
  events: readonly WebhookEvent[];
  description?: string | null;
  /** A disabled one keeps its place and goes on from there when it is active again. */
  status?: 'active' | 'disabled';
  /** Phone numbers in its messages look like `138****9001`. Always so for what a masked key creates. */
  masked?: boolean;
}

export interface Webhook {
  webhook_no: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  status: 'active' | 'disabled';
  /** Phone numbers in its messages look like `138****9001`. */
  masked: boolean;
  /** When its URL first answered a test message with 2xx; null before, and events wait for it. */
  verified_at: Timestamp | null;
  /** Why the service disabled it. */
  disabled_reason: string | null;
  disabled_at: Timestamp | null;
  /** Until when the secret before the last rotation signs along. */
  old_secret_until: Timestamp | null;
  progress: { event: WebhookEvent; failures: number; failing_since: Timestamp | null; next_try_at: Timestamp | null }[];
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NewWebhook extends Webhook {
  /** `whsec_` and base64; shown this once. */
  secret: string;
}

/** One call to a webhook and what came of it. */
export interface WebhookAttempt {
  /** The same as `attempt_no`. */
  id: number;
  attempt_no: number;
  /** A kind of event, or `test`. */
  event: string;
  /** Its `webhook-id`: the same over the tries of one message. */
  message_id: string;
  items: number;
  at: Timestamp;
  status: number | null;
  error: string | null;
  latency_ms: number;
  /** The first 4 KiB of what was sent. */
  request_body: string;
  /** The same as `status`. */
  response_status: number | null;
  /** The first 1 KiB of what was answered. */
  response_body: string;
}
