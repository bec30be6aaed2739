// The rules of push: how long to pause after a failure, when to give an endpoint up, and how a message is named.

import type { WebhookEvent } from './entities/webhook.js';

export const MAX_WEBHOOKS = 10;
/** So many receipts or uplinks go in one call. */
export const MAX_ITEMS = 500;
/** The old secret signs along for so long after a rotation. */
export const ROTATION_MS = 24 * 3_600_000;
export const SECRET_BYTES = 32;
export const MAX_ATTEMPTS_KEPT = 100;

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 6 * 3_600_000;
/** Up to this share is added by chance, so that endpoints that failed together do not come back together. */
const JITTER = 0.2;
const GIVE_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** When to try again after so many failures in a row, or `give up`. The last try comes when the three days are over. */
export function nextTry(
  failures: number,
  failingSinceMs: number,
  nowMs: number,
  random: () => number,
): number | 'give up' {
  const endMs = failingSinceMs + GIVE_UP_AFTER_MS;
  if (nowMs >= endMs) return 'give up';
  const pauseMs = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 30) * (1 + JITTER * random());
  return Math.min(nowMs + Math.min(pauseMs, LONGEST_PAUSE_MS), endMs);
}

/** Stays the same over the tries of a message, and never comes again for another one. */
export function messageIdOf(
  webhookNo: string,
  event: WebhookEvent | `test_${WebhookEvent}`,
  messageNo: bigint,
): string {
  return `msg_${webhookNo}_${event.replace('.', '_')}_${messageNo}`;
}

/** Kinds of event whose position is a number of the ledger; the others follow the record log. */
export function followsLedger(event: WebhookEvent): boolean {
  return event === 'account.low';
}

/** Kinds of event that are known from the ends of tasks, which are numbered only for whom they are told. */
export function followsTasks(event: WebhookEvent): boolean {
  return event === 'task.finished' || event === 'batch.finished';
}

/**
 * Whether an endpoint must answer a test message before it gets events, so that no customer points the service at a stranger.
 * A loopback address in figures is this machine, and may be set only where the operator allows it.
 */
export function needsVerification(url: string): boolean {
  const { hostname } = new URL(url);
  return !(/^127(\.\d+){3}$/.test(hostname) || hostname === '[::1]');
}
