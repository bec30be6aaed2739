// A message that tells nothing, sent at once to see whether an endpoint answers. It is signed and logged like every other,
// and neither its success nor its failure changes how the endpoint fares.

import type { WebhookAttempt } from '../../domain/entities/webhook.js';
import { formatNo } from '../../domain/id.js';
import type { Tenant } from '../../domain/ledger.js';
import type { Sql } from '../../store/connect.js';
import type { Sealer } from '../../store/seal.js';
import { recordAttempt } from '../../store/webhook/webhook-attempt.js';
import { readEndpoint } from '../../store/webhook/webhook-cursor.js';
import { formatBody, openSecrets, signMessage } from './message.js';
import type { Poster } from './post.js';

export interface TestDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly poster: Poster;
  readonly now: () => number;
  readonly nextId: () => bigint;
}

/** Undefined when there is no such endpoint. */
export async function sendTestMessage(
  { sql, sealer, poster, now, nextId }: TestDeps,
  tenant: Tenant,
  webhookId: bigint,
): Promise<WebhookAttempt | undefined> {
  const endpoint = await readEndpoint(sql, tenant, webhookId);
  if (endpoint === undefined) return undefined;
  const at = new Date(now());
  const webhookNo = formatNo('W', webhookId);
  const id = `msg_${webhookNo}_test_${nextId()}`;
  const body = formatBody('test', at, { webhook_no: webhookNo });
  const secrets = openSecrets(sealer, tenant.customerId, webhookId, endpoint, at);
  const headers = signMessage(secrets, { id, body, at });
  const { status, error, latencyMs } = await poster.post(endpoint.url, headers, body, new AbortController().signal);
  const attempt = { event: 'test', message_id: id, items: 0, at, status, error, latency_ms: latencyMs };
  return await recordAttempt(sql, tenant, webhookId, attempt);
}
