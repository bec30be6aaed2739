// Which chunks of a channel's queue go another way: those of every customer, however many there are, save those in the middle
// of a message, which give away what has not gone out.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChannelConfig } from '../../../src/domain/entities/channel.js';
import { rerouteChannel } from '../../../src/pipeline/channel/reroute.js';
import { makeRecorder } from '../../../src/pipeline/settle/recorder.js';
import { createSnapshotView } from '../../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const CUSTOMERS = 300;
const [FROM, TO] = [1n, 2n];
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  for (const no of ['H1', 'H2']) {
    await sql`
      insert into channel (channel_no, name, kind, firms, status, config, version)
      values (${no}, 'Here', 'simulator', '{cmcc}', 'active', '{}', 1)`;
  }
  await sql`insert into channel_fence (channel_id, owner, token) values (${FROM}, 'this test', 1)`;
  await sql`
    insert into channel_heartbeat (channel_id, token, expires_at, health)
    values (${TO}, 1, 'infinity', '{"state": "up"}')`;
  await sql`insert into account (bucket, customer_id) select 0, i from generate_series(1, ${CUSTOMERS + 1}) as i`;
});
afterAll(() => database.drop());

async function insertChunk(customers: string, parts: readonly number[], states: string): Promise<void> {
  const numbers = {
    seq: parts.map((_, at) => at + 1),
    phone: parts.map(() => '1'),
    to: parts.map(() => '1'),
    text: 'x',
    parts,
  };
  await database.sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    select 0, i, 7, 1, ${FROM}, 1, 'cmcc', 0, ${JSON.stringify(numbers)}, decode(${states}, 'hex'),
      decode(repeat('00', ${parts.length}), 'hex'), 5
    from ${database.sql.unsafe(customers)} as i`;
}

async function reroute(): Promise<number> {
  const channel = { channelId: TO, firms: ['cmcc'] } as unknown as ChannelConfig;
  const snapshot = { ...createSnapshotView(), buckets: () => [0], grantedChannels: () => [channel] };
  const from = { channelId: FROM } as ChannelConfig;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const recorder = makeRecorder({ sql: database.sql, limits, concurrency: 1, signal: new AbortController().signal });
  return await rerouteChannel(
    { sql: database.sql, snapshot: () => snapshot, recorder },
    { channelId: FROM, token: 1n },
    from,
  );
}

test('the chunks of every customer find another way, and a message that was begun stays with its carrier', async () => {
  await insertChunk(`generate_series(1, ${CUSTOMERS})`, [1, 1], '0200');
  await insertChunk(`generate_series(${CUSTOMERS + 1}, ${CUSTOMERS + 1})`, [2], '0200');
  expect(await reroute()).toBe(CUSTOMERS);
  const left = await database.sql`select customer_id from chunk where channel_id = ${FROM}`;
  expect(left.map((row) => row.customer_id)).toEqual([BigInt(CUSTOMERS + 1)]);
  // In a new place each, so that nobody who has loaded them from the old one is granted an intent.
  expect(await database.sql`select 1 from chunk where channel_id = ${TO} and queue_no = 5`).toHaveLength(0);
  await database.sql`delete from chunk`;
});

test('a chunk in the middle of a message gives away the numbers of which nothing has gone out', async () => {
  const { sql } = database;
  await insertChunk('generate_series(1, 1)', [1, 2, 1], '00020000');
  expect(await reroute()).toBe(1);
  const rows = await sql`
    select channel_id, numbers::json->'seq' as seq, encode(part_states, 'hex') as states, queue_no is not null as up,
      chunk_no = 1 as first from chunk order by chunk_no`;
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { channel_id: FROM, seq: [1, 2, 3], states: '00020000', up: true, first: true },
    { channel_id: TO, seq: [1, 3], states: '0000', up: true, first: false },
  ]);
  // What has gone on does not go again, and what is left here goes out here alone.
  expect(await reroute()).toBe(0);
  await sql`delete from chunk`;
});

test('a chunk does not go back to a channel that has refused its numbers', async () => {
  const { sql } = database;
  await insertChunk('generate_series(1, 1)', [1], '00');
  await sql`update chunk set tried = ${`{${TO}}`}`;
  expect(await reroute()).toBe(0);
});
