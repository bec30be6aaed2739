// Who delivers what to an endpoint. A claim gives a message its bounds and its number, and lasts as long as its delivery can
// take; whatever is written afterwards names the token of the claim, and is refused once somebody else has claimed.

import type { WebhookAttempt, WebhookEvent } from '../../domain/entities/webhook.js';
import type { CustomerId } from '../../domain/id.js';
import type { Tenant } from '../../domain/ledger.js';
import type { AnySql } from '../connect.js';
import type { Condition } from '../lists/condition.js';
import { takesInsertsWithin } from '../run-together.js';
import { logAttempt, recordAttempt } from './webhook-attempt.js';

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
}

/** Whether anybody in a bucket wants to be told. */
export async function hasCursors(sql: AnySql, bucket: number): Promise<boolean> {
  return (await sql`select 1 as one from webhook_cursor where bucket = ${bucket} limit 1`).length > 0;
}

/** The cursors of a bucket that something may be told to now. */
export async function readDueCursors(sql: AnySql, bucket: number, now: Date): Promise<DueCursor[]> {
  const rows = await sql<Omit<DueCursor, 'bucket'>[]>`
    select c.customer_id as "customerId", c.webhook_id as "webhookId", c.event, c.position, c.message_end as "messageEnd",
      c.failures, c.failing_since as "failingSince", c.token,
      case when c.event = 'account.low' then a.entry_seq else a.record_id end as head
    from webhook_cursor c
    join webhook w on w.bucket = c.bucket and w.customer_id = c.customer_id and w.webhook_id = c.webhook_id
    join account a on a.bucket = c.bucket and a.customer_id = c.customer_id
    where c.bucket = ${bucket} and w.status = 'active'
      and (c.next_try_at is null or c.next_try_at <= ${now}) and (c.lease_until is null or c.lease_until <= now())
      and (c.message_end is not null or c.position < case when c.event = 'account.low' then a.entry_seq else a.record_id end)`;
  return rows.map((row) => ({ ...row, bucket }));
}

export interface Claim {
  readonly token: bigint;
  readonly messageNo: bigint;
  /** As it is now, so that a change of it holds from the next message on. */
  readonly endpoint: Endpoint;
}

/** Undefined when somebody else has it or has moved it on since it was read, and when the endpoint is gone or disabled. */
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
    where ${ownRow(sql, cursor, 'c')} and c.token = ${cursor.token} and c.position = ${cursor.position}
      and (c.lease_until is null or c.lease_until <= now())
      and w.bucket = c.bucket and w.customer_id = c.customer_id and w.webhook_id = c.webhook_id and w.status = 'active'
    returning c.token, c.message_no as "messageNo", ${endpointColumns(sql)}`;
  if (row === undefined) return undefined;
  const { token, messageNo, ...endpoint } = row;
  return { token, messageNo, endpoint };
}

/** There is nothing left to tell of the message. False when the claim was lost. */
export async function concludeMessage(sql: AnySql, key: CursorKey, token: bigint): Promise<boolean> {
  const rows = await sql`${moveOn(sql, key, token)} returning 1 as moved`;
  return rows.length > 0;
}

/** The message arrived: the position moves on, and the attempt is logged. False when the claim was lost. */
export async function concludeDelivery(
  sql: AnySql,
  key: CursorKey,
  token: bigint,
  attempt: Omit<WebhookAttempt, 'attempt_no'>,
): Promise<boolean> {
  if (!takesInsertsWithin(sql)) {
    // A crash in between has the message told again, as one before both would.
    const logged = await recordAttempt(sql, key, key.webhookId, attempt);
    return logged !== undefined && (await concludeMessage(sql, key, token));
  }
  // The endpoint before its cursors: the order in which whoever changes them locks them, too.
  const rows = await sql`
    with ${logAttempt(sql, key, key.webhookId, attempt)}
    ${moveOn(sql, key, token)} and exists (select 1 from numbered) returning 1 as moved`;
  return rows.length > 0;
}

function moveOn(sql: AnySql, key: CursorKey, token: bigint): Condition {
  return sql`
    update webhook_cursor set position = message_end, message_end = null, failures = 0, failing_since = null,
      next_try_at = null, lease_until = null
    where ${ownRow(sql, key)} and token = ${token} and message_end is not null`;
}

/** It did not arrive: it is tried again, the same message, not before the time given. */
export async function postponeMessage(
  tx: AnySql,
  key: CursorKey,
  token: bigint,
  state: { readonly failures: number; readonly failingSince: Date; readonly nextTryAt: Date | null },
): Promise<boolean> {
  const rows = await tx`
    update webhook_cursor set failures = ${state.failures}, failing_since = ${state.failingSince},
      next_try_at = ${state.nextTryAt}, lease_until = null
    where ${ownRow(tx, key)} and token = ${token} returning 1 as moved`;
  return rows.length > 0;
}

/** The try was given up because this process stops: somebody else makes it, at once. */
export async function releaseClaim(sql: AnySql, key: CursorKey, token: bigint): Promise<void> {
  await sql`update webhook_cursor set lease_until = null where ${ownRow(sql, key)} and token = ${token}`;
}

/** There is nothing to tell up to here; the next look need not begin further back. */
export async function passOver(sql: AnySql, cursor: DueCursor, position: bigint): Promise<void> {
  await sql`
    update webhook_cursor set position = ${position}
    where ${ownRow(sql, cursor)} and token = ${cursor.token} and position = ${cursor.position} and message_end is null`;
}

export interface Endpoint {
  readonly url: string;
  readonly secretSealed: Buffer;
  readonly oldSecretSealed: Buffer | null;
  readonly oldSecretUntil: Date | null;
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
    url, secret_sealed as "secretSealed", old_secret_sealed as "oldSecretSealed", old_secret_until as "oldSecretUntil"`;
}

/** By the service itself. False when it was disabled already. */
export async function disableWebhook(
  tx: AnySql,
  { bucket, customerId }: { readonly bucket: number; readonly customerId: CustomerId },
  webhookId: bigint,
  reason: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update webhook set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${now}, updated_at = now()
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId} and status = 'active'
    returning 1 as disabled`;
  return rows.length > 0;
}

function ownRow(sql: AnySql, { bucket, customerId, webhookId, event }: CursorKey, table = 'webhook_cursor'): Condition {
  const row = sql(table);
  return sql`${row}.bucket = ${bucket} and ${row}.customer_id = ${customerId} and ${row}.webhook_id = ${webhookId}
    and ${row}.event = ${event}`;
}
