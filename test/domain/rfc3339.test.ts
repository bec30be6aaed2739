import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTime } from '../../src/domain/rfc3339.js';

it('times are written as the language writes them', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.date({ noInvalidDate: true }),
        fc.integer({ min: 0, max: 2 ** 41 }).map((ms) => new Date(ms)),
      ),
      (time) => {
        expect(formatTime(time)).toBe(time.toISOString());
      },
    ),
    { numRuns: 3000 },
  );
  expect(() => formatTime(new Date(Number.NaN))).toThrow(RangeError);
});
