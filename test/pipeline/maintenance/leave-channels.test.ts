// Chunks of a customer on a channel whose grant was revoked.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChannelConfig } from '../../../src/domain/entities/channel.js';
import { asCustomerId } from '../../../src/domain/id.js';
import {
  createLeaveRound,
  leaveChannels,
  leaveRevokedChannels,
} from '../../../src/pipeline/maintenance/leave-channels.js';
import { createRecorder, type Recorder } from '../../../src/pipeline/settle/recorder.js';
import type { Wake } from '../../../src/pipeline/wake.js';
import { insertChunks } from '../../../src/store/chunk/chunk.js';
import type { Snapshot } from '../../../src/store/snapshot/snapshot.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const [REVOKED, OTHER] = [1n, 2n];
const LIMITS = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
const channels = [REVOKED, OTHER].map((channelId) => ({ channelId, firms: ['cmcc'] }) as unknown as ChannelConfig);
const snapshot = {
  channel: (channelId: bigint) => channels.find((channel) => channel.channelId === channelId),
  grantedChannels: () => channels.filter(({ channelId }) => channelId === OTHER),
  isGranted: (_: bigint, channelId: bigint) => channelId === OTHER,
  isFiled: () => true,
} as unknown as Snapshot;
const refreshSnapshot = async () => {};
const phones = ['13800138001', '13800138002', '13800138003'];
const numbers = { seq: [1, 2, 3], phone: phones, to: phones, text: 'Hello', parts: [2, 1, 1] };
const chunk = chunkOf({ numbers, channelId: REVOKED });
let database: TestDatabase;
let recorder: Recorder;

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  recorder = createRecorder({ sql, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });
  for (const channelNo of ['H1', 'H2']) {
    await sql`
      insert into channel (channel_no, name, kind, firms, status, config, version)
      values (${channelNo}, 'Channel', 'simulator', '{cmcc}', 'active', '{}', 1)`;
  }
  await sql`
    insert into channel_heartbeat (channel_id, token, expires_at, health)
    values (${OTHER}, 1, 'infinity', '{"state": "up"}')`;
  await sql`insert into account (bucket, customer_id) values (0, 1)`;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
    values (0, 1, ${chunk.taskId}, 'c:1', '', 1, 1, true, true, true, true, 'submitting', 3, '[]', now())`;
});
afterAll(() => database.drop());

test('a chunk in the middle of a message gives away the numbers of which nothing was sent', async () => {
  const { sql } = database;
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  // Of the first number one part is sent and the other is not; the third is on the wire.
  await sql`update chunk set part_states = '\\x02000001'`;
  const notified: string[] = [];
  const wake = { notify: (topic: string) => void notified.push(topic) } as unknown as Wake;
  await leaveChannels({ sql, snapshot: () => snapshot, refreshSnapshot, wake, recorder }, chunk);
  const rows = await sql`
    select channel_id as channel, numbers::json->'seq' as seq, encode(part_states, 'hex') as states,
      encode(results, 'hex') as results, queue_no is not null as queued
    from chunk order by chunk_no`;
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { channel: REVOKED, seq: [1, 2, 3], states: '02000001', results: '000500', queued: true },
    { channel: OTHER, seq: [2], states: '00', results: '00', queued: true },
  ]);
  expect(notified).toEqual(['dispatch']);
  await leaveChannels({ sql, snapshot: () => snapshot, refreshSnapshot, wake, recorder }, chunk);
  expect(await sql`select 1 from chunk`).toHaveLength(2);
});

test('a customer for whom this fails does not stop the others', async () => {
  const { sql } = database;
  await sql`delete from chunk`;
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  const broken = asCustomerId(9n);
  const all = {
    ...snapshot,
    revokedSince: () => [broken, chunk.customerId],
    customer: (customerId: bigint) => ({
      customerId,
      get bucket() {
        if (customerId === broken) throw new Error('its machine is away');
        return 0;
      },
    }),
  } as unknown as Snapshot;
  const wake = { notify() {} } as unknown as Wake;
  const leaving = leaveRevokedChannels({ sql, snapshot: () => all, refreshSnapshot, wake, recorder }, new Date());
  await expect(leaving).rejects.toThrow('its machine is away');
  expect(await sql`select 1 from chunk where channel_id = ${OTHER}`).toHaveLength(1);
});

test('a message in progress stays, also with nothing on the wire', async () => {
  const { sql } = database;
  await sql`delete from chunk`;
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  await sql`update chunk set part_states = '\\x02000000'`;
  const wake = { notify() {} } as unknown as Wake;
  await leaveChannels({ sql, snapshot: () => snapshot, refreshSnapshot, wake, recorder }, chunk);
  const rows = await sql`select channel_id as channel, numbers::json->'seq' as seq from chunk order by chunk_no`;
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { channel: REVOKED, seq: [1, 2, 3] },
    { channel: OTHER, seq: [2, 3] },
  ]);
});

test('a chunk whose other channel is up days after the revocation leaves then', async () => {
  const { sql } = database;
  await sql`update channel_heartbeat set expires_at = '2020-01-01' where channel_id = ${OTHER}`;
  await sql`delete from chunk`;
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  const revokedAt = Date.now() - 48 * 3_600_000;
  const later = {
    ...snapshot,
    revokedSince: (time: Date) => (time.getTime() <= revokedAt ? [chunk.customerId] : []),
    customer: (customerId: bigint) => ({ bucket: 0, customerId }),
  } as unknown as Snapshot;
  const wake = { notify() {} } as unknown as Wake;
  let nowMs = 0;
  const leave = createLeaveRound({
    sql,
    snapshot: () => later,
    refreshSnapshot,
    wake,
    recorder,
    monotonicNow: () => nowMs,
  });
  const countMoved = async () => (await sql`select 1 from chunk where channel_id = ${OTHER}`).length;
  await leave();
  await sql`update channel_heartbeat set expires_at = 'infinity' where channel_id = ${OTHER}`;
  await leave();
  expect(await countMoved()).toBe(0);
  nowMs += 600_000;
  await leave();
  expect(await countMoved()).toBe(1);
});

test('numbers of many chunks with a message in progress leave in transactions of limited size', async () => {
  const { sql } = database;
  await sql`delete from chunk`;
  const count = 500;
  const many = Array.from({ length: 5 }, (_, at) => {
    const seq = Array.from({ length: count }, (_, index) => at * count + index + 1);
    const to = seq.map((each) => `1380${String(each).padStart(7, '0')}`);
    const parts = seq.map((_, index) => (index === 0 ? 2 : 1));
    return chunkOf({ numbers: { seq, phone: to, to, text: 'Hello', parts }, channelId: REVOKED, chunkNo: at + 1 });
  });
  await insertChunks(
    sql,
    0,
    many,
    many.map((_, at) => BigInt(at + 1) + chunk.queueNo),
    new Date(),
  );
  await sql`update chunk set part_states = set_byte(part_states, 0, 2)`;
  const wake = { notify() {} } as unknown as Wake;
  await leaveChannels({ sql, snapshot: () => snapshot, refreshSnapshot, wake, recorder }, chunk);
  const [moved] = await sql`
    select count(distinct xmin::text)::int as transactions, sum(length(results))::int as numbers
    from chunk where channel_id = ${OTHER}`;
  expect(moved).toEqual({ transactions: 2, numbers: 5 * (count - 1) });
});

test('a chunk that was prepared under a newer configuration, which grants the channel again, stays and is sent', async () => {
  const { sql } = database;
  await sql`delete from chunk`;
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  const nothing = { ...snapshot, grantedChannels: () => [] } as unknown as Snapshot;
  const again = { ...snapshot, grantedChannels: () => channels, isGranted: () => true } as unknown as Snapshot;
  let current = nothing;
  const refresh = async () => {
    current = again;
  };
  const wake = { notify() {} } as unknown as Wake;
  await leaveChannels({ sql, snapshot: () => current, refreshSnapshot: refresh, wake, recorder }, chunk);
  const rows = await sql`
    select channel_id as channel, encode(results, 'hex') as results, queue_no is not null as queued from chunk`;
  expect(rows.map((row) => ({ ...row }))).toEqual([{ channel: REVOKED, results: '000000', queued: true }]);
});
