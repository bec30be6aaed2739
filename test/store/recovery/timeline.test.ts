import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  acquireLease,
  ChannelsHeldError,
  readHeldFences,
  TimelineUnconfirmedError,
} from '../../../src/store/channel/channel-lease.js';
import { lastCommit } from '../../../src/store/connection/commit-position.js';
import {
  adoptHistory,
  confirmTimeline,
  followPromotion,
  holdChannels,
  openChannels,
  readRecovery,
  readServer,
  type ServerState,
} from '../../../src/store/recovery/timeline.js';
import { isDatabaseAway, isOutcomeUnknown } from '../../../src/store/retry.js';
import { transact } from '../../../src/store/transact.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let server: ServerState;
beforeEach(async () => {
  database = await createTestDatabase();
  server = await readServer(database.sql);
  await adoptHistory(database.sql, server);
});
afterEach(() => database.drop());

/** The service knows the timeline before the one that the server is on, as right after a promotion. */
async function promote(): Promise<void> {
  await database.sql`update recovery set timeline = ${server.timeline - 1}`;
}

async function addNode(node: string, seenAgo = '1 second'): Promise<void> {
  await database.sql`
    insert into node (node, roles, version, started_at, seen_at, figures)
    values (${node}, '{channels}', '1', now() - interval '1 hour', now() - ${seenAgo}::interval, '{}')`;
}

test('the history of the first start is taken, and no other', async () => {
  await adoptHistory(database.sql, { systemIdentifier: 'other', timeline: 99 });
  const { systemIdentifier, timeline } = server;
  expect(await readRecovery(database.sql)).toMatchObject({ systemIdentifier, timeline, state: 'open' });
  expect(timeline).toBe(1);
});

test('no fence is held on a timeline that is not confirmed, nor while channels are held', async () => {
  const { sql } = database;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'One', 'simulator', '{}', 'active', '{}', 1)`;
  const [channel] = await sql<{ id: bigint }[]>`select channel_id as id from channel`;
  const claim = { channelId: channel?.id ?? 0n, owner: 'here', leaseMs: 60_000, patienceMs: 0 };
  const lease = await acquireLease(sql, claim);
  if (lease === undefined) throw new Error('the lease was not granted');
  const check = (leases = [lease]) => sql.begin((tx) => readHeldFences(tx, leases));
  await check();
  await promote();
  const error = await check().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TimelineUnconfirmedError);
  // It is retried, and nothing of it was written.
  expect([isDatabaseAway(error), isOutcomeUnknown(error)]).toEqual([true, false]);
  await check([]);
  await holdChannels(sql, 'test', { reason: 'unproven', detail: '' });
  await expect(check()).rejects.toBeInstanceOf(ChannelsHeldError);
  await sql.begin((tx) => openChannels(tx, server));
  await check();
});

test('every process that was there before a promotion has to confirm it', async () => {
  const { sql } = database;
  await Promise.all([addNode('one'), addNode('two'), addNode('gone', '1 hour')]);
  await promote();
  expect(await followPromotion(sql, server.timeline)).toBe('waiting');
  await confirmTimeline(sql, 'one', server.timeline);
  expect(await followPromotion(sql, server.timeline)).toBe('waiting');
  await confirmTimeline(sql, 'two', server.timeline);
  expect(await followPromotion(sql, server.timeline)).toBe('confirmed');
  expect((await readRecovery(sql)).timeline).toBe(server.timeline);
});

test('a process that stays silent counts as gone in the end, and one vote is needed', async () => {
  const { sql } = database;
  await Promise.all([addNode('one'), addNode('two')]);
  await promote();
  expect(await followPromotion(sql, server.timeline)).toBe('waiting');
  await sql`update recovery set noticed_at = now() - interval '16 seconds'`;
  await sql`update node set seen_at = seen_at - interval '16 seconds'`;
  expect(await followPromotion(sql, server.timeline)).toBe('unconfirmed');
  await confirmTimeline(sql, 'one', server.timeline);
  expect(await followPromotion(sql, server.timeline)).toBe('confirmed');
});

test('a hold is written once, and wins over votes', async () => {
  const { sql } = database;
  await addNode('one');
  await promote();
  expect(await holdChannels(sql, 'two', { reason: 'lost_commits', detail: 'behind' })).toBe(true);
  expect(await holdChannels(sql, 'two', { reason: 'unproven', detail: '' })).toBe(false);
  await confirmTimeline(sql, 'one', server.timeline);
  await followPromotion(sql, server.timeline);
  expect(await readRecovery(sql)).toMatchObject({
    state: 'held',
    reason: 'lost_commits',
    timeline: server.timeline - 1,
  });
});

test('the position of a commit is behind what it wrote, and known once it is acknowledged', async () => {
  const { sql } = database;
  await sql`create table written (n int)`;
  const before = await readServer(sql);
  await transact(sql, async (tx) => ({
    result: undefined,
    end: async () => {
      await tx`insert into written select generate_series(1, 1000)`;
    },
  }));
  const after = await readServer(sql);
  const position = lastCommit(sql, server.timeline) ?? 0n;
  // A thousand rows take more of the log than this.
  expect(position).toBeGreaterThan(before.position + 50_000n);
  expect(position).toBeLessThan(after.position);
  const failing = transact(sql, async (tx) => ({ result: undefined, end: async () => void (await tx`select 1 / 0`) }));
  await expect(failing).rejects.toThrow('division by zero');
  expect(lastCommit(sql, server.timeline)).toBe(position);
});
