import { beforeEach, expect, test } from 'vitest';
import type { CommitRows, TaskRow } from '#tools/simulator/model/facts.js';
import { Model } from '#tools/simulator/model/model.js';

const PART = { task: 1, seq: 1, part: 1 };
const COUNTS = { total: 1, unsent: 1, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
const TASK: TaskRow = {
  task: 1,
  customer: 1,
  stage: 'submitting',
  waitsFor: 'channel',
  timeline: ['queued', 'prepared', 'submitting'],
  accounting: 'frozen',
  receiptState: 'none',
  counts: COUNTS,
  price: 5n,
  frozen: 5n,
  charged: 0n,
  released: 0n,
  refunded: 0n,
  chargeOn: 'submit',
  refundOnFailure: true,
  isCompleted: false,
  isPaused: false,
};
const FREEZE = { customer: 1, seq: 1, type: 'freeze', amount: 5n, task: 1, availableAfter: 5n, frozenAfter: 5n };
const ACCEPTED = { ...PART, id: '1', parts: 1, channel: 1, status: 'accepted', code: null, messageId: null };
const HANDED = { messageId: 'm1', reportedId: 'm1' };
const FAILOVER = '88';
const NOTHING = { submits: [], deliveries: [], receipts: [], entries: [], accounts: [], tasks: [], recordIds: [] };

let model: Model;
const commit = (rows: Partial<CommitRows>, now = 10) => model.commit({ ...NOTHING, now, ...rows });

beforeEach(() => {
  model = new Model({ receiptMs: 100, unknownMs: 100, failoverCode: FAILOVER });
  const billing = { chargeOn: 'submit', refundOnFailure: true } as const;
  model.openCustomer({ customer: 1, available: 10n, creditLimit: 0n, billing, channels: [1, 2] });
  model.accept({ task: 1, customer: 1, numbers: [{ seq: 1, price: 5n, parts: 1 }], sendAt: null, expiresAt: null });
  commit({ tasks: [TASK], entries: [FREEZE] });
});

test('a part is not sent again while it is not answered, nor after its answer was lost', () => {
  const submission = model.submit(PART, 1, HANDED);
  expect(() => model.submit(PART, 1, HANDED)).toThrow(/^sent: part 1\.1\.1 .* not answered/);
  model.answer(PART, submission, 'lost');
  expect(() => model.submit(PART, 2, HANDED)).toThrow(/^sent: .* lost on 1/);
});

test('a part that was throttled may be sent again, and one that was refused with a code for failover on another channel', () => {
  model.answer(PART, model.submit(PART, 1, HANDED), 'throttled');
  model.answer(PART, model.submit(PART, 1, HANDED), 'refused', FAILOVER);
  expect(() => model.submit(PART, 1, HANDED)).toThrow(/^sent: .* refused on 1/);
  model.answer(PART, model.submit(PART, 2, HANDED), 'refused', '8');
  expect(() => model.submit(PART, 3, HANDED)).toThrow(/^sent: .* refused on 2/);
});

test('money that does not follow the outcome is noticed', () => {
  model.answer(PART, model.submit(PART, 1, HANDED), 'accepted');
  const counts = { ...COUNTS, unsent: 0, awaiting: 1 };
  const timeline = [...TASK.timeline, 'waiting_receipt'];
  const waiting = { stage: 'waiting_receipt', waitsFor: 'receipts', receiptState: 'pending' };
  const accepted = { ...TASK, ...waiting, timeline, counts };
  expect(() => commit({ submits: [ACCEPTED], tasks: [accepted] })).toThrow(/^money: .* 0, 0, 0, not 5, 0, 0/);
});

test('a receipt needs a reason', () => {
  const receipt = { task: 1, seq: 1, result: 'delivered', code: null, isCharged: true, price: 5n };
  expect(() => commit({ receipts: [receipt], tasks: [TASK] })).toThrow(/^reason: number 1\.1 gets delivered/);
});

test('an acceptance that no carrier gave is noticed, and so is a delivery that was not reported', () => {
  expect(() => commit({ submits: [ACCEPTED] })).toThrow(/^reason: part 1\.1\.1 is accepted/);
  const delivery = { ...PART, channel: 1, status: 'delivered', code: 'DELIVRD' };
  expect(() => commit({ deliveries: [delivery] })).toThrow(/^reason: part 1\.1\.1 has a delivery/);
});

test('a stage that goes back, counts that do not add up and a gap in the ledger are noticed', () => {
  const back = { ...TASK, stage: 'prepared', timeline: ['queued', 'prepared'] };
  expect(() => commit({ tasks: [back] })).toThrow(/^stage: task 1 goes from submitting to prepared/);
  expect(() => commit({ tasks: [{ ...TASK, counts: { ...COUNTS, unsent: 0 } }] })).toThrow(/^counts: /);
  expect(() => commit({ entries: [{ ...FREEZE, seq: 3 }] })).toThrow(/^ledger: entry 3 follows entry 1/);
});

test('an intent of a paused task, and a pause that ends without a call, are noticed', () => {
  model.pause(1, true);
  commit({ tasks: [{ ...TASK, isPaused: true, waitsFor: 'resume' }] });
  expect(() => model.intend([PART], 20)).toThrow(/^allowed: .* paused/);
  expect(() => commit({ tasks: [TASK] })).toThrow(/^allowed: task 1 was paused and goes on/);
});

test('a number that never ends is noticed', () => {
  expect(() => model.end([])).toThrow(/^ends: task 1 is submitting/);
});

test('a number that waits although nothing keeps it from being sent is noticed at rest', () => {
  expect(() => model.rest(1000, true)).not.toThrow();
  expect(() => model.rest(1_000_000, false)).not.toThrow();
  expect(() => model.rest(1_000_000, true)).toThrow(/^ends: number 1\.1 .* nothing keeps it/);
});

test('a number that was unknown, or whose recipient has opted out, is not sent', () => {
  model.optOut(1, 1);
  expect(() => model.intend([PART], 20)).toThrow(/^allowed: .* opted out/);
  model.answer(PART, model.submit(PART, 1, HANDED), 'lost');
  const counts = { ...COUNTS, unsent: 0, unknown: 1 };
  const timeline = [...TASK.timeline, 'submit_unknown'];
  const unknown = { stage: 'submit_unknown', waitsFor: 'verification', receiptState: 'pending' };
  commit({ submits: [{ ...ACCEPTED, status: 'unknown' }], tasks: [{ ...TASK, ...unknown, timeline, counts }] });
  model.resolve(1, 'not_accepted');
  commit({ submits: [{ ...ACCEPTED, status: 'rejected', code: 'not_accepted' }] });
  expect(() => model.intend([PART], 20)).toThrow(/^sent: .* (it was unknown|its record)/);
});

test('more than the daily limit, and a record behind a later one, are noticed', () => {
  model.limitDay(1, 7n);
  const second = { ...FREEZE, seq: 2, availableAfter: 0n, frozenAfter: 10n };
  expect(() => commit({ entries: [second] })).toThrow(/^funds: customer 1 has frozen 10 today, and may 7/);
  commit({ recordIds: [{ customer: 1, id: 8n }] });
  expect(() => commit({ recordIds: [{ customer: 1, id: 7n }] })).toThrow(/^records: .* the id 7 after 8/);
});
