import { PostriderConnectionError, PostriderError } from './errors.js';

/** Time and chance, replaceable so that tests need neither. */
export interface Clock {
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep(delayMs, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, delayMs);
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};

export interface RetryPolicy {
  /** How often one call goes out at most, the first time included. 1 turns retries off. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A `Retry-After` longer than this is handed to the caller instead of being waited for. */
  readonly maxRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  firstDelayMs: 200,
  maxDelayMs: 10_000,
  maxRetryAfterMs: 60_000,
};

/**
 * How a call behaves when it is made twice. `repeatable` calls change nothing the second time. The others are repeated
 * only where the first one certainly did nothing.
 */
export type Repeat = 'repeatable' | 'once';

/** The service did not carry the request out: it said so itself, or the request never arrived. */
export function certainlyNotDone(error: unknown): boolean {
  if (error instanceof PostriderError) return error.fromService && error.status !== 500 && !error.isOutcomeUnknown;
  return error instanceof PostriderConnectionError && error.reason === 'unreachable';
}

function isTransient(error: unknown): boolean {
  if (error instanceof PostriderError) return error.status === 429 || error.status >= 500;
  return error instanceof PostriderConnectionError && error.reason !== 'unreadable';
}

/** How long to wait before trying again; null when trying again is of no use or not safe. */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  repeat: Repeat,
  policy: RetryPolicy,
  random: () => number,
): number | null {
  if (attempt >= policy.attempts || !isTransient(error)) return null;
  if (repeat === 'once' && !certainlyNotDone(error)) return null;
  // Jitter over the upper half: clients that failed together must not come back together.
  const ceilingMs = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  const backoffMs = ceilingMs * (0.5 + random() / 2);
  const askedMs = error instanceof PostriderError ? error.retryAfterMs : null;
  if (askedMs === null) return backoffMs;
  // Never earlier than requested, with jitter, so that clients do not all return at the same time.
  return askedMs > policy.maxRetryAfterMs ? null : askedMs + random() * Math.min(backoffMs, 500);
}
