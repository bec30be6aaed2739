// How many parts a pump takes from the queue, and what it takes from the rate for them.

import { expect, test } from 'vitest';
import type { StoredChunk } from '../../../../src/domain/chunk/chunk.js';
import { newChunkState } from '../../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import type { MessageClass } from '../../../../src/domain/rules/message-class.js';
import { placeOf } from '../../../../src/domain/rules/queue-place.js';
import type { Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createWindow } from '../../../../src/pipeline/channel/parts/window.js';
import { createClassTurns } from '../../../../src/pipeline/channel/sending/class-turns.js';
import { createPacer } from '../../../../src/pipeline/channel/sending/pacer.js';
import { createPump } from '../../../../src/pipeline/channel/sending/pump.js';
import { createTurns } from '../../../../src/pipeline/channel/sending/turns.js';
import { startWake } from '../../../../src/pipeline/wake.js';
import type { Sql } from '../../../../src/store/sql.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

/** In parts per second: the token bucket holds ten. */
const RATE = 100;
const BURST = 10;
const LONG_TEXT = 'a'.repeat(200);

function createChunk(
  messageClass: MessageClass,
  customer: bigint,
  numbers: number,
  text: string,
  bucket = 0,
): StoredChunk {
  const each = <Value>(value: (at: number) => Value) => Array.from({ length: numbers }, (_, at) => value(at));
  const parts = each(() => (text === LONG_TEXT ? 2 : 1));
  const to = each((at) => String(8_613_800_000_000 + at));
  const columns = { seq: each((at) => at + 1), phone: to, to, text, parts };
  const customerId = asCustomerId(customer);
  const place = { bucket, customerId, taskId: asTaskId(1n), queueNo: placeOf(messageClass, customer) };
  return { chunk: chunkOf({ ...place, numbers: columns }), state: newChunkState(parts), intendedAt: null };
}

/** A pump with a full token bucket. */
async function openPump({ slots = 100, isPaced = true } = {}) {
  let nowMs = 1_000_000;
  const window = createWindow(slots);
  const sent: Sendable[] = [];
  const batches: number[] = [];
  const turns = createClassTurns(() => createTurns(() => '1069', 'gsm7'));
  const pacer = createPacer(isPaced ? RATE : undefined, () => nowMs);
  const wake = await startWake({ sql: undefined as unknown as Sql, listen: false, warn: () => {} });
  const pump = createPump({
    window,
    turns,
    loader: { wantsMore: () => false },
    pacer,
    wake,
    isOpen: () => true,
    send(parts) {
      sent.push(...parts);
      batches.push(parts.length);
    },
  });
  nowMs += 1000;
  return { sent, batches, turns, window, pacer, pump };
}

/** Adds a number of two parts whose first part was taken and refused. */
function addRefused(turns: ReturnType<typeof createClassTurns>, messageClass: MessageClass): void {
  const stored = createChunk(messageClass, 1n, 1, LONG_TEXT);
  turns.add(stored);
  expect(turns.take(1)).toHaveLength(1);
  turns.drop(stored.chunk, 0);
}

test('the other parts of a refused number take nothing from the rate', async () => {
  const { sent, turns, pacer, pump } = await openPump();
  addRefused(turns, 'notice');
  pump.run();
  pump.stop();
  expect([sent.length, pacer.take(BURST)]).toEqual([0, BURST]);
});

test('nor do they where a more urgent class is sent ahead of a backlog', async () => {
  const { sent, turns, pump } = await openPump();
  turns.add(createChunk('promotion', 2n, 100, 'Hello'));
  // The customer of the backlog is no newcomer any more.
  turns.take(20);
  addRefused(turns, 'otp');
  expect(turns.countNewcomers(2)).toBe(1);
  pump.run();
  pump.stop();
  expect(sent).toHaveLength(BURST);
});

test('buckets are sent one after the other while there is room, each in a batch of its own', async () => {
  const { batches, turns, pump } = await openPump();
  turns.add(createChunk('notice', 1n, 3, 'Hello', 1));
  turns.add(createChunk('notice', 2n, 4, 'Hello', 2));
  turns.add(createChunk('notice', 3n, 2, 'Hello', 1));
  pump.run();
  pump.stop();
  expect([batches, turns.size()]).toEqual([[5, 4], 0]);
});

test('after a refused number of one bucket the next is sent', async () => {
  // Without reserved slots, which newcomers would use.
  const { sent, turns, pump } = await openPump({ slots: 10 });
  addRefused(turns, 'notice');
  turns.add(createChunk('notice', 2n, 1, 'Hello', 1));
  pump.run();
  pump.stop();
  expect(sent).toHaveLength(1);
});

test('codes of two buckets use the reserved slots ahead of newcomers of less urgent classes', async () => {
  const { sent, turns, pump } = await openPump({ isPaced: false });
  turns.add(createChunk('promotion', 1n, 500, 'Hello'));
  pump.run();
  sent.length = 0;
  turns.add(createChunk('promotion', 4n, 1, 'Hello'));
  turns.add(createChunk('otp', 2n, 1, 'Hello', 1));
  turns.add(createChunk('otp', 3n, 1, 'Hello', 2));
  pump.run();
  pump.stop();
  expect(sent.map(({ position }) => position.chunk.customerId).toSorted()).toEqual([2n, 3n]);
});

test('a less urgent class does not overtake one that continues with another bucket', async () => {
  const turns = createClassTurns(() => createTurns(() => '1069', 'gsm7'));
  for (const customer of [1n, 2n]) turns.add(createChunk('otp', customer, 30, 'Hello', Number(customer)));
  turns.add(createChunk('promotion', 3n, 30, 'Hello', 1));
  // Both have had their first parts and stand in line.
  turns.take(20);
  const taken = turns.take(30);
  expect(new Set(taken.map(({ position }) => position.chunk.customerId))).toEqual(new Set([1n]));
});

test('the slots of answers are of use to the bucket that is next, on a cluster too', async () => {
  const { sent, turns, window, pump } = await openPump({ isPaced: false });
  turns.add(createChunk('notice', 1n, 400, 'Hello', 1));
  pump.run();
  expect(sent).toHaveLength(98);
  window.reuseAfterCommit(sent.slice(0, 60));
  pump.run();
  pump.stop();
  expect(sent).toHaveLength(98 + 60);
});
