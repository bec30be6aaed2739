// The bound on what a crash would leave unknown: a window between intent and recorded answer, and whose parts those are.

import { expect, test } from 'vitest';
import { asCustomerId } from '../../../../src/domain/id.js';
import type { Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createWindow } from '../../../../src/pipeline/channel/parts/window.js';

const partsOf = (customer: bigint, count: number, bucket = 0) =>
  Array.from(
    { length: count },
    () => ({ position: { chunk: { customerId: asCustomerId(customer), queueNo: 1n, bucket } } }) as Sendable,
  );

test('there is room for a window, less what is between intent and recorded answer', () => {
  const window = createWindow(10);
  const parts = partsOf(1n, 7);
  window.take(parts);
  expect(window.free(0)).toBe(3);
  window.release(parts.slice(0, 5));
  expect(window.free(0)).toBe(8);
});

test('answers on their way into the database make room for their own bucket, once each', () => {
  const window = createWindow(10);
  const [answered, ...others] = partsOf(1n, 10, 2);
  if (answered === undefined) throw new Error('no part');
  window.take([answered, ...others]);
  window.reuseAfterCommit([answered]);
  expect([window.free(2), window.free(3), window.free(undefined)]).toEqual([1, 0, 0]);
  // After it is recorded, its place is free for all buckets.
  window.release([answered]);
  expect([window.free(2), window.free(3), window.free(undefined)]).toEqual([1, 1, 1]);
});

test('of a large window a little is kept for newcomers, and no more than the window is ever taken together', () => {
  const window = createWindow(100);
  const [few, many] = [partsOf(1n, 2), partsOf(2n, 98)];
  expect([window.size, window.free(0), window.freeForNewcomers()]).toEqual([98, 98, 2]);
  window.take(many);
  window.takeForNewcomers(few);
  expect([window.free(0), window.freeForNewcomers()]).toEqual([0, 0]);
  // Its intent does not wait for the answer of another: no answer is room before it is recorded.
  window.reuseAfterCommit(few);
  expect([window.free(0), window.freeForNewcomers()]).toEqual([0, 0]);
  window.release(few);
  expect([window.free(0), window.freeForNewcomers()]).toEqual([0, 2]);
  // A window of ten has nothing to spare.
  expect([createWindow(10).free(0), createWindow(10).freeForNewcomers()]).toEqual([10, 0]);
});

test('a customer is idle when none of its parts has a place, and the window is empty when no part has one', async () => {
  const window = createWindow(100);
  await window.empty();
  window.take(partsOf(1n, 2));
  window.takeForNewcomers(partsOf(2n, 1));
  let isEmpty = false;
  const emptied = window.empty().then(() => {
    isEmpty = true;
  });
  window.release(partsOf(1n, 2));
  expect([window.isIdle(asCustomerId(1n)), window.isIdle(asCustomerId(2n)), isEmpty]).toEqual([true, false, false]);
  window.release(partsOf(2n, 1));
  await emptied;
  expect(window.isIdle(asCustomerId(2n))).toBe(true);
});

test('there is room for no more than the channel accepts now, even when it accepted more before', () => {
  let accepts = 50;
  const window = createWindow(100, () => accepts);
  expect([window.size, window.free(0), window.freeForNewcomers()]).toEqual([50, 50, 2]);
  const parts = partsOf(1n, 50);
  window.take(parts);
  accepts = 12;
  expect(window.free(0)).toBe(-38);
  window.release(parts.slice(0, 45));
  expect([window.size, window.free(0)]).toEqual([12, 7]);
  // The reserved slots stay reserved when it accepts all.
  accepts = 100;
  expect([window.size, window.free(0)]).toEqual([98, 93]);
});
