import type { PostriderClient, Timestamp } from '@postrider/client';

export const WEBHOOK_EVENTS = ['receipts', 'uplinks', 'task.finished', 'batch.finished', 'account.low'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export interface Webhook {
  readonly webhook_no: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string | null;
  readonly status: string;
  readonly created_at: Timestamp;
}

/** The secret is shown this once. */
export interface NewWebhook extends Webhook {
  readonly secret: string;
}

export interface WebhookRequest {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description?: string;
}

const PATH = '/openapi/v1/webhooks/';

export async function listWebhooks(client: PostriderClient, signal: AbortSignal): Promise<readonly Webhook[]> {
  return (await client.request<{ items: Webhook[] }>({ method: 'GET', path: PATH, signal })).items;
}

export function createWebhook(client: PostriderClient, body: WebhookRequest): Promise<NewWebhook> {
  return client.request({ method: 'POST', path: PATH, body });
}

function pathOf(webhookNo: string, call = ''): string {
  return `${PATH}${encodeURIComponent(webhookNo)}/${call === '' ? '' : `${call}/`}`;
}

export function deleteWebhook(client: PostriderClient, webhookNo: string): Promise<unknown> {
  return client.request({ method: 'DELETE', path: pathOf(webhookNo) });
}

export function testWebhook(client: PostriderClient, webhookNo: string): Promise<unknown> {
  return client.request({ method: 'POST', path: pathOf(webhookNo, 'test') });
}

export function rotateWebhook(client: PostriderClient, webhookNo: string): Promise<{ readonly secret: string }> {
  return client.request({ method: 'POST', path: pathOf(webhookNo, 'rotate') });
}

export function replayWebhook(client: PostriderClient, webhookNo: string, from: string): Promise<unknown> {
  return client.request({ method: 'POST', path: pathOf(webhookNo, 'replay'), body: { from } });
}

/** Tries of deliveries, newest first, as the service describes them. */
export async function listAttempts(
  client: PostriderClient,
  webhookNo: string,
  signal: AbortSignal,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const path = pathOf(webhookNo, 'attempts');
  return (await client.request<{ items: Record<string, unknown>[] }>({ method: 'GET', path, signal })).items;
}
