// The rules of push: backoff after a failure, when to disable an endpoint, and the ids of messages.

import { backoffMs } from './backoff.js';
import type { WebhookEvent } from './entities/webhook-events.js';

export const MAX_WEBHOOKS = 10;
/** Receipts or uplinks in one call. */
export const MAX_ITEMS = 500;
/** How long the old secret signs, too, after a rotation. */
export const ROTATION_MS = 24 * 3_600_000;
export const SECRET_BYTES = 32;
export const MAX_ATTEMPTS_KEPT = 100;

const PAUSE = { firstMs: 5000, mostMs: 6 * 3_600_000 };
/** Jitter, so that endpoints that failed together are not retried together. */
const JITTER = 0.2;
const GIVE_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** When to retry after this many consecutive failures, or `give up`. The last retry is at the end of the three days. */
export function nextTry(
  failures: number,
  failingSinceMs: number,
  nowMs: number,
  random: () => number,
): number | 'give up' {
  const endMs = failingSinceMs + GIVE_UP_AFTER_MS;
  if (nowMs >= endMs) return 'give up';
  const pauseMs = backoffMs(failures, PAUSE) * (1 + JITTER * random());
  return Math.min(nowMs + Math.min(pauseMs, PAUSE.mostMs), endMs);
}

/** The same for all attempts at a message, and unique. */
export function messageIdOf(
  webhookNo: string,
  event: WebhookEvent | `test_${WebhookEvent}`,
  messageNo: bigint,
): string {
  return `msg_${webhookNo}_${event.replace('.', '_')}_${messageNo}`;
}

/**
 * Whether an endpoint must answer a test message before it gets events, so that no customer can direct events at a third party. A
 * numeric loopback address is this machine, which needs the operator's permission anyway.
 */
export function needsVerification(url: string): boolean {
  const { hostname } = new URL(url);
  return !(/^127(\.\d+){3}$/.test(hostname) || hostname === '[::1]');
}
