// Which chunks of a channel's queue go another way: those of every customer, however many there are, save those in the middle
// of a message.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChannelConfig } from '../../../src/domain/entities/channel.js';
import { rerouteChannel } from '../../../src/pipeline/channel/reroute.js';
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

test('the chunks of every customer find another way, and a message that was begun stays with its carrier', async () => {
  await insertChunk(`generate_series(1, ${CUSTOMERS})`, [1, 1], '0200');
  await insertChunk(`generate_series(${CUSTOMERS + 1}, ${CUSTOMERS + 1})`, [2, 1], '020000');
  const channel = { channelId: TO, firms: ['cmcc'] } as unknown as ChannelConfig;
  const snapshot = { ...createSnapshotView(), buckets: () => [0], grantedChannels: () => [channel] };
  const from = { channelId: FROM } as ChannelConfig;
  const deps = { sql: database.sql, snapshot: () => snapshot };
  const moved = await rerouteChannel(deps, { channelId: FROM, token: 1n }, from);
  expect(moved).toBe(CUSTOMERS);
  const left = await database.sql`select customer_id from chunk where channel_id = ${FROM}`;
  expect(left.map((row) => row.customer_id)).toEqual([BigInt(CUSTOMERS + 1)]);
  // In a new place each, so that nobody who has loaded them from the old one is granted an intent.
  expect(await database.sql`select 1 from chunk where channel_id = ${TO} and queue_no = 5`).toHaveLength(0);
});
