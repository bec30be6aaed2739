// How many parts a channel accepts: what fits on the wire, and what is sent during two commits.

import { expect, test } from 'vitest';
import { createAcceptedWindow } from '../../src/channels/accepted-window.js';

const sizeAt = (latencyMs: number, window = 16): number => {
  const accepted = createAcceptedWindow(window, 5 * window);
  accepted.answered(latencyMs);
  return accepted.size();
};

test('a carrier that answers at once gets five windows, one that answers late little more than one', () => {
  expect([0, 1, 25, 50, 100, 500, 2_000].map((ms) => sizeAt(ms))).toEqual([80, 80, 80, 48, 32, 20, 17]);
});

test('before the first answer no part waits that does not fit on the wire', () => {
  expect(createAcceptedWindow(16, 80).size()).toBe(16);
});

test('the window of a carrier stays full while the commits of a part take 100 ms together, however late it answers', () => {
  for (const latencyMs of [5, 30, 100, 400, 3_000]) {
    for (const window of [1, 10, 100]) {
      // Little's law: so many parts are under way at full speed, from the intent to the recorded answer.
      const underWay = (window / latencyMs) * (latencyMs + 100);
      expect(sizeAt(latencyMs, window)).toBeGreaterThanOrEqual(Math.min(5 * window, underWay));
    }
  }
});

test('it follows the mean of the answers, not one of them', () => {
  const accepted = createAcceptedWindow(10, 50);
  for (let count = 0; count < 100; count++) accepted.answered(10);
  accepted.answered(500);
  expect(accepted.size()).toBeGreaterThan(30);
  for (let count = 0; count < 100; count++) accepted.answered(500);
  expect(accepted.size()).toBe(13);
});
