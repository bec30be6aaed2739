// What the loader reads from the queues of a channel, and when: nothing that is queued is passed over, or waits longer than it must.

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import type { MessageClass } from '../../../../src/domain/rules/message-class.js';
import { placeOf, queueKeyOf } from '../../../../src/domain/rules/queue-place.js';
import { createClassTurns } from '../../../../src/pipeline/channel/sending/class-turns.js';
import { createLoader, type LoaderOptions } from '../../../../src/pipeline/channel/sending/loader.js';
import { createTurns } from '../../../../src/pipeline/channel/sending/turns.js';
import { insertChunks } from '../../../../src/store/chunk/chunk.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { chunkOf } from '../../../support/model/chunk-of.js';
import { until } from '../../../support/until.js';

const CHANNEL = 1n;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (bucket, customer_id) values (0, 2), (1, 1)`;
});
beforeEach(() => database.sql`truncate chunk`);
afterAll(() => database.drop());

/** A loader of all queues, which are always open, with customers 0, 1, 2 … in its buckets in turn. */
function createTestLoader(options: Partial<LoaderOptions> = {}) {
  const turns = createClassTurns(() => createTurns(() => '1069', 'gsm7'));
  const { buckets = () => [0] } = options;
  const loader = createLoader({
    sql: database.sql,
    channelId: CHANNEL,
    buckets,
    bucketOf: (customerId) => Number(customerId) % buckets().length,
    turns,
    now: Date.now,
    window: 1,
    isIdle: () => true,
    queueVersion: () => 0,
    ensureSenders: async () => {},
    hoursOf: () => ({ isOpen: true, changesAt: Number.POSITIVE_INFINITY, outside: 'hold' }),
    reject: () => {},
    loadSoon: () => {},
    ...options,
  });
  onTestFinished(() => loader.stop());
  return { turns, loader };
}

/** Queues a chunk of one part. */
async function queue(bucket: number, customer: number, messageClass: MessageClass, place = 1): Promise<void> {
  const keys = { bucket, customerId: asCustomerId(BigInt(customer)), taskId: asTaskId(1n), chunkNo: place };
  const chunk = chunkOf({ ...keys, channelId: CHANNEL });
  await insertChunks(database.sql, bucket, [chunk], [placeOf(messageClass, BigInt(place))], new Date());
}

const keyOf = (customer: number, messageClass: MessageClass) =>
  queueKeyOf(asCustomerId(BigInt(customer)), messageClass);

test('a code that another process queues right after a look, beside a backlog, is loaded by a load that is asked for', async () => {
  let nowMs = 1000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  let version = 0;
  let loadSoon = () => {};
  const isLoadAsked = new Promise<void>((resolve) => {
    loadSoon = resolve;
  });
  const { turns, loader } = createTestLoader({ window: 2, queueVersion: () => version, loadSoon });
  const customers = [1, 2, 3, 4];
  for (const customer of customers) await queue(0, customer, 'promotion');
  await loader.load();
  // Once more, to the end of their queues.
  loader.hint(customers.map((customer) => keyOf(customer, 'promotion')));
  await loader.load();
  expect(turns.sizeOfClass('promotion')).toBe(4);
  await queue(0, 5, 'otp');
  version += 1;
  nowMs += 60;
  await loader.load();
  expect(turns.sizeOfClass('otp')).toBe(0);
  await isLoadAsked;
  nowMs += 100;
  await loader.load();
  expect(turns.sizeOfClass('otp')).toBe(1);
});

test('a queue that is to be read from its start again while it is being read skips none of its chunks', async () => {
  let isIdle = false;
  let isReading = false;
  let onRestart = () => {};
  const isRestarted = new Promise<void>((resolve) => {
    onRestart = resolve;
  });
  let ensureSenders: LoaderOptions['ensureSenders'] = async () => {};
  const { turns, loader } = createTestLoader({
    isIdle: () => isIdle,
    ensureSenders: (chunks) => ensureSenders(chunks),
  });
  const held = keyOf(2, 'notice');
  await queue(0, 2, 'notice', 10);
  await loader.load();
  expect(turns.sizeOfQueue(held)).toBe(1);
  // More is queued, and read.
  await queue(0, 2, 'notice', 11);
  ensureSenders = async () => {
    isReading = true;
    await isRestarted;
  };
  turns.clearQueue(held);
  loader.hint([held]);
  const reading = loader.load();
  await until('it is being read', () => isReading);
  // Its hours end and begin again, with a part in flight that is recorded.
  loader.hold(held);
  isIdle = true;
  ensureSenders = async () => {};
  await loader.load();
  onRestart();
  await reading;
  const loaded: number[] = [];
  await until('both chunks are loaded', async () => {
    await loader.load();
    loaded.push(...turns.take(10).map(({ position }) => position.chunk.chunkNo));
    return loaded.length > 1;
  });
  expect(loaded).toEqual([10, 11]);
});

test('a load that is under way at the stop asks for no other', async () => {
  let loadsAsked = 0;
  const { loader } = createTestLoader({
    now: () => 0,
    hoursOf: () => ({ isOpen: false, changesAt: 1, outside: 'hold' }),
    loadSoon: () => {
      loadsAsked += 1;
    },
  });
  await queue(0, 1, 'notice');
  const loading = loader.load();
  loader.stop();
  await loading;
  // Timers end in their order: one of the loader would have.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(loadsAsked).toBe(0);
});

test('nor does one that nothing was loaded of before', async () => {
  let onRestart = () => {};
  const isRestarted = new Promise<void>((resolve) => {
    onRestart = resolve;
  });
  let reads = 0;
  const ensureSenders = async () => {
    reads += 1;
    if (reads === 1) await isRestarted;
  };
  const { turns, loader } = createTestLoader({ buckets: () => [0, 1], ensureSenders });
  const customer = asCustomerId(2n);
  await queue(0, 2, 'notice', 10);
  const first = loader.load();
  await until('it is being read', () => reads === 1);
  // A chunk returns to an earlier place.
  await queue(0, 2, 'notice', 5);
  loader.pause(customer);
  loader.resume(customer, () => true);
  await loader.load();
  onRestart();
  await first;
  const loaded: number[] = [];
  await until('both chunks are loaded', async () => {
    await loader.load();
    loaded.push(...turns.take(10).map(({ position }) => position.chunk.chunkNo));
    return loaded.length > 1;
  });
  expect(loaded).toEqual([5, 10]);
});

test('a queue whose hours end and begin again is not read from its start while its parts are in flight', async () => {
  let isOpen = true;
  let isIdle = false;
  const { loader, turns } = createTestLoader({
    hoursOf: () => ({ isOpen, changesAt: Number.POSITIVE_INFINITY, outside: 'hold' }),
    isIdle: () => isIdle,
  });
  await queue(0, 2, 'notice');
  await loader.load();
  expect(turns.take(1)).toHaveLength(1);
  const loadHinted = async () => {
    loader.hint([keyOf(2, 'notice')]);
    await loader.load();
    return turns.size();
  };
  isOpen = false;
  expect(await loadHinted()).toBe(0);
  isOpen = true;
  expect(await loadHinted()).toBe(0);
  isIdle = true;
  expect(await loadHinted()).toBe(1);
});

test('more is wanted of codes that wait unread, although promotions fill the memory', async () => {
  const { loader, turns } = createTestLoader();
  const codes = [1, 2, 3, 4, 5, 6];
  for (const customer of codes) await queue(0, customer, 'otp');
  for (const customer of [7, 8, 9, 10]) await queue(0, customer, 'promotion');
  let taken = 0;
  for (let loads = 0; loader.wantsMore() && loads < 2 * codes.length; loads += 1) {
    await loader.load();
    taken += turns.take(turns.sizeOfClass('otp')).length;
  }
  expect(turns.sizeOfClass('promotion')).toBeGreaterThanOrEqual(2);
  expect(taken).toBe(codes.length);
});

test.for([2, 3, 5])('%i busy customers that are hinted leave a turn to one that is not', async (busy) => {
  let version = 0;
  const { loader, turns } = createTestLoader({ window: 16, queueVersion: () => version });
  const places = new Map<number, number>();
  const queueMore = async (customer: number, count: number): Promise<void> => {
    const from = places.get(customer) ?? 0;
    places.set(customer, from + count);
    for (let place = from + 1; place <= from + count; place++) await queue(0, customer, 'notice', place);
  };
  const customers = Array.from({ length: busy }, (_, at) => at + 1);
  for (const customer of customers) await queueMore(customer, 100);
  const quiet = 100;
  let roundsWaited = 0;
  for (let round = 0, isSent = false; !isSent && roundsWaited < 100; round++) {
    // Queued where nothing hints at it, such as by another process, once the busy customers fill the memory.
    if (round === 20) await queueMore(quiet, 1);
    // Each busy customer has a new task that this process prepared.
    for (const customer of customers) await queueMore(customer, 4);
    loader.hint(customers.map((customer) => keyOf(customer, 'notice')));
    version += 1;
    await loader.load();
    isSent = turns.take(4).some(({ position }) => Number(position.chunk.customerId) === quiet);
    if (round > 20 && !isSent) roundsWaited += 1;
  }
  // Polls are a tenth of a second apart, and each customer before it takes one turn.
  expect(roundsWaited).toBeLessThan(100);
});

test('a customer that has nothing in memory is read although others fill it, and those others are not', async () => {
  const { loader, turns } = createTestLoader({ window: 2 });
  for (const place of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await queue(0, 1, 'notice', place);
  while (loader.wantsMore()) await loader.load();
  const filled = turns.sizeOfClass('notice');
  await queue(0, 2, 'notice');
  loader.hint([keyOf(1, 'notice'), keyOf(2, 'notice')]);
  expect(loader.wantsMore()).toBe(true);
  await loader.load();
  expect(turns.sizeOfQueue(keyOf(2, 'notice'))).toBe(1);
  expect(turns.sizeOfQueue(keyOf(1, 'notice'))).toBe(filled);
  expect(loader.wantsMore()).toBe(false);
});
