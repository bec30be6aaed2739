// The endpoints of a customer. They are written under the account's lock, which numbers all events: what is committed after an endpoint has its position has a higher number.

import { pickFields } from '../../domain/entities/fields.js';
import { type Webhook, WebhookFields, type WebhookPatch, type WebhookTerms } from '../../domain/entities/webhook.js';
import { followsLedger, followsTasks, LEDGER_EVENTS, type WebhookEvent } from '../../domain/entities/webhook-events.js';
import { firstIdAt } from '../../domain/id.js';
import type { Account } from '../../domain/money/ledger.js';
import type { Tenant } from '../../domain/tenant.js';
import { MAX_WEBHOOKS, needsVerification } from '../../domain/webhook.js';
import { textArray } from '../array-literal.js';
import type { Condition } from '../condition.js';
import { lockAccount } from '../money/account.js';
import type { AnySql, Sql } from '../sql.js';
import { dueOf } from './webhook-due.js';

/** Written in the transaction of the change: the operator's entry in the audit log. */
export type Alongside = (tx: AnySql, after: Webhook, before: Webhook | undefined) => Promise<void>;

export interface NewWebhook {
  readonly webhookId: bigint;
  readonly terms: WebhookTerms;
  readonly secretSealed: Buffer;
}

/** Undefined when the customer has as many as it may have. */
export async function createWebhook(
  sql: Sql,
  tenant: Tenant,
  { webhookId, terms, secretSealed }: NewWebhook,
  alongside?: Alongside,
): Promise<Webhook | undefined> {
  const { bucket, customerId } = tenant;
  return await sql.begin(async (tx) => {
    const { account } = await lockAccount(tx, tenant);
    if ((await readWebhooks(tx, tenant)).length >= MAX_WEBHOOKS) return undefined;
    await tx`
      insert into webhook (bucket, customer_id, webhook_id, url, events, description, status, masked, secret_sealed,
        verified_at)
      values (${bucket}, ${customerId}, ${webhookId}, ${terms.url}, ${textArray(terms.events)}::text[], ${terms.description},
        ${terms.status}, ${terms.masked}, ${secretSealed}, ${verifiedAtOf(tx, terms.url)})`;
    await keepCursors(tx, account, webhookId, terms);
    const created = await requireWebhook(tx, tenant, webhookId);
    await alongside?.(tx, created, undefined);
    return created;
  });
}

/** Runs a change under the account's lock. Undefined when there is no such endpoint. */
async function changeRow(
  sql: Sql,
  tenant: Tenant,
  webhookId: bigint,
  alongside: Alongside | undefined,
  run: (tx: AnySql, before: Webhook, account: Account) => Promise<unknown>,
): Promise<Webhook | undefined> {
  return await sql.begin(async (tx) => {
    const { account } = await lockAccount(tx, tenant);
    const before = await readWebhook(tx, tenant, webhookId);
    if (before === undefined) return undefined;
    await run(tx, before, account);
    const after = (await readWebhook(tx, tenant, webhookId)) ?? before;
    await alongside?.(tx, after, before);
    return after;
  });
}

/** A change retries at once what failed: it may have removed the cause. */
export function changeWebhook(
  sql: Sql,
  tenant: Tenant,
  webhookId: bigint,
  patch: WebhookPatch,
  alongside?: Alongside,
): Promise<Webhook | undefined> {
  const { bucket, customerId } = tenant;
  return changeRow(sql, tenant, webhookId, alongside, async (tx, before, account) => {
    const given = Object.entries(patch).filter(([, value]) => value !== undefined);
    const terms: WebhookTerms = { ...pickFields(WebhookFields, before), ...Object.fromEntries(given) };
    const disabling = before.status === 'active' ? tx`, disabled_at = now()` : tx``;
    await tx`
      update webhook set url = ${terms.url}, events = ${textArray(terms.events)}::text[], description = ${terms.description},
        status = ${terms.status}, masked = ${terms.masked}, updated_at = now()
        ${terms.url === before.url ? tx`` : tx`, verified_at = ${verifiedAtOf(tx, terms.url)}`}
        ${terms.status === 'active' ? tx`, disabled_reason = null, disabled_at = null` : disabling}
      where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`;
    await tx`
      update webhook_cursor set failures = 0, failing_since = null, next_try_at = null, due_at = ${dueOf(tx, terms.status)}
      where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`;
    await keepCursors(tx, account, webhookId, terms);
  });
}

/** The secret of now signs along until the time given. */
export function rotateSecret(
  sql: Sql,
  tenant: Tenant,
  webhookId: bigint,
  secret: { readonly sealed: Buffer; readonly oldUntil: Date },
  alongside?: Alongside,
): Promise<Webhook | undefined> {
  const { bucket, customerId } = tenant;
  return changeRow(
    sql,
    tenant,
    webhookId,
    alongside,
    (tx) => tx`
      update webhook set old_secret_sealed = secret_sealed, old_secret_until = ${secret.oldUntil},
        secret_sealed = ${secret.sealed}, updated_at = now()
      where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`,
  );
}

/**
 * Delivers all events since then again. Undelivered events are never skipped. One replay at a time: `replaying` while an earlier one is
 * under way.
 */
