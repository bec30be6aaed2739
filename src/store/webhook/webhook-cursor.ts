// Who delivers what to an endpoint. A claim gives a message its bounds and its number, and lasts as long as its delivery can
// take; later writes name the token of the claim, and are refused after another claim.

import type { WebhookEvent } from '../../domain/entities/webhook-events.js';
import { nextRecordId } from '../../domain/money/ledger.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Condition } from '../condition.js';
import { lockAccount, writeAccounts } from '../money/account.js';
import { runTogether, supportsInsertsInWith } from '../run-together.js';
import type { AnySql } from '../sql.js';
import { type Attempt, logAttempt, recordAttempt } from './webhook-attempt.js';

export interface CursorKey extends Tenant {
  readonly webhookId: bigint;
  readonly event: WebhookEvent;
}

export interface DueCursor extends CursorKey {
  readonly position: bigint;
  /** The end of a message that was begun; null when the next one has no bounds yet. */
  readonly messageEnd: bigint | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly token: bigint;
  /** Nothing that is committed has a higher number. */
  readonly head: bigint;
  /** The end of a replay under way. */
  readonly replayUntil: bigint | null;
}

/** Whether a bucket has endpoints. */
export async function hasCursors(sql: AnySql, bucket: number): Promise<boolean> {
  return (await sql`select 1 as one from webhook_cursor where bucket = ${bucket} limit 1`).length > 0;
}

export interface Claim {
  readonly token: bigint;
  readonly messageNo: bigint;
  /** As it is now, so that a change of it holds from the next message on. */
  readonly endpoint: Endpoint;
}

/** Undefined if another process claimed or moved it since it was read, or the endpoint is deleted or disabled. */
export async function claimMessage(
  sql: AnySql,
  cursor: DueCursor,
  messageEnd: bigint,
  leaseMs: number,
): Promise<Claim | undefined> {
  const [row] = await sql<(Omit<Claim, 'endpoint'> & Endpoint)[]>`
    update webhook_cursor c set token = c.token + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond',
      message_no = c.message_no + case when c.message_end is null then 1 else 0 end, message_end = ${messageEnd}
    from webhook w
    where ${ownCursor(sql, cursor, 'c')} and c.token = ${cursor.token} and c.position = ${cursor.position}
      and (c.lease_until is null or c.lease_until <= now())
      and w.bucket = c.bucket and w.customer_id = c.customer_id and w.webhook_id = c.webhook_id and w.status = 'active'
    returning c.token, c.message_no as "messageNo", ${endpointColumns(sql)}`;
  if (row === undefined) return undefined;
  const { token, messageNo, ...endpoint } = row;
  return { token, messageNo, endpoint };
}

/** Nothing of the message is left to deliver. False if the claim was lost. */
export async function concludeMessage(sql: AnySql, key: CursorKey, token: bigint): Promise<boolean> {
  const rows = await sql`${moveOn(sql, key, token)} returning 1 as moved`;
  return rows.length > 0;
}

/** The message arrived: the position moves on, and the attempt is logged. False when the claim was lost. */
export async function concludeDelivery(sql: AnySql, key: CursorKey, token: bigint, attempt: Attempt): Promise<boolean> {
  if (!supportsInsertsInWith(sql)) {
    // After a crash in between the message is delivered again, as after one before both.
    const logged = await recordAttempt(sql, key, key.webhookId, attempt);
    return logged !== undefined && (await concludeMessage(sql, key, token));
  }
  // Locks the endpoint before its cursors, in the same order as other statements.
  const rows = await sql`
    with ${logAttempt(sql, key, key.webhookId, attempt)}
    ${moveOn(sql, key, token)} and exists (select 1 from numbered) returning 1 as moved`;
  return rows.length > 0;
}

/** Renewed once a minute: an index holds the time, and an update that leaves it stays within its page. */
function moveOn(sql: AnySql, key: CursorKey, token: bigint): Condition {
  return sql`
    update webhook_cursor set position = message_end, message_end = null, failures = 0, failing_since = null,
      next_try_at = null, lease_until = null,
      replay_until = case when message_end < replay_until then replay_until end,
      due_at = greatest(due_at, date_trunc('minute', now()) - interval '1 minute')
    where ${ownCursor(sql, key)} and token = ${token} and message_end is not null`;
}

/** The attempt failed: the same message is retried, not before the time given. */
export async function postponeMessage(
  tx: AnySql,
  key: CursorKey,
  token: bigint,
  state: { readonly failures: number; readonly failingSince: Date; readonly nextTryAt: Date | null },
): Promise<boolean> {
  const rows = await tx`
    update webhook_cursor set failures = ${state.failures}, failing_since = ${state.failingSince},
      next_try_at = ${state.nextTryAt}, due_at = coalesce(${state.nextTryAt}::timestamptz, 'infinity'), lease_until = null
    where ${ownCursor(tx, key)} and token = ${token} returning 1 as moved`;
  return rows.length > 0;
}

/** The attempt was aborted because this process stops: another process may make it at once. */
export async function releaseClaim(sql: AnySql, key: CursorKey, token: bigint): Promise<void> {
  await sql`update webhook_cursor set lease_until = null where ${ownCursor(sql, key)} and token = ${token}`;
}

export interface Endpoint {
  readonly url: string;
  readonly secretSealed: Buffer;
  readonly oldSecretSealed: Buffer | null;
  readonly oldSecretUntil: Date | null;
  /** Null until the endpoint has answered a test message with 2xx. */
  readonly verifiedAt: Date | null;
  /** Its messages show masked phone numbers. */
  readonly masked: boolean;
}

/** Also when it is disabled; undefined when it is gone. */
export async function readEndpoint(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
): Promise<Endpoint | undefined> {
  const [row] = await sql<Endpoint[]>`
    select ${endpointColumns(sql)} from webhook
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`;
  return row;
}

function endpointColumns(sql: AnySql): Condition {
  return sql`
    url, secret_sealed as "secretSealed", old_secret_sealed as "oldSecretSealed", old_secret_until as "oldSecretUntil",
    verified_at as "verifiedAt", masked`;
}

/** The endpoint answered a test message that was sent to this URL. */
export async function markVerified(
  sql: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
  url: string,
): Promise<void> {
  await sql`
    update webhook set verified_at = now()
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId} and url = ${url}
      and verified_at is null`;
}

/** By the service. False when it was disabled already. It is a record of the customer, so that other webhooks tell it. */
export async function disableWebhook(
  tx: AnySql,
  { bucket, customerId }: Tenant,
  webhookId: bigint,
  reason: string,
  now: Date,
): Promise<boolean> {
  const own = tx`bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`;
  const { account, now: recordedAt } = await lockAccount(tx, { bucket, customerId });
  const rows = await tx`
    update webhook set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${now}, updated_at = now(),
      disabled_id = ${nextRecordId(account, recordedAt)}
    where ${own} and status = 'active' returning 1 as disabled`;
  await tx`update webhook_cursor set due_at = 'infinity' where ${own}`;
  if (rows.length === 0) return false;
  await runTogether(tx, writeAccounts(tx, bucket, [account]));
  return true;
}

export function ownCursor(
  sql: AnySql,
  { bucket, customerId, webhookId, event }: CursorKey,
  table = 'webhook_cursor',
): Condition {
  const row = sql(table);
  return sql`${row}.bucket = ${bucket} and ${row}.customer_id = ${customerId} and ${row}.webhook_id = ${webhookId}
    and ${row}.event = ${event}`;
}
