// How fast a channel may go: a token bucket in parts per second, whose rate falls when the upstream says "slower" and climbs
// back step by step (additive increase, multiplicative decrease). It falls by half of the share that was throttled: by half
// when everything was, hardly when an upstream turns single parts away at any speed.

export interface Pacer {
  /** How many of `wanted` parts may go now; they count as gone. */
  take(wanted: number): number;
  /** How long until a part may go. */
  delayMs(): number;
  /** The upstream throttled a part. */
  slowDown(): void;
  /** The present limit in parts per second; undefined when there is none. */
  rate(): number | undefined;
}

/** Throttled answers within this time are one signal, weighed by their share of what was sent in it. */
const SIGNAL_INTERVAL_MS = 200;
/** What was sent in less time says little of the rate. */
const MIN_OBSERVED_MS = 100;
const CLIMB_INTERVAL_MS = 100;
/** How much of the rate before the last throttling is won back per climb. */
const CLIMB_SHARE = 0.05;
const MIN_RATE = 1;
/** The bucket holds this much of a second, at least one part. */
const BURST_SECONDS = 0.1;

export function makePacer(limit: number | undefined, now: () => number): Pacer {
  let rate = limit;
  let step = 0;
  let tokens = 1;
  let filledAt = now();
  let climbedAt = 0;
  let slowedAt = Number.NEGATIVE_INFINITY;
  let countedSince = now();
  let counted = 0;
  let throttled = 0;
  let takenSinceSignal = 0;

  const refill = (): void => {
    const at = now();
    climb(at);
    if (rate !== undefined)
      tokens = Math.min(Math.max(1, rate * BURST_SECONDS), tokens + ((at - filledAt) * rate) / 1000);
    filledAt = at;
    if (at - countedSince > 2000) {
      countedSince = at - 1000;
      counted /= 2;
    }
  };

  const climb = (at: number): void => {
    if (rate === undefined || step === 0) return;
    const climbs = Math.floor((at - climbedAt) / CLIMB_INTERVAL_MS);
    if (climbs <= 0) return;
    climbedAt += climbs * CLIMB_INTERVAL_MS;
    rate += climbs * step;
    if (limit !== undefined && rate >= limit) {
      rate = limit;
      step = 0;
    }
  };

  return {
    take(wanted) {
      refill();
      if (rate === undefined) {
        counted += wanted;
        takenSinceSignal += wanted;
        return wanted;
      }
      const taken = Math.min(wanted, Math.floor(tokens));
      tokens -= taken;
      counted += taken;
      takenSinceSignal += taken;
      return taken;
    },
    delayMs() {
      refill();
      return rate === undefined || tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / rate);
    },
    slowDown() {
      const at = now();
      throttled += 1;
      if (at - slowedAt < SIGNAL_INTERVAL_MS) return;
      slowedAt = at;
      const share = Math.min(1, throttled / Math.max(1, takenSinceSignal));
      throttled = 0;
      takenSinceSignal = 0;
      const observed = (counted * 1000) / Math.max(MIN_OBSERVED_MS, at - countedSince);
      // What was observed lags behind a rate that climbs; far above it the rate means nothing.
      const before = rate === undefined ? observed : Math.min(rate, Math.max(MIN_RATE, 2 * observed));
      rate = Math.max(MIN_RATE, before * (1 - share / 2));
      step = Math.max(MIN_RATE, before * CLIMB_SHARE);
      climbedAt = at;
      tokens *= 1 - share;
      filledAt = at;
    },
    rate: () => rate,
  };
}
