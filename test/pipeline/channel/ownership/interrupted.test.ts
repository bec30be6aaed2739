// What the next owner of a channel finds of the parts that were on the wire when a process ended.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PART } from '../../../../src/domain/chunk/chunk-state.js';
import { asTaskId } from '../../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import { markInterruptedUnknown } from '../../../../src/pipeline/channel/ownership/interrupted.js';
import { createRecorder, recordAll } from '../../../../src/pipeline/settle/recorder.js';
import { insertChunks } from '../../../../src/store/chunk/chunk.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { ownChannels } from '../../../support/fences.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

const LIMITS = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
const numbers = { seq: [1], phone: ['13800138000'], to: ['8613800138000'], text: 'Hello', parts: [2] };
const chunk = chunkOf({ numbers });
const lease = { channelId: chunk.channelId, token: 1n };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Channel', 'simulator', '{}', 'active', '{}', 1)`;
  await ownChannels(sql, [chunk.channelId]);
  await sql`insert into account (bucket, customer_id) values (0, 1)`;
});
afterAll(() => database.drop());

test('a part on the wire is found in a task that was paused and is complete by the refusal of its other part', async () => {
  const { sql } = database;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at, submit_at, paused)
    values (0, 1, ${chunk.taskId}, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 1, '[]', now(), now(), true)`;
  // A pause takes the chunk out of the queue.
  await insertChunks(sql, 0, [chunk], [null], new Date(), new Set([chunk]));
  const recorder = createRecorder({ sql, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });
  const refused: DeliveryEvent = {
    chunk,
    index: 0,
    part: 1,
    event: { kind: 'refused' },
    channelId: chunk.channelId,
    submittedAt: Date.now(),
  };
  await recordAll(recorder, [refused], lease);
  const [task] = await sql`select stage, paused from task`;
  expect(task).toEqual({ stage: 'completed', paused: false });

  const snapshot = { ...createSnapshotView(), buckets: () => [0] };
  const log = pino({ level: 'silent' });
  await markInterruptedUnknown({ sql, snapshot: () => snapshot, recorder, log, now: Date.now }, lease);
  const [stored] = await sql<{ states: Uint8Array }[]>`select part_states as states from chunk`;
  expect([...(stored?.states ?? [])]).toEqual([PART.refused, PART.unknown]);
  expect(await sql`select part from unknown_part`).toHaveLength(1);
  // It waits for its deadline, no longer in the queue.
  expect(await sql`select 1 from chunk where queue_no is not null`).toHaveLength(0);
});

test('a part on the wire is found in a task that has no unsent number after a part whose intent was lost is refused', async () => {
  const { sql } = database;
  const other = chunkOf({ numbers, taskId: asTaskId(chunk.taskId + 1n) });
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    values (0, 1, ${other.taskId}, 'c:2', '', 1, 1, true, true, true, true, 'submitting', 1, '[]', now())`;
  await insertChunks(sql, 0, [other], [1n], new Date(), new Set([other]));
  // The database lost the intent of the first part.
  await sql`update chunk set part_states = ${Buffer.from([PART.unsent, PART.intended])} where task_id = ${other.taskId}`;
  const recorder = createRecorder({ sql, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });
  const { channelId } = other;
  const refused = { chunk: other, index: 0, part: 1, event: { kind: 'refused' }, channelId, submittedAt: 1 } as const;
  await recordAll(recorder, [refused], lease);
  const [task] = await sql`select stage, paused from task where task_id = ${other.taskId}`;
  expect(task).toEqual({ stage: 'completed', paused: null });

  const snapshot = { ...createSnapshotView(), buckets: () => [0] };
  const log = pino({ level: 'silent' });
  await markInterruptedUnknown({ sql, snapshot: () => snapshot, recorder, log, now: Date.now }, lease);
  const [stored] = await sql<
    { states: Uint8Array }[]
  >`select part_states as states from chunk where task_id = ${other.taskId}`;
  expect([...(stored?.states ?? [])]).toEqual([PART.refused, PART.unknown]);
});
