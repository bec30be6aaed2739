// What may be believed of an intent, and of a report that is ahead of its answer.

import { expect, test } from 'vitest';
import type { Chunk } from '../../../src/domain/chunk/chunk.js';
import { PART } from '../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { applyDeliveryEvent, startSettlement } from '../../../src/domain/outcome/settlement.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const place = { bucket: 0, customerId: asCustomerId(1n), taskId: asTaskId(2n), chunkNo: 1 };
const chunk = chunkOf({ ...place, queueNo: 7n });

interface Situation {
  readonly queueNo?: bigint | null;
  readonly channelId?: bigint;
  readonly expiresAt?: Date | null;
}

function settle(event: DeliveryEvent['event'], part: number, options: Situation = {}) {
  const { queueNo = 7n, channelId = 1n, expiresAt = null } = options;
  const states = { partStates: Uint8Array.of(part), results: Uint8Array.of(0) };
  const stored = { ...place, channelId, queueNo, expiresAt, ...states };
  const deliveryEvent: DeliveryEvent = { chunk, index: 0, part: 1, event, channelId: 1n };
  const batch = startSettlement(new Date(), new Map(), [stored], [], [deliveryEvent]);
  applyDeliveryEvent(batch, deliveryEvent);
  return { ...batch, state: stored.partStates[0], deliveryEvent };
}

const INTENDED = { kind: 'intended' } as const;

test('an intent is granted where the part is unsent and its chunk is where it was loaded from', () => {
  const { refusedIntents, state } = settle(INTENDED, PART.unsent);
  expect([refusedIntents.size, state]).toEqual([0, PART.intended]);
});

test('an intent is refused where the time of the chunk is up', () => {
  const { refusedIntents } = settle(INTENDED, PART.unsent, { expiresAt: new Date(Date.now() - 1) });
  expect(refusedIntents.size).toBe(1);
});

test('the time of a message that was begun is not up: what is left of it goes', () => {
  const long: Chunk = { ...chunk, numbers: { ...chunk.numbers, parts: [2] }, offsets: Uint32Array.of(0, 2) };
  const states = { partStates: Uint8Array.of(PART.accepted, PART.unsent), results: Uint8Array.of(0) };
  const stored = { ...place, channelId: 1n, queueNo: 7n, expiresAt: new Date(Date.now() - 1), ...states };
  const second: DeliveryEvent = { chunk: long, index: 0, part: 2, event: INTENDED, channelId: 1n };
  const batch = startSettlement(new Date(), new Map(), [stored], [], [second]);
  applyDeliveryEvent(batch, second);
  expect([batch.refusedIntents.size, stored.partStates[1]]).toEqual([0, PART.intended]);
});

test('an intent is taken back by the channel that committed it, and by no other', () => {
  expect(settle({ kind: 'withdrawn' }, PART.intended).state).toBe(PART.unsent);
  const elsewhere = settle({ kind: 'withdrawn' }, PART.intended, { channelId: 2n });
  expect([elsewhere.state, elsewhere.chunks.get(chunk.key)?.changed]).toEqual([PART.intended, false]);
});

test('a part that is withdrawn after its chunk changed its place requeues the chunk', () => {
  expect(settle({ kind: 'withdrawn' }, PART.intended, { queueNo: 8n }).chunks.get(chunk.key)?.needsNewPlace).toBe(true);
  expect(settle({ kind: 'withdrawn' }, PART.intended).chunks.get(chunk.key)?.needsNewPlace).toBe(false);
});

test.each([
  ['moved to another place', 8n],
  ['taken out of the queue', null],
])('an intent is refused where the chunk was %s', (_, queueNo) => {
  const { refusedIntents, state } = settle(INTENDED, PART.unsent, { queueNo });
  expect([refusedIntents.size, state]).toEqual([1, PART.unsent]);
});

test('an intent that exists already belongs to another process', () => {
  expect(settle(INTENDED, PART.intended).refusedIntents.size).toBe(1);
});

test.each([PART.accepted, PART.refused, PART.unknown, PART.delivered])(
  'a part in state %i is never meant to go out again',
  (part) => {
    expect(settle(INTENDED, part).refusedIntents.size).toBe(1);
  },
);

test.each([
  ['given up as not accepted', PART.refused],
  ['reported otherwise', PART.undelivered],
])('a report on a part that was %s is compared with those that came before', (_, state) => {
  const { deliveries, lateDeliveries } = settle({ kind: 'reported', status: 'delivered' }, state);
  expect([deliveries.length, lateDeliveries.length]).toEqual([0, 1]);
});

test('a report on a part whose answer is not recorded is left to come again', () => {
  const { earlyReports, deliveries, state, deliveryEvent } = settle(
    { kind: 'reported', status: 'delivered' },
    PART.intended,
  );
  expect([[...earlyReports], deliveries, state]).toEqual([[deliveryEvent], [], PART.intended]);
});
