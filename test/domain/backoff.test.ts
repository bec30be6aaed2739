import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs } from '../../src/domain/backoff.js';

const BACKOFFS = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 10_000_000 }))
  .map(([firstMs, more]) => ({ firstMs, mostMs: firstMs + more }));

it('a pause doubles with each failure, from the first to the longest', () => {
  fc.assert(
    fc.property(BACKOFFS, fc.integer({ min: 1, max: 5_000 }), (backoff, failures) => {
      const pauseMs = backoffMs(failures, backoff);
      expect(backoffMs(1, backoff)).toBe(backoff.firstMs);
      expect(backoffMs(failures + 1, backoff)).toBe(Math.min(backoff.mostMs, pauseMs * 2));
      expect(backoffMs(5_000, backoff)).toBe(backoff.mostMs);
    }),
  );
});

it('half of a pause is random where asked for', () => {
  const anyShare = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(BACKOFFS, fc.integer({ min: 1, max: 100 }), anyShare, (backoff, failures, share) => {
      const fullMs = backoffMs(failures, backoff);
      const pauseMs = backoffMs(failures, backoff, () => share);
      expect(Math.abs(pauseMs - (fullMs + fullMs * share) / 2)).toBeLessThanOrEqual(0.5);
    }),
  );
});

it('before any failure it is the first pause', () => {
  expect(backoffMs(0, { firstMs: 500, mostMs: 30_000 })).toBe(500);
});
