// Sends a test message on request, to check whether an endpoint answers. It is signed and logged like every other. A 2xx verifies the
// endpoint; a failure changes nothing.

import type { WebhookAttempt } from '../../domain/entities/webhook.js';
import { formatNo } from '../../domain/id.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { Sql } from '../../store/sql.js';
import { recordAttempt } from '../../store/webhook/webhook-attempt.js';
import { markVerified, readEndpoint } from '../../store/webhook/webhook-cursor.js';
import { describeAttempt, formatTestBody, openSecrets, signMessage } from './message.js';
import type { Poster } from './post.js';

export interface TestDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly poster: Poster;
  readonly now: () => number;
  readonly nextId: () => bigint;
}

/** Undefined if there is no such endpoint. */
export async function sendTestMessage(
  { sql, sealer, poster, now, nextId }: TestDeps,
  tenant: Tenant,
  webhookId: bigint,
  signal: AbortSignal,
): Promise<WebhookAttempt | undefined> {
  const endpoint = await readEndpoint(sql, tenant, webhookId);
  if (endpoint === undefined) return undefined;
  const at = new Date(now());
  const webhookNo = formatNo('W', webhookId);
  const id = `msg_${webhookNo}_test_${nextId()}`;
  const sending = { id, at, body: formatTestBody(webhookNo, at) };
  const secrets = openSecrets(sealer, tenant.customerId, webhookId, endpoint, at);
  const answer = await poster.post(endpoint.url, signMessage(secrets, sending), sending.body, signal);
  if (answer.error === null) await markVerified(sql, tenant, webhookId, endpoint.url);
  const attempt = describeAttempt('test', 0, sending, answer);
  return await recordAttempt(sql, tenant, webhookId, attempt);
}
