// Delivers the events of one type to one endpoint, message by message, in order, until there are no more, the run has lasted long
// enough, or a message fails. A later run continues from the row of the cursor.

import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEvent } from '../../domain/entities/webhook-events.js';
import { formatNo } from '../../domain/id.js';
import { messageIdOf, nextTry } from '../../domain/webhook.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { lockAccount } from '../../store/money/account.js';
import { recordAudit } from '../../store/operator/change.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import { type Attempt, recordAttempt } from '../../store/webhook/webhook-attempt.js';
import {
  type Claim,
  claimMessage,
  concludeDelivery,
  concludeMessage,
  type DueCursor,
  disableWebhook,
  type Endpoint,
  markVerified,
  postponeMessage,
  releaseClaim,
} from '../../store/webhook/webhook-cursor.js';
import { type Retirement, retireCursor } from '../../store/webhook/webhook-due.js';
import { describeAttempt, formatEvents, formatTestBody, openSecrets, signMessage } from './message.js';
import { ANSWER_TIMEOUT_MS, type Answer, type Poster } from './post.js';
import type { EventBatch, Sources } from './sources.js';

export interface PushObserver {
  /** An attempt, and the age of its newest event. */
  attempt(event: WebhookEvent, outcome: 'delivered' | 'failed', lagMs: number): void;
  disabled(): void;
}

export interface DeliverDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly sealer: Sealer;
  readonly sources: Sources;
  readonly poster: Poster;
  readonly observer: PushObserver;
  /** Milliseconds since the epoch. For backoff and the three days; leases use the database's clock. */
  readonly now: () => number;
  readonly random: () => number;
}

/** Longer than the longest call. */
const LEASE_MS = ANSWER_TIMEOUT_MS + 5000;
/** The length of a run: then another cursor is served. */
const MAX_RUN_MESSAGES = 20;
const MAX_RUN_MS = 5000;
/** Pause between the messages of a replay, which is not urgent. */
const REPLAY_PAUSE_MS = 500;

/**
 * `done`: everything is delivered, and the cursor is not due. `more`: it is still due. `busy`: everything is delivered, and the cursor
 * stays due until its account is not locked. `failed`: retried later. `lost`: another process has it, or this one stops.
 */
export type Run = 'done' | 'more' | 'busy' | 'failed' | 'lost';

const RUN_AFTER = { retired: 'done', grown: 'more', busy: 'busy' } as const satisfies Record<Retirement, Run>;

export interface StopSignals {
  /** No further message is started. */
  readonly stop: AbortSignal;
  /** Aborts the current call. */
  readonly cutOff: AbortSignal;
}

interface RoutedDeps extends DeliverDeps {
  /** For transactions that also write the audit log, which is on the coordinator. */
  readonly coordinator: Sql;
}

export async function deliver(shared: DeliverDeps, due: DueCursor, signals: StopSignals): Promise<Run> {
  const deps: RoutedDeps = { ...shared, sql: bucketSql(shared.sql, due.bucket), coordinator: shared.sql };
  const endMs = performance.now() + MAX_RUN_MS;
  let cursor = due;
  for (let sent = 0; !signals.stop.aborted; sent += 1) {
    if (sent >= MAX_RUN_MESSAGES || performance.now() > endMs) return 'more';
    const until = cursor.messageEnd ?? cursor.head;
    const batch = await deps.sources[cursor.event](cursor, { after: cursor.position, until });
    if (batch === undefined && cursor.messageEnd === null) return RUN_AFTER[await retireCursor(deps.sql, cursor)];
    // A stream of events is sent in full messages: the rest waits for the next poll.
    if (cursor !== due && batch?.hasRoom === true) return 'more';
    const messageEnd = cursor.messageEnd ?? batch?.last ?? until;
    const claim = await claimMessage(deps.sql, cursor, messageEnd, LEASE_MS);
    if (claim === undefined) return 'lost';
    const isVerified = claim.endpoint.verifiedAt !== null;
    const run = await (isVerified
      ? deliverMessage(deps, cursor, { ...claim, messageEnd }, batch, signals.cutOff)
      : verifyEndpoint(deps, cursor, claim, signals.cutOff));
    if (run !== 'done' || !isVerified) return run === 'done' ? 'more' : run;
    const rest = { messageEnd: null, failures: 0, failingSince: null } as const;
    cursor = { ...cursor, ...rest, position: messageEnd, token: claim.token };
    const isReplay = cursor.replayUntil !== null && messageEnd < cursor.replayUntil;
    if (isReplay) await sleep(REPLAY_PAUSE_MS, undefined, { signal: signals.stop }).catch(() => undefined);
  }
  return 'lost';
}

interface Sending {
  readonly id: string;
  readonly at: Date;
  readonly body: Buffer;
}

