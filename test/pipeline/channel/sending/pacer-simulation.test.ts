// The pacer against upstreams that throttle in different ways, on a simulated clock: what gets through a second.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPacer } from '../../../../src/pipeline/channel/sending/pacer.js';

interface Upstream {
  /** Whether a part that arrives now is accepted. */
  accepts(nowMs: number): boolean;
}

/** mulberry32: a failed run is the same the next time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function throttleAbove(perSecond: number, burst: number): Upstream {
  let tokens = burst;
  let filledAt = 0;
  return {
    accepts(nowMs) {
      tokens = Math.min(burst, tokens + ((nowMs - filledAt) * perSecond) / 1000);
      filledAt = nowMs;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

/** So many in each second of the clock, and then none until the next. */
function throttleBySecond(perSecond: number): Upstream {
  let second = -1;
  let accepted = 0;
  return {
    accepts(nowMs) {
      if (Math.floor(nowMs / 1000) !== second) accepted = 0;
      second = Math.floor(nowMs / 1000);
      accepted += 1;
      return accepted <= perSecond;
    },
  };
}

function throttleShare(share: number, seed: number): Upstream {
  const random = createRandom(seed);
  return { accepts: () => random() >= share };
}

function both(...upstreams: Upstream[]): Upstream {
  return { accepts: (nowMs) => upstreams.every((each) => each.accepts(nowMs)) };
}

interface Run {
  readonly latencyMs: number;
  readonly window?: number;
  readonly limit?: number;
  readonly seconds?: number;
}

/** Sends as fast as pacer and window allow; the accepted and the throttled of each second. */
function simulate(upstream: Upstream, { latencyMs, window = 100, limit, seconds = 40 }: Run) {
  let nowMs = 0;
  const pacer = createPacer(limit, () => nowMs);
  const inFlight: { at: number; isAccepted: boolean }[] = [];
  const accepted: number[] = new Array(seconds).fill(0);
  const throttled: number[] = new Array(seconds).fill(0);
  let head = 0;
  for (; nowMs < seconds * 1000; nowMs += 1) {
    for (; head < inFlight.length && (inFlight[head]?.at ?? 0) <= nowMs; head += 1) {
      const isAccepted = inFlight[head]?.isAccepted ?? false;
      const counts = isAccepted ? accepted : throttled;
      counts[Math.floor(nowMs / 1000)] = (counts[Math.floor(nowMs / 1000)] ?? 0) + 1;
      pacer.answered(!isAccepted);
    }
    const taken = pacer.take(window - (inFlight.length - head));
    for (let part = 0; part < taken; part += 1)
      inFlight.push({ at: nowMs + latencyMs, isAccepted: upstream.accepts(nowMs) });
  }
  const average = (counts: readonly number[], from: number, to = seconds) =>
    counts.slice(from, to).reduce((sum, count) => sum + count, 0) / (to - from);
  return { accepted, throttled, average };
}

const LATENCIES = [5, 50, 300];
const SEEDS = [1, 2, 3];

describe.each(LATENCIES)('with answers after %i ms', (latencyMs) => {
  const possible = Math.min(1000 / latencyMs, 1000) * 100;

  it.each([undefined, 1000])('an upstream that throttles above 200/s is used at 190/s at least (limit %s)', (limit) => {
    for (const upstream of [throttleAbove(200, 20), throttleAbove(200, 5), throttleBySecond(200)]) {
      const { accepted, throttled, average } = simulate(upstream, { latencyMs, ...(limit && { limit }) });
      expect(average(accepted, 5)).toBeGreaterThanOrEqual(190);
      expect(average(throttled, 5)).toBeLessThan(30);
    }
  });

  it.each(SEEDS)('a random quarter that is throttled costs little more than that quarter (seed %i)', (seed) => {
    const { accepted, average } = simulate(throttleShare(0.25, seed), { latencyMs });
    expect(average(accepted, 3)).toBeGreaterThan(0.8 * 0.75 * possible);
    const limited = simulate(throttleShare(0.25, seed), { latencyMs, limit: 200 });
    expect(limited.average(limited.accepted, 3)).toBeGreaterThan(0.8 * 0.75 * 200);
  });

  it.each(SEEDS)('an upstream that does both is still used (seed %i)', (seed) => {
    const upstream = both(throttleShare(0.1, seed), throttleAbove(200, 20));
    const { accepted, average } = simulate(upstream, { latencyMs });
    expect(average(accepted, 5)).toBeGreaterThan(60);
  });

  it('an upstream that takes nothing for a while is left in peace, and used again soon after', () => {
    const outage: Upstream = { accepts: (nowMs) => nowMs < 10_000 || nowMs >= 20_000 };
    const upstream = both(throttleAbove(500, 50), outage);
    const { accepted, throttled, average } = simulate(upstream, { latencyMs });
    expect(average(throttled, 15, 20)).toBeLessThan(5);
    expect(average(accepted, 25)).toBeGreaterThan(0.9 * Math.min(500, possible));
  });
});

describe('any carrier', () => {
  /** The rate at which parts could be accepted at best, and the carrier. */
  const carriers = fc.record({
    perSecond: fc.integer({ min: 50, max: 1500 }),
    burstSeconds: fc.double({ min: 0.02, max: 0.2, noNaN: true }),
    bySecond: fc.boolean(),
    throttledShare: fc.constantFrom(0, 0, 0.1, 0.25),
    latencyMs: fc.integer({ min: 5, max: 300 }),
    window: fc.integer({ min: 20, max: 150 }),
    limit: fc.option(fc.integer({ min: 100, max: 3000 }), { nil: undefined }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });

  it('is used, is not flooded, and is used again soon after it took nothing for a while', () => {
    fc.assert(
      fc.property(carriers, fc.integer({ min: 1, max: 10 }), (carrier, outageSeconds) => {
        const { perSecond, throttledShare, latencyMs, window, limit, seed } = carrier;
        const [outageFrom, outageTo] = [30, 30 + outageSeconds];
        const limited = carrier.bySecond
          ? throttleBySecond(perSecond)
          : throttleAbove(perSecond, Math.max(2, perSecond * carrier.burstSeconds));
        const outage: Upstream = { accepts: (nowMs) => nowMs < outageFrom * 1000 || nowMs >= outageTo * 1000 };
        const upstream = both(throttleShare(throttledShare, seed), limited, outage);
        const { accepted, throttled, average } = simulate(upstream, {
          latencyMs,
          window,
          seconds: outageTo + 30,
          ...(limit && { limit }),
        });
        const possible = Math.min(
          perSecond,
          (1 - throttledShare) * Math.min((window * 1000) / latencyMs, limit ?? 1e9),
        );
        for (const [from, to] of [
          [10, outageFrom],
          [outageTo + 10, outageTo + 30],
        ] as const) {
          expect(average(accepted, from, to)).toBeGreaterThan(0.3 * possible);
          expect(average(throttled, from, to)).toBeLessThan(1.5 * average(accepted, from, to));
        }
      }),
      { numRuns: 60 },
    );
  });
});
