// Which class goes next: codes before notices before promotions, of any customers, and none starves.

import { expect, test } from 'vitest';
import type { StoredChunk } from '../../../../src/domain/chunk/chunk.js';
import { newChunkState } from '../../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import { MESSAGE_CLASSES, type MessageClass } from '../../../../src/domain/rules/message-class.js';
import { classOfPlace, placeOf, queueKeyOf } from '../../../../src/domain/rules/queue-place.js';
import type { Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createClassTurns } from '../../../../src/pipeline/channel/sending/class-turns.js';
import { createTurns } from '../../../../src/pipeline/channel/sending/turns.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

let chunkNo = 0;

function chunkOfClass(messageClass: MessageClass, numbers: number, customer = 1): StoredChunk {
  chunkNo += 1;
  const state = newChunkState(Array.from({ length: numbers }, () => 1));
  const columns = {
    seq: Array.from({ length: numbers }, (_, at) => at + 1),
    phone: Array.from({ length: numbers }, () => '13800138000'),
    to: Array.from({ length: numbers }, () => '8613800138000'),
    text: 'Hello',
    parts: Array.from({ length: numbers }, () => 1),
  };
  const queueNo = placeOf(messageClass, BigInt(chunkNo));
  const place = { customerId: asCustomerId(BigInt(customer)), taskId: asTaskId(1n), chunkNo, queueNo };
  return { chunk: chunkOf({ ...place, numbers: columns }), state, intendedAt: null };
}

const createTestTurns = () => createClassTurns(() => createTurns(() => '1069', 'gsm7'));

const classesOf = (taken: readonly Sendable[]) => taken.map(({ position }) => classOfPlace(position.chunk.queueNo));

function countOf(taken: readonly Sendable[]): Record<MessageClass, number> {
  const counts = { otp: 0, notice: 0, promotion: 0 };
  for (const messageClass of classesOf(taken)) counts[messageClass] += 1;
  return counts;
}

test('a code is sent before the backlogs of other classes, of any customer', () => {
  const turns = createTestTurns();
  for (let customer = 1; customer <= 20; customer++) turns.add(chunkOfClass('promotion', 500, customer));
  turns.add(chunkOfClass('notice', 500, 21));
  turns.take(1000);
  turns.add(chunkOfClass('otp', 1, 1));
  // The customer of the code has used its share many times over.
  expect(classesOf(turns.take(2))).toContain('otp');
});

test('classes that wait keep five parts of a hundred each', () => {
  const turns = createTestTurns();
  for (const messageClass of MESSAGE_CLASSES) for (let at = 0; at < 8; at++) turns.add(chunkOfClass(messageClass, 500));
  const taken = Array.from({ length: 20 }, () => turns.take(100)).flat();
  const { otp, notice, promotion } = countOf(taken);
  expect(taken.length).toBe(2000);
  expect([notice, promotion].map((count) => Math.round(count / 20))).toEqual([5, 5]);
  expect(otp).toBe(2000 - notice - promotion);
});

test('where one part goes at a time, every twentieth is of the class that waits', () => {
  const turns = createTestTurns();
  turns.add(chunkOfClass('otp', 500));
  turns.add(chunkOfClass('promotion', 500));
  const taken = Array.from({ length: 401 }, () => turns.take(1)).flat();
  expect(countOf(taken)).toEqual({ otp: 381, notice: 0, promotion: 20 });
});

test('of the share of a class behind codes, newcomers without end leave every other part to those who stand in line', () => {
  const turns = createTestTurns();
  turns.add(chunkOfClass('notice', 500, 1));
  turns.take(10);
  for (let customer = 3; customer < 103; customer++) turns.add(chunkOfClass('notice', 1, customer));
  turns.add(chunkOfClass('otp', 1000, 2));
  const taken = Array.from({ length: 801 }, () => turns.take(1)).flat();
  const notices = taken.filter(({ position }) => classOfPlace(position.chunk.queueNo) === 'notice');
  const standing = notices.filter(({ position }) => position.chunk.customerId === 1n);
  expect([notices.length, standing.length]).toEqual([40, 20]);
});

test('what a class does not use goes to the others, and no share is saved up while it has nothing to send', () => {
  const turns = createTestTurns();
  turns.add(chunkOfClass('otp', 300));
  expect(turns.take(200).length).toBe(200);
  turns.add(chunkOfClass('promotion', 500));
  const taken = turns.take(100);
  expect(countOf(taken)).toEqual({ otp: 100, notice: 0, promotion: 0 });
  expect(countOf(turns.take(100))).toEqual({ otp: 0, notice: 0, promotion: 100 });
});

test('a few codes use the places kept for newcomers, unless the share of others is due', () => {
  const turns = createTestTurns();
  turns.add(chunkOfClass('promotion', 500));
  turns.take(20);
  expect(turns.countNewcomers(4)).toBe(0);
  turns.add(chunkOfClass('otp', 2));
  expect(turns.countNewcomers(4)).toBe(2);
  expect(countOf(turns.takeNewcomers(2))).toEqual({ otp: 2, notice: 0, promotion: 0 });
  turns.add(chunkOfClass('otp', 100));
  expect(turns.countNewcomers(4)).toBe(0);
  turns.take(40);
  expect(countOf(turns.take(1)).promotion).toBe(1);
});

test('a class of a customer is forgotten on its own', () => {
  const turns = createTestTurns();
  const customerId = asCustomerId(1n);
  turns.add(chunkOfClass('otp', 3));
  turns.add(chunkOfClass('promotion', 5));
  turns.clearQueue(queueKeyOf(customerId, 'promotion'));
  expect([turns.size(), turns.sizeOfClass('otp'), turns.sizeOfQueue(queueKeyOf(customerId, 'promotion'))]).toEqual([
    3, 3, 0,
  ]);
  turns.clear(customerId);
  expect(turns.size()).toBe(0);
});
