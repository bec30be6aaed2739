import { beforeEach, expect, test } from 'vitest';
import type { CommitRows, TaskRow } from '#tools/simulator/model/facts.js';
import { Model } from '#tools/simulator/model/model.js';

const PART = { task: 1, seq: 1, part: 1 };
const COUNTS = { total: 1, unsent: 1, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
const TASK: TaskRow = {
  task: 1,
  customer: 1,
  stage: 'submitting',
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
const ACCEPTED = { ...PART, id: '1', parts: 1, channel: 1, status: 'accepted', code: null };
const NOTHING = { submits: [], deliveries: [], receipts: [], entries: [], accounts: [], tasks: [] };

let model: Model;
const commit = (rows: Partial<CommitRows>, now = 10) => model.commit({ ...NOTHING, now, ...rows });

beforeEach(() => {
  model = new Model({ receiptMs: 100, unknownMs: 100 });
  model.openCustomer({ customer: 1, available: 10n, creditLimit: 0n });
  model.accept({ task: 1, customer: 1, numbers: [{ seq: 1, price: 5n }], sendAt: null, expiresAt: null });
  commit({ tasks: [TASK], entries: [FREEZE] });
});

test('a part is not sent again while it is not answered, nor after its answer was lost', () => {
  const submission = model.submit(PART, 1);
  expect(() => model.submit(PART, 1)).toThrow(/^sent: part 1\.1\.1 .* not answered/);
  model.answer(submission, 'lost');
  expect(() => model.submit(PART, 2)).toThrow(/^sent: .* lost on 1/);
});

test('a part that was refused or throttled may be sent again', () => {
  model.answer(model.submit(PART, 1), 'throttled');
  model.answer(model.submit(PART, 1), 'refused');
  expect(() => model.submit(PART, 2)).not.toThrow();
});

test('money that does not follow the outcome is noticed', () => {
  model.answer(model.submit(PART, 1), 'accepted');
  const counts = { ...COUNTS, unsent: 0, awaiting: 1 };
  const timeline = [...TASK.timeline, 'waiting_receipt'];
  const accepted = { ...TASK, stage: 'waiting_receipt', timeline, receiptState: 'pending', counts };
  expect(() => commit({ submits: [ACCEPTED], tasks: [accepted] })).toThrow(/^money: .* 0, 0, 0, not 5, 0, 0/);
});

test('a receipt needs a reason', () => {
  const receipt = { task: 1, seq: 1, result: 'delivered', code: null, isCharged: true };
  expect(() => commit({ receipts: [receipt], tasks: [TASK] })).toThrow(/^reason: number 1\.1 gets delivered/);
});

test('an acceptance that no carrier gave is noticed, and so is a delivery that was not reported', () => {
  expect(() => commit({ submits: [ACCEPTED] })).toThrow(/^reason: part 1\.1\.1 is accepted/);
  const delivery = { ...PART, channel: 1, status: 'delivered' };
  expect(() => commit({ deliveries: [delivery] })).toThrow(/^reason: part 1\.1\.1 has a delivery/);
});

test('a stage that goes back, counts that do not add up and a gap in the ledger are noticed', () => {
  const back = { ...TASK, stage: 'prepared', timeline: ['queued', 'prepared'] };
  expect(() => commit({ tasks: [back] })).toThrow(/^stage: task 1 goes from submitting to prepared/);
  expect(() => commit({ tasks: [{ ...TASK, counts: { ...COUNTS, unsent: 0 } }] })).toThrow(/^counts: /);
  expect(() => commit({ entries: [{ ...FREEZE, seq: 3 }] })).toThrow(/^ledger: entry 3 follows entry 1/);
});

test('an intent of a paused task, and one for a number that is recorded as accepted, are noticed', () => {
  commit({ tasks: [{ ...TASK, isPaused: true }] });
  expect(() => model.intend([PART], 20)).toThrow(/^allowed: .* paused/);
});

test('a number that never ends is noticed', () => {
  expect(() => model.end([])).toThrow(/^ends: task 1 is submitting/);
});
