// Where a chunk goes when a batch is done with it, and what its records are called.

import { expect, test } from 'vitest';
import { PART } from '../../../src/domain/chunk/chunk-state.js';
import { timeOfId } from '../../../src/domain/id.js';
import { ZERO } from '../../../src/domain/money/money.js';
import { concludeBatch, newLateDeliveries } from '../../../src/domain/outcome/conclude-batch.js';
import { type DeliveryEvent, deliveryOf } from '../../../src/domain/outcome/delivery-event.js';
import { applyDeliveryEvent, startSettlement } from '../../../src/domain/outcome/settlement.js';
import { ACCEPTED_AT, accountOf, chunkOfNumbers, taskOf } from '../../support/model/task-of.js';

const NOW = new Date(ACCEPTED_AT.getTime() + 60_000);
const chunk = chunkOfNumbers(2, ZERO);

function deliveryEventOf(index: number, event: DeliveryEvent['event'], failoverChannel?: bigint): DeliveryEvent {
  return { chunk, index, part: 1, event, channelId: 1n, failoverChannel };
}

/** Concludes a batch about the two parts of a chunk that stand so before it. */
function conclude(
  parts: readonly [number, number],
  deliveryEvents: readonly DeliveryEvent[],
  queueNo: bigint | null = 1n,
) {
  const account = accountOf({ queueSeq: 1n });
  const accounts = new Map([[account.customerId, account]]);
  const states = { partStates: Uint8Array.from(parts), results: new Uint8Array(2) };
  const stored = { ...chunk, queueNo, ...states };
  const fresh = taskOf(2, { stage: 'submitting', queuedFor: null, frozenAt: ACCEPTED_AT });
  const countOf = (...some: readonly number[]) => parts.filter((part) => some.includes(part)).length;
  const unsent = countOf(PART.unsent, PART.intended);
  const counts = { ...fresh.counts, unsent, awaiting: countOf(PART.accepted), unknown: countOf(PART.unknown) };
  const task = { ...fresh, counts };
  const batch = startSettlement(NOW, accounts, [stored], [task], deliveryEvents);
  for (const deliveryEvent of deliveryEvents) applyDeliveryEvent(batch, deliveryEvent);
  return { batch, account, ...concludeBatch(batch) };
}

const ACCEPTED = { kind: 'accepted' } as const;
const DELIVERED = { kind: 'reported', status: 'delivered' } as const;

test('a chunk leaves the queue with its last answer, and not before', () => {
  const both = conclude([PART.intended, PART.intended], [deliveryEventOf(0, ACCEPTED), deliveryEventOf(1, ACCEPTED)]);
  expect(both.open).toMatchObject([{ leavesQueue: true, newPlace: null }]);
  const one = conclude([PART.intended, PART.unsent], [deliveryEventOf(0, ACCEPTED)]);
  expect(one.open).toMatchObject([{ leavesQueue: false }]);
});

test('submits are numbered in the order in which they are recorded, whatever the time on the wire', () => {
  const early = { ...deliveryEventOf(1, ACCEPTED), submittedAt: NOW.getTime() - 50_000 };
  const late = { ...deliveryEventOf(0, ACCEPTED), submittedAt: NOW.getTime() - 1000 };
  const { submitIds, deliveryIds, account } = conclude([PART.intended, PART.intended], [late, early]);
  expect(submitIds.map((id) => timeOfId(id))).toEqual([NOW, NOW]);
  expect(submitIds).toEqual([...submitIds].sort());
  expect([account.recordId, account.submitSeq, deliveryIds.length]).toEqual([submitIds[1], 2n, 0]);
});

test('a number that is accepted starts its wait for a receipt, whatever the others of its chunk do', () => {
  const first = conclude([PART.intended, PART.unsent], [deliveryEventOf(0, ACCEPTED)]);
  expect(first.open).toMatchObject([{ startsReceiptWait: true, leavesQueue: false }]);
  const late = conclude([PART.unknown, PART.accepted], [deliveryEventOf(0, ACCEPTED)], null);
  expect(late.open).toMatchObject([{ startsReceiptWait: true, leavesQueue: false }]);
  const report = conclude([PART.accepted, PART.accepted], [deliveryEventOf(0, DELIVERED)], null);
  expect(report.open).toMatchObject([{ startsReceiptWait: false, leavesQueue: false }]);
});

test('a chunk whose numbers all have their receipts is finished, and so is its task', () => {
  const done = conclude([PART.accepted, PART.accepted], [deliveryEventOf(0, DELIVERED), deliveryEventOf(1, DELIVERED)]);
  expect([done.finished.length, done.open.length]).toEqual([1, 0]);
  expect(done.tasks).toMatchObject([{ stage: 'completed', counts: { awaiting: 0, delivered: 2 }, completedAt: NOW }]);
});

test('what nothing happened to is not written', () => {
  const again = conclude([PART.accepted, PART.unsent], [deliveryEventOf(0, ACCEPTED)]);
  expect([again.finished, again.open, again.tasks, again.moved]).toEqual([[], [], [], []]);
});

test('a part that came back to a chunk in another place puts it up anew, behind all that were seen', () => {
  const back = conclude([PART.intended, PART.unsent], [deliveryEventOf(0, { kind: 'withdrawn' })], 7n);
  expect(back.open).toMatchObject([{ newPlace: 2n, leavesQueue: false }]);
  expect(back.account.queueSeq).toBe(2n);
});

test('a number that moves is in a new chunk, which is queued if the old one was', () => {
  const declined = [deliveryEventOf(0, { kind: 'declined' }, 5n)];
  const up = conclude([PART.intended, PART.unsent], declined);
  expect(up.moved).toMatchObject([{ channelId: 5n, tried: [1n], numbers: { seq: [1] } }]);
  expect(up.movedPlaces).toEqual([3n]);
  expect(conclude([PART.intended, PART.unsent], declined, null).movedPlaces).toEqual([null]);
});

test('ids rise in the order of the records, deliveries before receipts', () => {
  const { deliveryIds, receiptIds, account } = conclude(
    [PART.accepted, PART.accepted],
    [deliveryEventOf(0, DELIVERED), deliveryEventOf(1, DELIVERED)],
  );
  const ids = [...deliveryIds, ...receiptIds];
  expect(ids).toHaveLength(4);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => (one < other ? -1 : 1)));
  expect(account.recordId).toBe(ids.at(-1));
});

test('a late report is kept once, and one on the way as often as it comes', () => {
  const late = deliveryOf(deliveryEventOf(0, DELIVERED), 'delivered');
  const underWay = { ...late, status: 'intermediate' } as const;
  const other = { ...late, status: 'expired' } as const;
  expect(newLateDeliveries([late, late, other], [])).toEqual([late, other]);
  expect(newLateDeliveries([late, other], [late])).toEqual([other]);
  const ofAnotherChannel = { ...late, channelId: 77n };
  expect(newLateDeliveries([ofAnotherChannel], [late])).toEqual([ofAnotherChannel]);
  expect(newLateDeliveries([underWay, underWay], [underWay])).toEqual([underWay, underWay]);
});
