// Resends a message of the log on request: the same events under the same `webhook-id`, signed again and logged as another attempt. It
// moves no cursor.

import type { WebhookAttempt } from '../../domain/entities/webhook.js';
import { WEBHOOK_EVENTS } from '../../domain/entities/webhook-events.js';
import { formatNo } from '../../domain/id.js';
import type { Tenant } from '../../domain/tenant.js';
import { readAttempt, recordAttempt, type StoredAttempt } from '../../store/webhook/webhook-attempt.js';
import { type Endpoint, readEndpoint } from '../../store/webhook/webhook-cursor.js';
import { describeAttempt, formatEvents, formatTestBody, openSecrets, signMessage } from './message.js';
import type { Sources } from './sources.js';
import type { TestDeps } from './test-message.js';

export interface ResendDeps extends TestDeps {
  readonly sources: Sources;
}

/** Undefined if there is no such attempt, or its events are deleted. */
export async function resendMessage(
  deps: ResendDeps,
  tenant: Tenant,
  webhookId: bigint,
  attemptNo: bigint,
  signal: AbortSignal,
): Promise<WebhookAttempt | undefined> {
  const { sql, sealer, poster, now } = deps;
  const [endpoint, attempt] = await Promise.all([
    readEndpoint(sql, tenant, webhookId),
    readAttempt(sql, tenant, webhookId, attemptNo),
  ]);
  const at = new Date(now());
  if (endpoint === undefined || attempt === undefined) return undefined;
  const body = await rebuildBody(deps, tenant, webhookId, endpoint, attempt, at);
  if (body === undefined) return undefined;
  const sending = { id: attempt.message_id, at, body };
  const secrets = openSecrets(sealer, tenant.customerId, webhookId, endpoint, at);
  const answer = await poster.post(endpoint.url, signMessage(secrets, sending), body, signal);
  const again = describeAttempt(attempt.event, attempt.items, sending, answer, attempt.span);
  return await recordAttempt(sql, tenant, webhookId, again);
}

async function rebuildBody(
  { sources }: ResendDeps,
  tenant: Tenant,
  webhookId: bigint,
  endpoint: Endpoint,
  { event, span }: StoredAttempt,
  at: Date,
): Promise<Buffer | undefined> {
  if (event === 'test') return formatTestBody(formatNo('W', webhookId), at);
  const known = WEBHOOK_EVENTS.find((one) => one === event);
  if (known === undefined || span === null) return undefined;
  const batch = await sources[known](tenant, span);
  return batch && formatEvents(event, batch, endpoint);
}
