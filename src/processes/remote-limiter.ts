// The limiter of a worker. The primary has the token buckets; a worker draws slices from them, so that a request waits for the
// primary only when its slice is used up. No token exists twice: the limit holds exactly, whichever process a request reaches.

import type { Draw, Grant, RateLimiter } from '../http/limits/rate-limit.js';

/** Of the limit of one second: what one process may hold back from the others. */
const MAX_SLICE = 1 / 20;
/** A slice that is not used up by then is returned with the next draw. */
const SLICE_MS = 100;

interface Slice {
  tokens: number;
  /** How many tokens the last draw wanted. */
  size: number;
  endsAtMs: number;
  /** Without tokens, requests are refused until then. */
  emptyUntilMs: number;
  /** What the bucket held after the last draw. */
  remaining: number;
  drawing: Promise<void> | undefined;
}

/** `now` must not go backwards. */
export function createRemoteLimiter(
  draw: (key: string, perSecond: number, draw: Draw) => Promise<Grant>,
  now: () => number,
): RateLimiter {
  const slices = new Map<string, Slice>();

  const sliceOf = (key: string): Slice => {
    const known = slices.get(key);
    if (known !== undefined) return known;
    const slice = { tokens: 0, size: 0, endsAtMs: 0, emptyUntilMs: 0, remaining: 0, drawing: undefined };
    slices.set(key, slice);
    return slice;
  };
  const refill = async (key: string, perSecond: number, slice: Slice): Promise<void> => {
    const { tokens: returned } = slice;
    // Grows while slices are used up in time.
    const wanted = returned > 0 ? 1 : Math.max(1, Math.min(slice.size * 2, Math.floor(perSecond * MAX_SLICE)));
    Object.assign(slice, { tokens: 0, size: wanted });
    const { granted, remaining, waitMs } = await draw(key, perSecond, { wanted, returned });
    const nowMs = now();
    Object.assign(slice, { tokens: granted, remaining, endsAtMs: nowMs + SLICE_MS });
    if (granted === 0) slice.emptyUntilMs = nowMs + waitMs;
  };

  return {
    async take(key, perSecond) {
      const slice = sliceOf(key);
      for (;;) {
        const nowMs = now();
        if (slice.drawing === undefined && slice.tokens > 0 && nowMs < slice.endsAtMs) {
          slice.tokens -= 1;
          return { allowed: true, perSecond, remaining: slice.remaining + slice.tokens };
        }
        if (nowMs < slice.emptyUntilMs) return { allowed: false, perSecond, remaining: 0 };
        // Requests that arrive meanwhile wait for the same draw.
        slice.drawing ??= refill(key, perSecond, slice).finally(() => {
          slice.drawing = undefined;
        });
        await slice.drawing;
      }
    },
  };
}
