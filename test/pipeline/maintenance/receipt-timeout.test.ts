// The receipt timeout of a number counts from its own acceptance, whatever the other numbers of its chunk do.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { expireReceipts } from '../../../src/pipeline/maintenance/sweep.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import { createRecorder, type Recorder } from '../../../src/pipeline/settle/recorder.js';
import { insertChunks } from '../../../src/store/chunk/chunk.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const HOUR_MS = 3_600_000;
const limits = { receiptTimeoutMs: 72 * HOUR_MS, unknownTimeoutMs: 24 * HOUR_MS };
const seq = [1, 2, 3, 4, 5];
const phones = seq.map((each) => `1380013800${each}`);
const numbers = { seq, phone: phones, to: phones.map((phone) => `86${phone}`), text: 'Hello', parts: seq.map(() => 1) };
const chunk = chunkOf({ numbers });
const quarantine = createQuarantine({
  now: Date.now,
  log: pino({ level: 'silent' }),
});
let database: TestDatabase;
let recorder: Recorder;

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  await sql`insert into account (bucket, customer_id) values (0, 1)`;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    values (0, 1, ${chunk.taskId}, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 5, '[]', now())`;
  recorder = createRecorder({ sql, limits, concurrency: 1, signal: new AbortController().signal });
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
});
afterAll(() => database.drop());

async function record(index: number, kind: 'intended' | 'accepted' | 'unknown'): Promise<void> {
  const event: DeliveryEvent = { chunk, index, part: 1, event: { kind }, channelId: 1n, submittedAt: Date.now() };
  await recorder.record([event]);
}

/** When the sweep looks next, in hours from now, and what it has expired. */
async function sweep() {
  const { sql } = database;
  await expireReceipts({ sql, recorder, quarantine, limits }, 0);
  const [row] = await sql`
    select round(extract(epoch from due_at - now()) / 3600)::int as hours, queue_no as place, handed_over as "handedOver" from chunk`;
  const expired = await sql<{ seq: number }[]>`select seq from receipt where result = 'expired' order by seq`;
  return { ...row, expired: expired.map((each) => each.seq) };
}

const passHours = async (hours: number) => {
  await database.sql`update submit set answered_at = answered_at - ${hours} * interval '1 hour'`;
  await database.sql`update chunk set due_at = due_at - ${hours} * interval '1 hour'`;
};

test('numbers expire one by one while others of their chunk are unsent, queued or paused', async () => {
  const { sql } = database;
  for (const kind of ['intended', 'accepted'] as const) await record(0, kind);
  expect(await sweep()).toMatchObject({ hours: 72, place: 1n, expired: [] });
  await passHours(40);
  for (const kind of ['intended', 'accepted'] as const) await record(1, kind);
  for (const kind of ['intended', 'unknown'] as const) await record(2, kind);
  // The first acceptance decides when it is looked at.
  expect(await sweep()).toMatchObject({ hours: 32, expired: [] });
  await sql`update chunk set queue_no = null`;
  await passHours(33);
  expect(await sweep()).toMatchObject({ hours: 39, expired: [1] });
  await passHours(40);
  expect(await sweep()).toMatchObject({ hours: 72, place: null, handedOver: false, expired: [1, 2] });
});

test('an unknown number that turns out accepted waits from then on', async () => {
  await database.sql`update chunk set queue_no = 1`;
  await record(2, 'accepted');
  await passHours(71);
  expect((await sweep()).expired).toEqual([1, 2]);
  for (const index of [3, 4]) for (const kind of ['intended', 'accepted'] as const) await record(index, kind);
  await passHours(2);
  expect(await sweep()).toMatchObject({ hours: 70, place: null, handedOver: true, expired: [1, 2, 3] });
});
