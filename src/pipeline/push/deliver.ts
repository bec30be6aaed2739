// Delivers to one endpoint what there is of one kind of event, message after message, in order, until there is nothing more
// or a message does not arrive. Whatever ends it, a later run goes on from the row alone.

import type { WebhookEvent } from '../../domain/entities/webhook.js';
import { formatNo } from '../../domain/id.js';
import { followsLedger, messageIdOf, nextTry } from '../../domain/webhook.js';
import type { AnySql, Sql } from '../../store/connect.js';
import { recordAudit } from '../../store/operator/change.js';
import type { Sealer } from '../../store/seal.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { recordAttempt } from '../../store/webhook/webhook-attempt.js';
import {
  type Claim,
  claimMessage,
  concludeDelivery,
  concludeMessage,
  type DueCursor,
  disableWebhook,
  type Endpoint,
  passOver,
  postponeMessage,
  releaseClaim,
} from '../../store/webhook/webhook-cursor.js';
import { formatBody, openSecrets, signMessage } from './message.js';
import { ANSWER_TIMEOUT_MS, type Answer, type Poster } from './post.js';
import type { Sources, Told } from './sources.js';

export interface PushObserver {
  /** An attempt, and how long ago what it tells had happened. */
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
  /** Milliseconds since the epoch. Pauses and the three days are counted by it; leases go by the database's clock. */
  readonly now: () => number;
  readonly random: () => number;
}

/** A claim outlives the longest call. */
const LEASE_MS = ANSWER_TIMEOUT_MS + 5000;
/**
 * A position that is so far behind is worth a write, so that the next look need not begin there: an hour of the record log,
 * less where every look reads all ends of tasks since, or so many entries of the ledger.
 */
const FAR_RECORDS = 3_600_000n << 20n;
const FAR_ENDS = 5000n << 20n;
const FAR_ENTRIES = 500n;

function farOf(event: WebhookEvent): bigint {
  if (followsLedger(event)) return FAR_ENTRIES;
  return event === 'batch.finished' ? FAR_ENDS : FAR_RECORDS;
}

/** `told`: there is nothing more up to the head that was known at the beginning. `rest`: what is left waits for company. */
export type Run = 'told' | 'rest' | 'failed' | 'lost';

export interface StopSignals {
  /** No further message is begun. */
  readonly stop: AbortSignal;
  /** The call under way is cut off. */
  readonly cutOff: AbortSignal;
}

export async function deliver(deps: DeliverDeps, due: DueCursor, signals: StopSignals): Promise<Run> {
  let cursor = due;
  while (!signals.stop.aborted) {
    const until = cursor.messageEnd ?? cursor.head;
    const told = await deps.sources[cursor.event](cursor, { after: cursor.position, until });
    if (told === undefined && cursor.messageEnd === null) {
      if (until - cursor.position > farOf(cursor.event)) await passOver(deps.sql, cursor, until);
      return 'told';
    }
    // A stream of happenings is told in full messages: what is left over goes with what comes until the next look.
    if (cursor !== due && told?.hasRoom === true) return 'rest';
    const messageEnd = cursor.messageEnd ?? told?.last ?? until;
    const claim = await claimMessage(deps.sql, cursor, messageEnd, LEASE_MS);
    if (claim === undefined) return 'lost';
    const run = await deliverMessage(deps, cursor, claim, told, signals.cutOff);
    if (run !== 'told') return run;
    const rest = { messageEnd: null, failures: 0, failingSince: null } as const;
    cursor = { ...cursor, ...rest, position: messageEnd, token: claim.token };
  }
  return 'lost';
}

async function deliverMessage(
  deps: DeliverDeps,
  cursor: DueCursor,
  claim: Claim,
  told: Told | undefined,
  signal: AbortSignal,
): Promise<Run> {
  const { sql } = deps;
  // What it told is no longer kept: a month of history was dropped.
  if (told === undefined) return (await concludeMessage(sql, cursor, claim.token)) ? 'told' : 'lost';
  const at = new Date(deps.now());
  const id = messageIdOf(formatNo('W', cursor.webhookId), cursor.event, claim.messageNo);
  const answer = await call(deps, cursor, claim.endpoint, { id, at, told }, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return undefined;
  });
  if (answer === undefined) {
    await releaseClaim(sql, cursor, claim.token);
    return 'lost';
  }
  const isDelivered = answer.error === null;
  deps.observer.attempt(cursor.event, isDelivered ? 'delivered' : 'failed', deps.now() - told.at.getTime());
  const { status, error, latencyMs } = answer;
  const attempt = { event: cursor.event, message_id: id, items: told.items, at, status, error, latency_ms: latencyMs };
  if (isDelivered) return (await concludeDelivery(sql, cursor, claim.token, attempt)) ? 'told' : 'lost';
  const isHeld = await sql.begin(async (tx) => {
    await recordAttempt(tx, cursor, cursor.webhookId, attempt);
    return await takeFailure(deps, tx, cursor, claim, answer);
  });
  return isHeld ? 'failed' : 'lost';
}

function call(
  { poster, sealer }: DeliverDeps,
  { customerId, webhookId, event }: DueCursor,
  endpoint: Endpoint,
  { id, at, told }: { readonly id: string; readonly at: Date; readonly told: Told },
  signal: AbortSignal,
): Promise<Answer> {
  const body = formatBody(event, told.at, told.data);
  const secrets = openSecrets(sealer, customerId, webhookId, endpoint, at);
  return poster.post(endpoint.url, signMessage(secrets, { id, body, at }), body, signal);
}

/** A pause, or the end. False when the claim was lost meanwhile. */
async function takeFailure(
  deps: DeliverDeps,
  tx: AnySql,
  cursor: DueCursor,
  { token }: Claim,
  answer: Answer,
): Promise<boolean> {
  const nowMs = deps.now();
  const failures = cursor.failures + 1;
  const failingSince = cursor.failingSince ?? new Date(nowMs);
  const next = answer.status === 410 ? 'give up' : nextTry(failures, failingSince.getTime(), nowMs, deps.random);
  const nextTryAt = next === 'give up' ? null : new Date(next);
  if (!(await postponeMessage(tx, cursor, token, { failures, failingSince, nextTryAt }))) return false;
  if (next !== 'give up') return true;
  const reason =
    answer.status === 410
      ? 'It answered 410: the endpoint is gone.'
      : `Calls have failed since ${failingSince.toISOString()}; the last one because ${answer.error}.`;
  if (await disableWebhook(tx, cursor, cursor.webhookId, reason, new Date(nowMs))) {
    deps.observer.disabled();
    const customerNo = deps.snapshot().customer(cursor.customerId)?.customerNo;
    const change = { customer_no: customerNo ?? null, event: cursor.event, reason };
    const subject = formatNo('W', cursor.webhookId);
    await recordAudit(tx, 'postrider', { action: 'webhook.disable', subject, change });
  }
  return true;
}
