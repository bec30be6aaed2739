// A carrier repeats a report on a number that left its first chunk for another channel, was delivered there, and whose second chunk is
// gone. Memory has forgotten the part, so the database is asked. The report is about the second attempt: the first chunk, which another
// number keeps open, stays as it is.

import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import { findCandidates } from '../../../../src/pipeline/channel/reports/find-parts.js';
import { expireReceipts } from '../../../../src/pipeline/maintenance/sweep.js';
import { createQuarantine } from '../../../../src/pipeline/quarantine/quarantine.js';
import { createRecorder } from '../../../../src/pipeline/settle/recorder.js';
import { readChunksOfTasks } from '../../../../src/store/chunk/chunk.js';
import { createTestDatabase } from '../../../support/database.js';
import { ownChannels } from '../../../support/fences.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

const LIMITS = { receiptTimeoutMs: 3_600_000, unknownTimeoutMs: 3_600_000 };
const PRICE = 200_000n;
const numbers = {
  seq: [1, 2],
  phone: ['13800138001', '13800138002'],
  to: ['8613800138001', '8613800138002'],
  text: 'x'.repeat(200),
  parts: [2, 2],
};
const FIRST = { channelId: 1n, token: 1n };
const SECOND = { channelId: 2n, token: 1n };
type Event = DeliveryEvent['event'];
type More = Partial<DeliveryEvent>;
const DELIVERED = { kind: 'reported', status: 'delivered' } as const;

