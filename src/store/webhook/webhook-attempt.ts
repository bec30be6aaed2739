// The log of the last attempts at an endpoint. It has as many slots as it keeps, so that it needs no cleaning.

import type { WebhookAttempt } from '../../domain/entities/webhook.js';
import type { Tenant } from '../../domain/tenant.js';
import { MAX_ATTEMPTS_KEPT } from '../../domain/webhook.js';
import type { Condition } from '../condition.js';
import { supportsInsertsInWith } from '../run-together.js';
import type { AnySql, Statement } from '../sql.js';

/** The part of the history that a message delivers; null for tests. */
export type AttemptSpan = { readonly after: bigint; readonly until: bigint } | null;

export interface StoredAttempt extends WebhookAttempt {
  readonly span: AttemptSpan;
}

export type Attempt = Omit<StoredAttempt, 'attempt_no'>;

/** The attempt with its number; undefined when the endpoint is gone. */
export async function recordAttempt(
  sql: AnySql,
  tenant: Tenant,
  webhookId: bigint,
  attempt: Attempt,
): Promise<WebhookAttempt | undefined> {
  if (supportsInsertsInWith(sql)) {
    const [row] = await sql<{ attempt_no: bigint }[]>`
      with ${logAttempt(sql, tenant, webhookId, attempt)} select attempt_no from numbered`;
    return row && withNumber(row.attempt_no, attempt);
  }
  const [row] = await sql<{ attempt_no: bigint }[]>`${numberAttempt(sql, tenant, webhookId)}`;
  if (row === undefined) return undefined;
  // A crash before this leaves a gap in the log, and nothing else.
  const { bucket, customerId } = tenant;
  await writeAttempt(
    sql,
    attempt,
    sql`(select bucket, customer_id, webhook_id, ${row.attempt_no}::bigint as attempt_no from webhook
      where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}) as numbered`,
  );
  return withNumber(row.attempt_no, attempt);
}

function withNumber(attempt_no: bigint, { span: _, ...attempt }: Attempt): WebhookAttempt {
  return { attempt_no, ...attempt };
}

/** The parts of a `with` that log an attempt; `numbered` has a row unless the endpoint is gone. */
export function logAttempt(sql: AnySql, tenant: Tenant, webhookId: bigint, attempt: Attempt): Condition {
  return sql`
    numbered as (${numberAttempt(sql, tenant, webhookId)}), logged as (${writeAttempt(sql, attempt, sql`numbered`)})`;
}

function numberAttempt(sql: AnySql, { bucket, customerId }: Tenant, webhookId: bigint): Statement {
  return sql`
    update webhook set attempt_seq = attempt_seq + 1
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}
    returning bucket, customer_id, webhook_id, attempt_seq as attempt_no`;
}

function writeAttempt(sql: AnySql, attempt: Attempt, numbered: Condition): Statement {
  const { event, message_id, items, at, status, error, latency_ms, request_body, response_body, span } = attempt;
  return sql`
    insert into webhook_attempt (bucket, customer_id, webhook_id, slot, attempt_no, event, message_id, items, at, status,
      error, latency_ms, request_body, response_body, span_after, span_until)
    select bucket, customer_id, webhook_id, attempt_no % ${MAX_ATTEMPTS_KEPT}, attempt_no, ${event}, ${message_id}, ${items}::int,
      ${at}::timestamptz, ${status}::int, ${error}, ${latency_ms}::int, ${request_body}, ${response_body},
      ${span?.after ?? null}::bigint, ${span?.until ?? null}::bigint
    from ${numbered}
    on conflict (bucket, customer_id, webhook_id, slot) do update set attempt_no = excluded.attempt_no,
      event = excluded.event, message_id = excluded.message_id, items = excluded.items, at = excluded.at,
      status = excluded.status, error = excluded.error, latency_ms = excluded.latency_ms,
      request_body = excluded.request_body, response_body = excluded.response_body, span_after = excluded.span_after,
      span_until = excluded.span_until`;
}

/** One that is still in the log. */
export async function readAttempt(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
  attemptNo: bigint,
): Promise<StoredAttempt | undefined> {
  const [row] = await sql<(WebhookAttempt & { span_after: bigint | null; span_until: bigint | null })[]>`
    select attempt_no, event, message_id, items, at, status, error, latency_ms, request_body, response_body, span_after,
      span_until
    from webhook_attempt
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId} and attempt_no = ${attemptNo}`;
  if (row === undefined) return undefined;
  const { span_after: after, span_until: until, ...attempt } = row;
  return { ...attempt, span: after === null || until === null ? null : { after, until } };
}

/** Newest first. */
export async function readAttempts(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
): Promise<WebhookAttempt[]> {
  return await sql<WebhookAttempt[]>`
    select attempt_no, event, message_id, items, at, status, error, latency_ms, request_body, response_body from webhook_attempt
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}
    order by attempt_no desc`;
}
