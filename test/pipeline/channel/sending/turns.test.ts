// Whose parts are sent next: newcomers at once, and backlogs in larger turns.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredChunk } from '../../../../src/domain/chunk/chunk.js';
import { newChunkState } from '../../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import type { Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createTurns } from '../../../../src/pipeline/channel/sending/turns.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

function createChunk(customer: number, numbers: number, chunkNo = 1, bucket = 0): StoredChunk {
  const state = newChunkState(Array.from({ length: numbers }, () => 1));
  const columns = {
    seq: Array.from({ length: numbers }, (_, at) => at + 1),
    phone: Array.from({ length: numbers }, () => '13800138000'),
    to: Array.from({ length: numbers }, () => '8613800138000'),
    text: 'Hello',
    parts: Array.from({ length: numbers }, () => 1),
  };
  const customerId = asCustomerId(BigInt(customer));
  const place = { bucket, customerId, taskId: asTaskId(1n), chunkNo, queueNo: BigInt(chunkNo) };
  return { chunk: chunkOf({ ...place, numbers: columns }), state, intendedAt: null };
}

/** How many parts of each customer were taken, in the order of the first. */
function shares(taken: readonly Sendable[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const { position } of taken) {
    const customer = Number(position.chunk.customerId);
    counts.set(customer, (counts.get(customer) ?? 0) + 1);
  }
  return [...counts];
}

test('one message of a customer who has just come goes out in the next window, however many backlogs there are', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  for (let customer = 1; customer <= 1000; customer++) turns.add(createChunk(customer, 500));
  // All of them have had their first parts and stand in line.
  while (turns.take(1000).length > 0 && turns.size() > 480_000);
  turns.add(createChunk(5000, 1));
  expect(shares(turns.take(100))[0]).toEqual([5000, 1]);
});

test('backlogs take turns of a window, so that a transaction touches few of them', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  for (const customer of [1, 2, 3]) turns.add(createChunk(customer, 500));
  expect(shares(turns.take(30))).toEqual([
    [1, 10],
    [2, 10],
    [3, 10],
  ]);
  expect([1, 2, 3, 4].map(() => shares(turns.take(100)))).toEqual([[[1, 100]], [[2, 100]], [[3, 100]], [[1, 100]]]);
});

test('newcomers without end leave half of each window to those who stand in line', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  turns.add(createChunk(1, 500));
  turns.take(10);
  for (let customer = 2; customer <= 200; customer++) turns.add(createChunk(customer, 1));
  const taken = new Map(shares(turns.take(100)));
  expect([taken.get(1), taken.size - 1]).toEqual([50, 50]);
});

test('where one part goes at a time, newcomers without end leave every other one to those who stand in line', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  turns.add(createChunk(1, 500));
  turns.take(10);
  let standing = 0;
  for (let customer = 2; customer < 102; customer++) {
    turns.add(createChunk(customer, 1));
    standing += turns.take(1)[0]?.position.chunk.customerId === 1n ? 1 : 0;
  }
  expect(standing).toBe(50);
});

test('a customer that always has another message waits in line, behind newcomers', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  const served = new Map<number, number>();
  const fill = (chunkNo: number) => {
    for (let customer = 1; customer <= 200; customer++) {
      if (turns.size(asCustomerId(BigInt(customer))) === 0) turns.add(createChunk(customer, 1, chunkNo));
    }
  };
  for (let round = 1; round <= 200; round++) {
    fill(round);
    for (const [customer, parts] of shares(turns.take(50))) served.set(customer, (served.get(customer) ?? 0) + parts);
  }
  fill(201);
  turns.add(createChunk(5000, 1));
  expect(shares(turns.take(10))[0]).toEqual([5000, 1]);
  // And none of them was left behind: an equal share is 50.
  expect([served.size, Math.min(...served.values()) > 40]).toEqual([200, true]);
});

test('a customer that sends little is a newcomer each time, however many backlogs there are', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  for (let customer = 1; customer <= 100; customer++) turns.add(createChunk(customer, 5000));
  while (turns.size() > 495_000) turns.take(100);
  for (let message = 1; message <= 50; message++) {
    turns.add(createChunk(5000, 1, message));
    expect(shares(turns.take(100))[0]).toEqual([5000, 1]);
    // At most half of its share of what is sent meanwhile.
    for (let window = 1; window <= 2; window++) turns.take(100);
  }
});

test('newcomers are counted and taken by themselves only where others stand in line', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  turns.add(createChunk(1, 500));
  expect(turns.countNewcomers(3)).toBe(0);
  turns.take(10);
  turns.add(createChunk(2, 1));
  turns.add(createChunk(3, 2));
  expect(turns.countNewcomers(3)).toBe(3);
  expect(shares(turns.takeNewcomers(3))).toEqual([
    [2, 1],
    [3, 2],
  ]);
  expect([turns.countNewcomers(3), shares(turns.take(10))]).toEqual([0, [[1, 10]]]);
});

const bucketsOf = (taken: readonly Sendable[]) => new Set(taken.map(({ position }) => position.chunk.bucket));

