// The bound on what a crash would leave unknown: a window between intent and recorded answer, and whose parts those are.

import { expect, test } from 'vitest';
import { asCustomerId } from '../../../../src/domain/id.js';
import { createRoom } from '../../../../src/pipeline/channel/parts/window.js';
import type { Sendable } from '../../../../src/pipeline/channel/sending/turns.js';

const partsOf = (customer: bigint, count: number, bucket = 0) =>
  Array.from(
    { length: count },
    () => ({ flight: { chunk: { customerId: asCustomerId(customer), queueNo: 1n, bucket } } }) as Sendable,
  );

test('there is room for a window, less what is between intent and recorded answer', () => {
  const room = createRoom(10);
  const parts = partsOf(1n, 7);
  room.take(parts);
  expect(room.free(0)).toBe(3);
  room.give(parts.slice(0, 5));
  expect(room.free(0)).toBe(8);
});

test('answers on their way into the database make room for their own bucket, once each', () => {
  const room = createRoom(10);
  const [answered, ...others] = partsOf(1n, 10, 2);
  if (answered === undefined) throw new Error('no part');
  room.take([answered, ...others]);
  const onAnswered = room.answering(answered);
  expect([room.free(2), room.free(3), room.free(undefined)]).toEqual([1, 0, 0]);
  // Recorded, it makes room for everybody.
  onAnswered();
  room.give([answered]);
  expect([room.free(2), room.free(3), room.free(undefined)]).toEqual([1, 1, 1]);
});

test('of a large window a little is kept for newcomers, and no more than the window is ever taken together', () => {
  const room = createRoom(100);
  const [few, many] = [partsOf(1n, 2), partsOf(2n, 98)];
  expect([room.size, room.free(0), room.freeForNewcomers()]).toEqual([98, 98, 2]);
  room.take(many);
  room.takeForNewcomers(few);
  expect([room.free(0), room.freeForNewcomers()]).toEqual([0, 0]);
  // Its intent does not wait for the answer of another: no answer is room before it is recorded.
  for (const part of few) room.answering(part);
  expect([room.free(0), room.freeForNewcomers()]).toEqual([0, 0]);
  room.give(few);
  expect([room.free(0), room.freeForNewcomers()]).toEqual([0, 2]);
  // A window of ten has nothing to spare.
  expect([createRoom(10).free(0), createRoom(10).freeForNewcomers()]).toEqual([10, 0]);
});

test('a customer is at rest when nothing of it is in hand, and the room is empty when nothing of anybody is', async () => {
  const room = createRoom(100);
  await room.empty();
  room.take(partsOf(1n, 2));
  room.takeForNewcomers(partsOf(2n, 1));
  let isEmpty = false;
  const emptied = room.empty().then(() => {
    isEmpty = true;
  });
  room.give(partsOf(1n, 2));
  expect([room.isAtRest(asCustomerId(1n)), room.isAtRest(asCustomerId(2n)), isEmpty]).toEqual([true, false, false]);
  room.give(partsOf(2n, 1));
  await emptied;
  expect(room.isAtRest(asCustomerId(2n))).toBe(true);
});
