import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../src/domain/duration.js';

describe('a duration', () => {
  test.each([
    ['1500ms', 1_500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['72h', 259_200_000],
    ['3d', 259_200_000],
  ])('%s is %i ms', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  test.each(['', '0s', '3', '1.5h', '-1s', '3 d', '3w', '1h30m'])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