test('a take is of the bucket that was announced, if one was, and all is taken once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ numbers: fc.integer({ min: 1, max: 40 }), bucket: fc.integer({ min: 0, max: 3 }) }), {
        minLength: 1,
        maxLength: 30,
      }),
      fc.integer({ min: 1, max: 60 }),
      (customers, wanted) => {
        const turns = createTurns(() => '1069', 'gsm7');
        for (const [at, { numbers, bucket }] of customers.entries()) turns.add(createChunk(at + 1, numbers, 1, bucket));
        const seen = new Set<string>();
        while (turns.size() > 0) {
          const bucket = turns.nextBucket();
          const taken = turns.take(wanted);
          expect(taken.length).toBeGreaterThan(0);
          if (bucket !== undefined) expect([...bucketsOf(taken)]).toEqual([bucket]);
          for (const { position } of taken) seen.add(`${position.chunk.key} ${position.index}`);
        }
        expect([seen.size, turns.nextBucket()]).toEqual([
          customers.reduce((sum, { numbers }) => sum + numbers, 0),
          undefined,
        ]);
      },
    ),
  );
});

test('without newcomers each take is of one bucket', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  for (let customer = 1; customer <= 8; customer++) turns.add(createChunk(customer, 300, 1, customer % 4));
  while (turns.nextBucket() === undefined) turns.take(20);
  while (turns.size() > 0) expect(bucketsOf(turns.take(98)).size).toBe(1);
});

test.each([1, 100, 150, 500])(
  'a customer alone in its bucket gets at most two fifths more than each of many in another, with takes of %i',
  (wanted) => {
    const turns = createTurns(() => '1069', 'gsm7');
    turns.add(createChunk(1, 3000, 1, 7));
    for (let customer = 2; customer <= 21; customer++) turns.add(createChunk(customer, 3000, 1, 3));
    // All of them have had their first parts and stand in line.
    for (let take = 0; take < 10; take++) turns.take(100);
    const taken: Sendable[] = [];
    // As the pump does: it takes until the window is full.
    while (taken.length < 10 * 21 * 100) {
      for (let left = wanted; left > 0; ) {
        const more = turns.take(left);
        left -= more.length;
        taken.push(...more);
      }
    }
    const parts = shares(taken).map(([, count]) => count);
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(800);
    // The turn of a customer that is alone in its bucket is never cut short by the end of a take.
    expect(Math.max(...parts)).toBeLessThanOrEqual(1400);
  },
);

test('who has just come is in the next take, whatever the buckets', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  for (let bucket = 0; bucket < 32; bucket++) turns.add(createChunk(bucket + 1, 500, 1, bucket));
  for (let take = 0; take < 64; take++) turns.take(20);
  for (let bucket = 0; bucket < 32; bucket++) turns.add(createChunk(100 + bucket, 1, 1, bucket));
  const customers = shares(turns.take(98)).map(([customer]) => customer);
  expect(customers.filter((customer) => customer >= 100)).toHaveLength(32);
});

test('where one part goes at a time, newcomers of one bucket keep out neither those of another nor the line', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  turns.add(createChunk(1, 5000, 1, 0));
  turns.add(createChunk(2, 5000, 1, 1));
  for (let take = 0; take < 8; take++) turns.take(10);
  turns.take(3);
  turns.add(createChunk(100, 1, 1, 0));
  turns.add(createChunk(3, 1, 1, 1));
  const taken: Sendable[] = [];
  for (let take = 0; take < 1000; take++) {
    if (take % 2 === 0) turns.add(createChunk(101 + take, 1, 1, 0));
    taken.push(...turns.take(1));
  }
  const counts = new Map(shares(taken));
  expect(shares(taken.slice(0, 10)).map(([customer]) => customer)).toContain(3);
  for (const backlog of [1, 2]) expect(counts.get(backlog)).toBeGreaterThan(200);
});

test('the reserved places take newcomers of all buckets', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  turns.add(createChunk(1, 500));
  turns.take(20);
  for (const customer of [2, 3]) turns.add(createChunk(customer, 1, 1, customer));
  expect(shares(turns.takeNewcomers(2)).map(([customer]) => customer)).toEqual([2, 3]);
});

test('what is taken is all there is, once each, and the count of what waits is true', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  for (let customer = 1; customer <= 7; customer++) {
    turns.add(createChunk(customer, customer * 30));
    turns.add(createChunk(customer, 11, 2));
  }
  const all = 7 * 11 + 30 * 28;
  const seen = new Set<string>();
  for (let left = all; left > 0; ) {
    expect(turns.size()).toBe(left);
    for (const { position } of turns.take(17)) {
      seen.add(`${position.chunk.key} ${position.index}`);
      left -= 1;
    }
  }
  expect([seen.size, turns.size(), turns.take(5).length, turns.nextBucket()]).toEqual([all, 0, 0, undefined]);
});

test('parts that came back go first, and a customer that is quarantined is forgotten', () => {
  const turns = createTurns(() => '1069', 'gsm7');
  turns.add(createChunk(1, 50));
  const [first, second] = turns.take(2);
  if (first === undefined || second === undefined) throw new Error('nothing was taken');
  turns.putBack([first, second]);
  expect(turns.take(2)).toEqual([first, second]);
  turns.clear(asCustomerId(1n));
  expect([turns.size(), turns.take(10)]).toEqual([0, []]);
});