/** A task of two numbers of two parts, in one chunk that is queued on the first channel. */
async function startWorld(partStates: string) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { sql } = database;
  const taskId = asTaskId(BigInt(Date.now()) << 20n);
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    select 'H' || at, 'Channel', 'simulator', '{}', 'active', '{}', 1 from generate_series(1, 2) as at`;
  await sql`insert into account (bucket, customer_id, queue_seq, available, frozen) values (0, 1, 1, 0, ${PRICE})`;
  await ownChannels(sql, [1n, 2n]);
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at,
      frozen, price, frozen_at, charge_on, refund_on_failure)
    values (0, 1, ${taskId}, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 2, '[{"stage":"submitting"}]', now(),
      ${PRICE}, ${PRICE}, now(), 'submit', true)`;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    values (0, 1, ${taskId}, 1, 1, 1, 'cmcc', 50000, ${JSON.stringify(numbers)}, decode(${partStates}, 'hex'), '\\x0000', 1)`;
  const lost: DeliveryEvent[] = [];
  const recorder = createRecorder({
    sql,
    limits: LIMITS,
    concurrency: 1,
    signal: new AbortController().signal,
    onLostCommits: (events) => lost.push(...events),
  });
  const first = chunkOf({ taskId, numbers, unitPrice: 50_000n as never });
  const onFirst = (index: number, part: number, event: Event, more: More = {}) =>
    recorder.record([{ chunk: first, index, part, channelId: 1n, submittedAt: Date.now(), event, ...more }], {
      lease: FIRST,
    });

  /** The second number is accepted and delivered on the second channel, where its chunk is deleted. */
  const deliverOnSecond = async () => {
    const stored = await readChunksOfTasks(sql, 0, [{ customerId: asCustomerId(1n), taskId }]);
    const chunk = stored.find((one) => one.chunk.channelId === 2n)?.chunk ?? expect.fail('it has not moved');
    for (const part of [1, 2]) {
      const base = { chunk, index: 0, part, channelId: 2n, submittedAt: Date.now() };
      const messageId = `m${part}`;
      await recorder.record([{ ...base, event: { kind: 'intended' } }], { lease: SECOND });
      await recorder.record([{ ...base, event: { kind: 'accepted' }, messageId }], { lease: SECOND });
      await recorder.record([{ ...base, event: DELIVERED, messageId, code: 'DELIVRD' }], { lease: SECOND });
    }
    expect(await sql`select 1 from chunk where channel_id = 2`).toHaveLength(0);
  };

  const repeatReport = async (messageId: string) => {
    const report = { messageId, phone: '8613800138002' };
    const snapshot = () => ({ customer: () => ({ bucket: 0 }) }) as never;
    const deps = { sql, snapshot, channelId: 2n, messageIdFormat: 'auto', now: Date.now } as const;
    const found = (await findCandidates(deps, [report])).get(report)?.[0]?.found ?? expect.fail('not found');
    const { chunk, index, part, submittedAt } = found;
    const event = { chunk, index, part, submittedAt, channelId: 2n, event: DELIVERED, messageId, code: 'DELIVRD' };
    await recorder.record([event], { lease: SECOND });
  };

  return {
    sql,
    recorder,
    lost,
    first,
    onFirst,
    deliverOnSecond,
    repeatReport,
    readTask: async () => (await sql`select paused, delivered, expired, awaiting, refunded from task`)[0],
    readSubmits: () => sql`select seq, part, channel_id as channel, status from submit order by submit_id`,
    readDeliveries: () => sql`select seq, part from delivery_report order by seq, part`,
  };
}

test('a number that was rerouted, untouched', async () => {
  // The first number is in progress: one part is accepted, one unsent.
  const world = await startWorld('02000000');
  await world.onFirst(1, 1, { kind: 'rerouted' }, { failoverChannel: 2n });
  await world.deliverOnSecond();
  const chunks = () => world.sql`select chunk_no, part_states, results, queue_no, due_at from chunk`;
  const before = await chunks();
  for (const messageId of ['m1', 'm2', 'm1']) await world.repeatReport(messageId);
  expect(world.lost).toEqual([]);
  expect(await world.readTask()).toMatchObject({ paused: null, delivered: 1 });
  expect(await world.readSubmits()).toHaveLength(2);
  expect(await world.readDeliveries()).toHaveLength(2);
  expect(await chunks()).toEqual(before);
});

test('a number that failed over after one of its parts was refused', async () => {
  const world = await startWorld('00000000');
  await world.onFirst(1, 1, { kind: 'intended' });
  await world.onFirst(1, 1, { kind: 'declined' }, { code: '88', failoverChannel: 2n });
  await world.deliverOnSecond();
  for (const messageId of ['m1', 'm2']) await world.repeatReport(messageId);
  expect(world.lost).toEqual([]);
  expect(await world.readTask()).toMatchObject({ paused: null, delivered: 1 });
  expect(await world.readSubmits()).toHaveLength(3);
  expect(await world.readDeliveries()).toHaveLength(2);
});

test('the receipt timeout of the first chunk expires the number that is still in it, and no other', async () => {
  const world = await startWorld('02000000');
  const { sql, recorder } = world;
  await world.onFirst(1, 1, { kind: 'rerouted' }, { failoverChannel: 2n });
  await world.deliverOnSecond();
  for (const messageId of ['m1', 'm2']) await world.repeatReport(messageId);
  // The message in progress is completed on its channel, and no report comes.
  await world.onFirst(0, 2, { kind: 'intended' });
  await world.onFirst(0, 2, { kind: 'accepted' }, { messageId: 'a2' });
  await sql`update submit set answered_at = now() - interval '1 day'`;
  await sql`update chunk set due_at = now()`;
  const quarantine = createQuarantine({
    now: Date.now,
    log: pino({ level: 'silent' }),
  });
  await expireReceipts({ sql, recorder, quarantine, limits: LIMITS }, 0);
  const receipts = await sql`select seq, result from receipt order by seq, receipt_id`;
  expect(receipts.map((row) => ({ ...row }))).toEqual([
    { seq: 1, result: 'expired' },
    { seq: 2, result: 'delivered' },
  ]);
  expect(await world.readTask()).toMatchObject({ delivered: 1, expired: 1, awaiting: 0, refunded: PRICE / 2n });
});

test('a report that names the second channel and the first chunk is recorded and changes nothing', async () => {
  const world = await startWorld('02000000');
  await world.onFirst(1, 1, { kind: 'rerouted' }, { failoverChannel: 2n });
  await world.onFirst(1, 1, DELIVERED, { channelId: 2n, messageId: 'm1', code: 'DELIVRD' });
  expect(world.lost).toEqual([]);
  expect(await world.readTask()).toMatchObject({ paused: null, delivered: 0, awaiting: 0 });
  expect(await world.readSubmits()).toEqual([]);
  expect(await world.readDeliveries()).toHaveLength(1);
});
