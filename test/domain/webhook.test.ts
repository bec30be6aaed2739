import { expect, it } from 'vitest';
import { nextTry } from '../../src/domain/webhook.js';

const HOUR_MS = 3_600_000;

it.each([0, 0.5, 0.999])(
  'a message is tried from 5 s to 6 h apart, for three days to the millisecond (chance %s)',
  (chance) => {
    let nowMs = 0;
    const pauses: number[] = [];
    for (let failures = 1; ; failures++) {
      const next = nextTry(failures, 0, nowMs, () => chance);
      if (next === 'give up') break;
      pauses.push(next - nowMs);
      nowMs = next;
    }
    expect(nowMs).toBe(72 * HOUR_MS);
    expect(pauses[0]).toBeGreaterThanOrEqual(5000);
    expect(pauses[0]).toBeLessThanOrEqual(6000);
    expect(Math.max(...pauses)).toBe(6 * HOUR_MS);
    expect(pauses.slice(0, -1)).toEqual(pauses.slice(0, -1).sort((a, b) => a - b));
  },
);