export async function replayWebhook(
  sql: Sql,
  tenant: Tenant,
  webhookId: bigint,
  from: Date,
  alongside?: Alongside,
): Promise<Webhook | 'replaying' | undefined> {
  const { bucket, customerId } = tenant;
  const refused = new Error('a replay is under way');
  return await changeRow(sql, tenant, webhookId, alongside, async (tx) => {
    const own = tx`bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`;
    const replaying = await tx`select 1 as one from webhook_cursor where ${own} and replay_until is not null limit 1`;
    if (replaying.length > 0) throw refused;
    const [entry] = await tx<{ seq: bigint | null }[]>`
      select min(seq) as seq from (
        select seq from ledger_entry
        where bucket = ${bucket} and customer_id = ${customerId} and created_at >= ${from} order by created_at limit 1000
      ) as entries`;
    const seqBefore = entry?.seq == null ? null : entry.seq - 1n;
    const start = tx`least(position, case when event = any(${textArray(LEDGER_EVENTS)}::text[]) then ${seqBefore}::bigint
      else ${firstIdAt(from) - 1n}::bigint end)`;
    // A message under way is not concluded any more: its token is gone.
    await tx`
      update webhook_cursor set position = ${start}, replay_until = case when ${start} < position then position end,
        message_end = null, failures = 0, failing_since = null, next_try_at = null, token = token + 1, lease_until = null
      where ${own}`;
    // A separate statement: Citus rejects now() inside a case.
    await tx`update webhook_cursor set due_at = now() where ${own} and due_at is distinct from 'infinity'`;
  }).catch((error: unknown) => {
    if (error === refused) return 'replaying';
    throw error;
  });
}

export function deleteWebhook(
  sql: Sql,
  tenant: Tenant,
  webhookId: bigint,
  alongside?: Alongside,
): Promise<Webhook | undefined> {
  const { bucket, customerId } = tenant;
  return changeRow(sql, tenant, webhookId, alongside, async (tx, _, account) => {
    await keepCursors(tx, account, webhookId, { events: [], status: 'disabled' });
    const own = tx`bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}`;
    await tx`delete from webhook_attempt where ${own}`;
    await tx`delete from webhook where ${own}`;
  });
}

/** One cursor for each event type, new ones from the head on. The ends of tasks are numbered while a cursor follows them. */
async function keepCursors(
  tx: AnySql,
  account: Account,
  webhookId: bigint,
  { events, status }: Pick<WebhookTerms, 'events' | 'status'>,
): Promise<void> {
  const { bucket, customerId } = account;
  await tx`
    delete from webhook_cursor
    where bucket = ${bucket} and customer_id = ${customerId} and webhook_id = ${webhookId}
      and event <> all(${textArray(events)}::text[])`;
  for (const event of events) {
    const position = followsLedger(event) ? account.entrySeq : account.recordId;
    await tx`
      insert into webhook_cursor (bucket, customer_id, webhook_id, event, position, due_at)
      values (${bucket}, ${customerId}, ${webhookId}, ${event}, ${position},
        ${status === 'active' ? tx`null` : dueOf(tx, status)})
      on conflict do nothing`;
  }
  const rows = await tx<{ event: WebhookEvent }[]>`
    select distinct event from webhook_cursor where bucket = ${bucket} and customer_id = ${customerId}`;
  await tx`
    update account set notifies_finished = ${rows.some(({ event }) => followsTasks(event))}, has_webhooks = ${rows.length > 0}
    where bucket = ${bucket} and customer_id = ${customerId}`;
}

/** In a statement that sets the URL. */
function verifiedAtOf(sql: AnySql, url: string): Condition {
  return needsVerification(url) ? sql`null` : sql`now()`;
}

/** Oldest first. A customer has a few. */
export async function readWebhooks(sql: AnySql, tenant: Tenant): Promise<Webhook[]> {
  return await selectWebhooks(sql, tenant, undefined);
}

export async function readWebhook(sql: AnySql, tenant: Tenant, webhookId: bigint): Promise<Webhook | undefined> {
  const [found] = await selectWebhooks(sql, tenant, webhookId);
  return found;
}

async function requireWebhook(tx: AnySql, tenant: Tenant, webhookId: bigint): Promise<Webhook> {
  const found = await readWebhook(tx, tenant, webhookId);
  if (found === undefined) throw new Error('the webhook was not stored');
  return found;
}

async function selectWebhooks(sql: AnySql, tenant: Tenant, webhookId: bigint | undefined): Promise<Webhook[]> {
  const { bucket, customerId } = tenant;
  const own = sql`bucket = ${bucket} and customer_id = ${customerId}
    ${webhookId === undefined ? sql`` : sql`and webhook_id = ${webhookId}`}`;
  const [rows, cursors] = await Promise.all([
    sql<Omit<Webhook, 'progress'>[]>`
      select webhook_id, url, events, description, status, masked, verified_at, disabled_reason, disabled_at, old_secret_until,
        created_at, updated_at
      from webhook where ${own} order by webhook_id`,
    sql<(Webhook['progress'][number] & { webhook_id: bigint })[]>`
      select webhook_id, event, failures, failing_since, next_try_at from webhook_cursor where ${own} order by event`,
  ]);
  return rows.map((row) => ({
    ...row,
    progress: cursors
      .filter((cursor) => cursor.webhook_id === row.webhook_id)
      .map(({ webhook_id: _, ...progress }) => progress),
  }));
}
