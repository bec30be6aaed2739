// Which chunks of a channel's queue go another way: those of every customer, however many there are, save those in the middle
// of a message, which give away what has not gone out.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ChannelConfig } from '../../../../src/domain/entities/channel.js';
import { createRerouter, type Rerouter } from '../../../../src/pipeline/channel/ownership/reroute.js';
import { createRecorder } from '../../../../src/pipeline/settle/recorder.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import { connectExplainer } from '../../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { ownChannels } from '../../../support/fences.js';
import { until } from '../../../support/until.js';

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
  await ownChannels(sql, [FROM]);
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H3', 'There', 'simulator', '{}', 'active', '{}', 1)`;
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

const LEASE = { channelId: FROM, token: 1n };

function startRerouter(sql = database.sql): Rerouter {
  const channel = { channelId: TO, firms: ['cmcc'] } as unknown as ChannelConfig;
  const snapshot = { ...createSnapshotView(), buckets: () => [0], grantedChannels: () => [channel] };
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const recorder = createRecorder({ sql: database.sql, limits, concurrency: 1, signal: new AbortController().signal });
  return createRerouter({ sql, snapshot: () => snapshot, recorder }, { channelId: FROM } as ChannelConfig);
}

function connectCounting() {
  const { sql, explain } = connectExplainer(database.address);
  return { sql, explain, end: () => sql.end() };
}

async function reroute(rerouter = startRerouter()): Promise<number> {
  return (await rerouter.isDue()) ? await rerouter.run(LEASE) : 0;
}

test('the chunks of every customer find another way, and a message that was begun stays with its carrier', async () => {
  await insertChunk(`generate_series(1, ${CUSTOMERS})`, [1, 1], '0200');
  await insertChunk(`generate_series(${CUSTOMERS + 1}, ${CUSTOMERS + 1})`, [2], '0200');
  expect(await reroute()).toBe(CUSTOMERS);
  const left = await database.sql`select customer_id from chunk where channel_id = ${FROM}`;
  expect(left.map((row) => row.customer_id)).toEqual([BigInt(CUSTOMERS + 1)]);
  // Each in a new place, so that an intent from the old place is refused.
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

const WAYLESS = 2000;

test('a backlog without another way is read once, and again only when there are other ways', async () => {
  const { sql, explain, end } = connectCounting();
  onTestFinished(end);
  await sql`delete from chunk`;
  await insertChunk('generate_series(1, 1)', [1], '00');
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no, queued_at)
    select bucket, 2, 8, i, channel_id, 1, 'another', 0, numbers, part_states, results, i, now() - interval '1 hour'
    from chunk cross join generate_series(1, ${WAYLESS}) as i`;
  await sql.unsafe('vacuum analyze chunk');
  const rerouter = startRerouter(sql);
  expect(await reroute(rerouter)).toBe(1);
  // The first looks walk the queue, until one proves where the next may start; what was tried is not read again.
  await until(async () => (await reroute(rerouter)) === 0 && !(await rerouter.isDue()));
  expect((await explain(() => reroute(rerouter))).pages).toBeLessThan(20);

  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    select bucket, 2, 9, 1, channel_id, 1, 'cmcc', 0, numbers, part_states, results, ${WAYLESS + 1}
    from chunk where task_id = 8 and chunk_no = 1`;
  expect(await reroute(rerouter)).toBe(1);
  expect(await sql`select 1 from chunk where task_id = 9 and channel_id = ${TO}`).toHaveLength(1);

  await sql`update chunk set firm = 'cmcc' where task_id = 8`;
  expect(await reroute(rerouter)).toBe(0);
  await sql`insert into channel_heartbeat (channel_id, token, expires_at, health) values (3, 1, 'infinity', '{"state": "up"}')`;
  expect(await reroute(rerouter)).toBe(WAYLESS);
});

const WITHDRAWN: readonly [name: string, parts: readonly number[], before: string, after: string, moved: number][] = [
  ['all of whose parts were on the wire', [1], '01', '00', 1],
  ['with parts on the wire', [1, 1], '0100', '0000', 1],
  ['in the middle of a message, with parts of another on the wire', [2, 1], '020001', '020000', 1],
];

test.each(WITHDRAWN)('a chunk %s is tried again until they are answered', async (_, parts, before, after, moved) => {
  const { sql } = database;
  await sql`delete from chunk`;
  await insertChunk('generate_series(1, 1)', parts, before);
  // Long ago: a look for what was queued since does not find it.
  await sql`update chunk set queued_at = now() - interval '1 hour'`;
  const rerouter = startRerouter();
  expect(await reroute(rerouter)).toBe(0);
  expect(await reroute(rerouter)).toBe(0);
  // Withdrawn: the part was certainly not sent.
  await sql`update chunk set part_states = decode(${after}, 'hex')`;
  expect(await reroute(rerouter)).toBe(moved);
  expect(await reroute(rerouter)).toBe(0);
  expect(await rerouter.isDue()).toBe(false);
});
