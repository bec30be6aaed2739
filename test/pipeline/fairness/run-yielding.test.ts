// A long computation inside a transaction leaves the event loop after each slice.

import { expect, test } from 'vitest';
import { runYielding } from '../../../src/pipeline/fairness/run-yielding.js';

/** Counts the steps, and the most in one tick of the event loop. */
function countSteps(total: number) {
  const counted = { steps: 0, longest: 0 };
  let current = 0;
  const watch = (): void => {
    current = 0;
    if (counted.steps < total) setImmediate(watch);
  };
  setImmediate(watch);
  function* run(): Generator<undefined, string, undefined> {
    while (counted.steps < total) {
      counted.steps += 1;
      current += 1;
      counted.longest = Math.max(counted.longest, current);
      yield;
    }
    return 'done';
  }
  return { counted, steps: run() };
}

test('it yields to other work after two milliseconds of steps', async () => {
  let nowMs = 0;
  const { counted, steps } = countSteps(1000);
  // Each look at the clock is half a millisecond later.
  expect(await runYielding(steps, () => (nowMs += 0.5))).toBe('done');
  expect(counted.steps).toBe(1000);
  expect(counted.longest).toBeLessThanOrEqual(5);
});

test('a short computation does not yield', async () => {
  const { counted, steps } = countSteps(10);
  expect(await runYielding(steps, () => 0)).toBe('done');
  expect(counted).toEqual({ steps: 10, longest: 10 });
});

test('an error of the computation is passed on', async () => {
  function* fail(): Generator<undefined, never, undefined> {
    yield;
    throw new Error('broken');
  }
  await expect(runYielding(fail())).rejects.toThrow('broken');
});