/** Sends a signed test message. After a 2xx answer, the message of the claim is sent under the next claim. */
async function verifyEndpoint(deps: RoutedDeps, cursor: DueCursor, claim: Claim, signal: AbortSignal): Promise<Run> {
  const { webhookId, event } = cursor;
  const at = new Date(deps.now());
  const webhookNo = formatNo('W', webhookId);
  const id = messageIdOf(webhookNo, `test_${event}`, claim.messageNo);
  const sending = { id, at, body: formatTestBody(webhookNo, at) };
  const answer = await call(deps, cursor, claim.endpoint, sending, signal);
  if (answer?.error === null) await markVerified(deps.sql, cursor, webhookId, claim.endpoint.url);
  if (answer === undefined || answer.error === null) {
    await releaseClaim(deps.sql, cursor, claim.token);
    return answer === undefined ? 'lost' : 'done';
  }
  return await takeFailure(deps, cursor, claim, answer, describeAttempt('test', 0, sending, answer));
}

async function deliverMessage(
  deps: RoutedDeps,
  cursor: DueCursor,
  claim: Claim & { readonly messageEnd: bigint },
  batch: EventBatch | undefined,
  signal: AbortSignal,
): Promise<Run> {
  const { sql } = deps;
  // Its events are deleted: a month of history was dropped.
  if (batch === undefined) return (await concludeMessage(sql, cursor, claim.token)) ? 'done' : 'lost';
  const at = new Date(deps.now());
  const id = messageIdOf(formatNo('W', cursor.webhookId), cursor.event, claim.messageNo);
  const sending = { id, at, body: formatEvents(cursor.event, batch, claim.endpoint) };
  const answer = await call(deps, cursor, claim.endpoint, sending, signal);
  if (answer === undefined) {
    await releaseClaim(sql, cursor, claim.token);
    return 'lost';
  }
  const isDelivered = answer.error === null;
  deps.observer.attempt(cursor.event, isDelivered ? 'delivered' : 'failed', deps.now() - batch.at.getTime());
  const span = { after: cursor.position, until: claim.messageEnd };
  const attempt = describeAttempt(cursor.event, batch.items, sending, answer, span);
  if (isDelivered) return (await concludeDelivery(sql, cursor, claim.token, attempt)) ? 'done' : 'lost';
  return await takeFailure(deps, cursor, claim, answer, attempt);
}

/** Undefined if the call was aborted. */
async function call(
  { poster, sealer }: DeliverDeps,
  { customerId, webhookId }: DueCursor,
  endpoint: Endpoint,
  { id, at, body }: Sending,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const secrets = openSecrets(sealer, customerId, webhookId, endpoint, at);
  try {
    return await poster.post(endpoint.url, signMessage(secrets, { id, body, at }), body, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Schedules a retry with backoff, or disables the endpoint. */
async function takeFailure(
  deps: RoutedDeps,
  cursor: DueCursor,
  { token }: Claim,
  answer: Answer,
  attempt: Attempt,
): Promise<Run> {
  const nowMs = deps.now();
  const failures = cursor.failures + 1;
  const failingSince = cursor.failingSince ?? new Date(nowMs);
  const next = answer.status === 410 ? 'give up' : nextTry(failures, failingSince.getTime(), nowMs, deps.random);
  const nextTryAt = next === 'give up' ? null : new Date(next);
  const sql = next === 'give up' ? deps.coordinator : deps.sql;
  return await sql.begin(async (tx) => {
    // Disabling changes all cursors of the endpoint, and recording events marks them under this lock.
    if (next === 'give up') await lockAccount(tx, cursor);
    await recordAttempt(tx, cursor, cursor.webhookId, attempt);
    if (!(await postponeMessage(tx, cursor, token, { failures, failingSince, nextTryAt }))) return 'lost';
    if (next === 'give up') await giveUp(deps, tx, cursor, explainEnd(answer, failingSince), new Date(nowMs));
    return 'failed';
  });
}

function explainEnd({ status, error }: Answer, failingSince: Date): string {
  if (status === 410) return 'It answered 410: the endpoint is gone.';
  return `Calls have failed since ${failingSince.toISOString()}; the last one because ${error}.`;
}

async function giveUp(deps: DeliverDeps, tx: AnySql, cursor: DueCursor, reason: string, now: Date): Promise<void> {
  if (!(await disableWebhook(tx, cursor, cursor.webhookId, reason, now))) return;
  deps.observer.disabled();
  const customerNo = deps.snapshot().customer(cursor.customerId)?.customerNo;
  const change = { customer_no: customerNo ?? null, event: cursor.event, reason };
  const subject = formatNo('W', cursor.webhookId);
  await recordAudit(tx, 'postrider', { action: 'webhook.disable', subject, change });
}
