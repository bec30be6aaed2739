// A process that stands still for longer than its lease reads its answers when it continues. By then the next owner of the channel has the
// reports, which matched no part.

import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Feedback, OpenChannel } from '../../../../src/channels/channel.js';
import type { ChannelConfig } from '../../../../src/domain/entities/channel.js';
import { asTaskId } from '../../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import { startChannelOwner } from '../../../../src/pipeline/channel/ownership/owner.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import { createPartsInFlight } from '../../../../src/pipeline/channel/parts/parts-in-flight.js';
import { createQuarantine } from '../../../../src/pipeline/quarantine/quarantine.js';
import { createRecorder, type Recorder } from '../../../../src/pipeline/settle/recorder.js';
import { startWake } from '../../../../src/pipeline/wake.js';
import { takeOverBucket } from '../../../../src/store/channel/bucket-fence.js';
import { acquireLease } from '../../../../src/store/channel/channel-lease.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import type { Sql } from '../../../../src/store/sql.js';
import { createTestDatabase } from '../../../support/database.js';
import { chunkOf } from '../../../support/model/chunk-of.js';
import { until } from '../../../support/until.js';

const LIMITS = { receiptTimeoutMs: 3_600_000, unknownTimeoutMs: 3_600_000 };
const PRICE = 100_000n;
const PHONE = '8613800138001';
const numbers = { seq: [1], phone: [PHONE.slice(2)], to: [PHONE], text: 'x'.repeat(100), parts: [2] };
const log = pino({ level: 'silent' });

const startRecorder = (sql: Sql): Recorder =>
  createRecorder({ sql, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });

/** Owns the channel with a carrier that only reports, by a clock that the test moves. */
async function startOwner(sql: Sql, recorder: Recorder, now: () => number) {
  const wake = await startWake({ sql, listen: false, warn: () => {} });
  let listener: ((feedback: Feedback) => void) | undefined;
  let opened = 0;
  const channel: OpenChannel = {
    window: 10,
    messageIdFormat: 'auto',
    submit: () => expect.fail('nothing is sent here'),
    onFeedback(to) {
      listener = to;
    },
    health: () => ({ state: 'up', sessions: 1 }),
    close: async () => {},
  };
  const config = {
    channelId: 1n,
    channelNo: 'H1',
    status: 'active',
    version: 1n,
    failoverCodes: [],
    callbackToken: null,
  };
  const configs = [config as Partial<ChannelConfig> as ChannelConfig];
  const view = { ...createSnapshotView(), buckets: () => [0], channel: () => configs[0], channels: () => configs };
  const owner = startChannelOwner({
    sql,
    snapshot: () => view,
    refreshSnapshot: async () => {},
    region: 'CN',
    recorder,
    quarantine: createQuarantine({ now, log }),
    memory: createPartMemory(1e6),
    inFlight: createPartsInFlight(),
    wake,
    log,
    now,
    databaseNow: now,
    limits: LIMITS,
    owner: 'B',
    patienceMs: () => 0,
    gate: () => 'open',
    steadyMs: 60_000,
    onConfigChange: () => () => {},
    openChannel() {
      opened += 1;
      return channel;
    },
    observerOf: () => ({ outcome() {}, feedback() {} }),
  });
  onTestFinished(async () => {
    await owner.stop();
    await wake.stop();
  });
  await until('the channel is open', () => owner.runtimeOf(1n) !== undefined);
  return {
    opened: () => opened,
    report: (messageId: string) =>
      new Promise<void>((ack, nack) =>
        listener?.({ kind: 'report', messageId, status: 'delivered', code: 'DELIVRD', phone: PHONE, ack, nack }),
      ),
  };
}

test('reports on a long message are recorded when a previous owner has recorded its answers, without reopening', async () => {
  const database = await createTestDatabase({ maxConnections: 5 });
  onTestFinished(() => database.drop());
  const { sql } = database;
  const taskId = asTaskId(BigInt(Date.now()) << 20n);
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Channel', 'simulator', '{}', 'active', '{}', 1)`;
  await sql`insert into account (bucket, customer_id, queue_seq, available, frozen) values (0, 1, 1, 0, ${PRICE})`;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at,
      frozen, price, frozen_at, charge_on, refund_on_failure)
    values (0, 1, ${taskId}, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 1, '[{"stage":"submitting"}]', now(),
      ${PRICE}, ${PRICE}, now(), 'submit', true)`;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    values (0, 1, ${taskId}, 1, 1, 1, 'cmcc', 50000, ${JSON.stringify(numbers)}, '\\x0000', '\\x00', 1)`;
  const chunk = chunkOf({ taskId, numbers, unitPrice: 50_000n as never });
  const readCounts = async () =>
    (await sql`select unknown::int, awaiting::int, delivered::int from task`).map((row) => ({ ...row }))[0];

  // A sends both parts, and stands still.
  const recorderOfA = startRecorder(sql);
  const lease = await acquireLease(sql, { channelId: 1n, owner: 'A', leaseMs: 0, patienceMs: 0 });
  if (lease === undefined) throw new Error('the channel has another owner');
  await takeOverBucket(sql, 0, lease);
  const submittedAt = Date.now();
  const onPart = (part: number, more: Pick<DeliveryEvent, 'event' | 'messageId'>): DeliveryEvent => {
    return { chunk, index: 0, part, channelId: 1n, submittedAt, ...more };
  };
  await recorderOfA.record(
    [1, 2].map((part) => onPart(part, { event: { kind: 'intended' } })),
    { lease },
  );

  // B takes the channel over and gets the reports.
  let passedMs = 0;
  const recorderOfB = startRecorder(sql);
  const next = await startOwner(sql, recorderOfB, () => Date.now() + passedMs);
  expect(await readCounts()).toEqual({ unknown: 1, awaiting: 0, delivered: 0 });
  await Promise.all([next.report('m1'), next.report('m2')]);
  expect(await sql`select 1 from unmatched_report`).toHaveLength(2);

  // A continues.
  const answers = [1, 2].map((part) => onPart(part, { event: { kind: 'accepted' }, messageId: `m${part}` }));
  const { failed } = await recorderOfA.record(answers, { lease });
  expect([...failed.values()]).toEqual([]);
  expect(await readCounts()).toEqual({ unknown: 0, awaiting: 1, delivered: 0 });

  passedMs = 60_000;
  await until('the reports are recorded', async () => (await readCounts())?.delivered === 1);
  expect(await sql`select result from receipt`).toMatchObject([{ result: 'delivered' }]);
  expect(await sql`select 1 from unmatched_report`).toHaveLength(0);
  expect(next.opened()).toBe(1);
});
