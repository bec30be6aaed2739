// Numbers that one channel has sent, in a chunk whose unsent numbers moved to another channel.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newChunkState, PART } from '../../../src/domain/chunk/chunk-state.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { expireReceipts, giveUpUnknown } from '../../../src/pipeline/maintenance/sweep.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import { createRecorder, recordAll } from '../../../src/pipeline/settle/recorder.js';
import { insertChunks } from '../../../src/store/chunk/chunk.js';
import { moveChunks } from '../../../src/store/chunk/dispatch-queue.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const [LEFT, RIGHT] = [1n, 2n];
const COSTS = new Map([
  [LEFT, 11n],
  [RIGHT, 22n],
]);
const phones = ['13800138001', '13800138002', '13800138003'];
const numbers = {
  seq: [1, 2, 3],
  phone: phones,
  to: phones.map((phone) => `86${phone}`),
  text: 'Hello',
  parts: [1, 1, 1],
};
const chunk = chunkOf({ numbers, channelId: LEFT });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
  await database.sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    values (0, 1, ${chunk.taskId}, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 3, '[]', now())`;
});
afterAll(() => database.drop());

test('their receipts name the channel that sent them, and its cost, when time decides them', async () => {
  const { sql } = database;
  const limits = {
    receiptTimeoutMs: 60_000,
    unknownTimeoutMs: 60_000,
    costOf: ({ channelId, isAccepted }: { channelId?: bigint; isAccepted?: boolean }) =>
      isAccepted === true ? (COSTS.get(channelId ?? 0n) ?? null) : null,
  };
  const recorder = createRecorder({ sql, limits, concurrency: 1, signal: new AbortController().signal });
  const record = (index: number, kind: 'intended' | 'accepted' | 'unknown', channelId: bigint, queueNo = 1n) => {
    const event: DeliveryEvent = {
      chunk: { ...chunk, queueNo },
      index,
      part: 1,
      event: { kind },
      channelId,
      submittedAt: Date.now(),
    };
    return recordAll(recorder, [event]);
  };
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  for (const [index, kind] of (['accepted', 'unknown'] as const).entries()) {
    await record(index, 'intended', LEFT);
    await record(index, kind, LEFT);
  }
  const state = { ...newChunkState([1, 1, 1]), partStates: Uint8Array.of(PART.accepted, PART.unknown, PART.unsent) };
  const moves = [{ chunk, state, to: RIGHT, queueNo: 2n }];
  expect(await moveChunks(sql, 0, chunk.customerId, moves, new Date())).toEqual(new Set([2n]));
  await record(2, 'intended', RIGHT, 2n);
  await record(2, 'accepted', RIGHT, 2n);

  const quarantine = createQuarantine({
    now: Date.now,
    log: pino({ level: 'silent' }),
  });
  const deps = { sql, recorder, quarantine, limits };
  await sql`update unknown_part set deadline = now()`;
  await giveUpUnknown(deps, 0);
  await sql`update submit set answered_at = now() - interval '1 hour'`;
  await sql`update chunk set due_at = now()`;
  await expireReceipts(deps, 0);
  const receipts = await sql`select seq, result, channel_id as channel, cost from receipt order by seq`;
  expect(receipts.map((row) => ({ ...row }))).toEqual([
    { seq: 1, result: 'expired', channel: LEFT, cost: 11n },
    { seq: 2, result: 'rejected', channel: LEFT, cost: null },
    { seq: 3, result: 'expired', channel: RIGHT, cost: 22n },
  ]);
});
