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

/** Queues a chunk of one part, as any process does. */
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
