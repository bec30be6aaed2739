// Limits the rate of a channel: a token bucket in parts per second. When the carrier throttles, the rate drops to what the carrier
// just accepted and climbs again from there, quickly up to the rate that was accepted before, slowly beyond it.
// `pace.ts` holds the state and its transitions.

import {
  addTokens,
  climb,
  countAnswer,
  createPace,
  isSampleComplete,
  judgeSample,
  refill,
  takeTokens,
} from './pace.js';

export interface Pacer {
  /** How many of `wanted` parts may be sent now. They count as sent. */
  take(wanted: number): number;
  /** Milliseconds until the next part may be sent. */
  delayMs(): number;
  /** The channel answered a part that was taken, or returned it unsent. Called once for each. */
  answered(isThrottled: boolean): void;
  /** These parts were taken and are not sent: they no longer count as sent. */
  refund(parts: number): void;
  /** The current limit in parts per second; undefined if there is none. */
  rate(): number | undefined;
}

export function createPacer(limit: number | undefined, now: () => number): Pacer {
  const pace = createPace(limit, now);

  const advance = (): void => {
    const at = now();
    climb(pace, at);
    refill(pace, at);
  };

  return {
    take(wanted) {
      advance();
      return takeTokens(pace, wanted);
    },
    delayMs() {
      advance();
      return pace.rate === undefined || pace.tokens >= 1 ? 0 : Math.ceil(((1 - pace.tokens) * 1000) / pace.rate);
    },
    answered(isThrottled) {
      const at = now();
      countAnswer(pace, isThrottled, at);
      if (isSampleComplete(pace, at)) judgeSample(pace, at);
    },
    refund(parts) {
      advance();
      addTokens(pace, parts);
    },
    rate: () => pace.rate,
  };
}
