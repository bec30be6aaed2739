// The log of the last attempts at an endpoint. It has as many slots as it keeps, so that it needs no cleaning.

import type { WebhookAttempt } from '../domain/entities/webhook.js';
import type { Tenant } from '../domain/ledger.js';
import { MAX_ATTEMPTS_KEPT } from '../domain/webhook.js';
import type { AnySql } from './connect.js';

/** The attempt with its number; undefined when the endpoint is gone. */
export async function recordAttempt(
  tx: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
  attempt: Omit<WebhookAttempt, 'attempt_no'>,
): Promise<WebhookAttempt | undefined> {
  const [row] = await tx<{ attemptNo: bigint }[]>`
    update webhook set attempt_seq = attempt_seq + 1
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}
    returning attempt_seq as "attemptNo"`;
  if (row === undefined) return undefined;
  const slot = Number(row.attemptNo % BigInt(MAX_ATTEMPTS_KEPT));
  const { event, message_id, items, at, status, error, latency_ms } = attempt;
  await tx`
    insert into webhook_attempt (bucket, customer_id, webhook_id, slot, attempt_no, event, message_id, items, at, status, error,
      latency_ms)
    values (${bucket}, ${customerId}, ${webhookId}, ${slot}, ${row.attemptNo}, ${event}, ${message_id}, ${items}, ${at},
      ${status}, ${error}, ${latency_ms})
    on conflict (bucket, customer_id, webhook_id, slot) do update set attempt_no = excluded.attempt_no,
      event = excluded.event, message_id = excluded.message_id, items = excluded.items, at = excluded.at,
      status = excluded.status, error = excluded.error, latency_ms = excluded.latency_ms`;
  return { attempt_no: row.attemptNo, ...attempt };
}

/** Newest first. */
export async function readAttempts(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
): Promise<WebhookAttempt[]> {
  return await sql<WebhookAttempt[]>`
    select attempt_no, event, message_id, items, at, status, error, latency_ms from webhook_attempt
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}
    order by attempt_no desc`;
}
