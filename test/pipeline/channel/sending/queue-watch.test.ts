// A look at a channel's queue costs what was queued since the last one, also beside an open snapshot, and misses no chunk.

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { asCustomerId } from '../../../../src/domain/id.js';
import { customerOfQueue, queueKeyOf } from '../../../../src/domain/rules/queue-place.js';
import { createQueueWatch, type QueueWatch } from '../../../../src/pipeline/channel/sending/queue-watch.js';
import { insertChunks } from '../../../../src/store/chunk/chunk.js';
import type { FoundQueue } from '../../../../src/store/chunk/newly-queued.js';
import { readQueueHorizon } from '../../../../src/store/chunk/newly-queued.js';
import type { AnySql } from '../../../../src/store/sql.js';
import { connectExplainer, type Explainer } from '../../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { chunkOf } from '../../../support/model/chunk-of.js';
import { until } from '../../../support/until.js';

const CHANNEL = 1n;
const CUSTOMERS = 50;
/** Messages that were sent and are gone, of each customer. */
const SENT = 100;

let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  database = await createTestDatabase();
  explainer = connectExplainer(database.address);
  await explainer.sql`alter table chunk set (autovacuum_enabled = false)`;
  await explainer.sql`insert into account (bucket, customer_id) values (0, 1)`;
});
beforeEach(() => explainer.sql`truncate chunk`);
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

/** So many chunks of each of these customers, queued at this time by the database's clock. */
async function queue(sql: AnySql, customers: number, chunks = 1, at = 'clock_timestamp()'): Promise<void> {
  await sql.unsafe(`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no, queued_at)
    select 0, c, (select count(*) from chunk) + 1, i, ${CHANNEL}, 1, 'cmcc', 0, '{}', '\\x00', '\\x00', i, ${at}
    from generate_series(1, ${customers}) as c cross join generate_series(1, ${chunks}) as i`);
}

/** Holds a snapshot open, as an export or a backup does, until the test ends. */
async function openSnapshot(): Promise<void> {
  let close = () => {};
  const held = new Promise<void>((resolve) => {
    close = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((opened) => {
    ended = database.sql.begin('isolation level repeatable read read only', async (tx) => {
      await tx`select count(*) from chunk`;
      opened();
      await held;
    });
  });
  onTestFinished(async () => {
    close();
    await ended;
  });
}

/** By a clock that stands still, walks take no time: the second look is the last that walks. */
const createWatch = (monotonicNow = () => 0) =>
  createQueueWatch({ sql: explainer.sql, bucket: 0, channelId: CHANNEL, monotonicNow });

/** Looks until the next looks start at a remembered time: other tests of this server may have transactions under way. */
async function settle(watch: QueueWatch): Promise<void> {
  await watch.poll();
  const { firstUnassigned } = await readQueueHorizon(explainer.sql);
  await until(async () => (await readQueueHorizon(explainer.sql)).firstRunning >= firstUnassigned);
  await watch.poll();
}

const idsOf = (found: readonly FoundQueue[]) => found.map(({ queue: key }) => Number(customerOfQueue(key)));

test('beside an open snapshot, a look at an empty queue reads few pages however much was sent', async () => {
  const { sql, explain } = explainer;
  await openSnapshot();
  const watch = createWatch();
  await settle(watch);
  // Sent over some seconds; the last of it a while ago, beyond the time by which looks overlap.
  for (const secondsAgo of [20, 15, 10, 5]) {
    await queue(sql, CUSTOMERS, SENT / 4, `clock_timestamp() - interval '${secondsAgo} s'`);
    await sql`delete from chunk`;
  }
  const { pages } = await explain(() => watch.poll());
  expect(pages).toBeLessThan(20);
  const walk = createWatch();
  expect((await explain(() => walk.poll())).pages).toBeGreaterThan((CUSTOMERS * SENT) / 10);
});

test('every customer is found at first, and later those of whom chunks were queued', async () => {
  const { sql } = explainer;
  await queue(sql, 3, 2, `clock_timestamp() - interval '1 hour'`);
  const watch = createWatch();
  expect(idsOf(await watch.poll())).toEqual([1, 2, 3]);
  await settle(watch);
  expect(await watch.poll()).toEqual([]);
  await sql`update chunk set queue_no = 9, queued_at = clock_timestamp() where customer_id = 2 and chunk_no = 1`;
  expect(await watch.poll()).toEqual([{ queue: queueKeyOf(asCustomerId(2n), 'notice'), last: 9n }]);
});

test('each class of a customer is a queue, and a walk steps from one to the next', async () => {
  const { sql } = explainer;
  const keys = (customer: bigint) =>
    (['notice', 'otp', 'promotion'] as const).map((messageClass) => queueKeyOf(asCustomerId(customer), messageClass));
  await queue(sql, 2, 300, `clock_timestamp() - interval '1 hour'`);
  await sql`update chunk set queue_no = queue_no + (1::bigint << 60) where chunk_no % 3 = 1`;
  await sql`update chunk set queue_no = queue_no + (2::bigint << 60) where chunk_no % 3 = 2`;
  await sql`vacuum analyze chunk`;
  const watch = createWatch();
  let found: readonly FoundQueue[] = [];
  const { pages } = await explainer.explain(async () => {
    found = await watch.poll();
  });
  expect(found.map(({ queue: key }) => key)).toEqual([...keys(1n), ...keys(2n)]);
  expect(pages).toBeLessThan(60);
  await settle(watch);
  await sql`update chunk set queue_no = (1::bigint << 60) + 999, queued_at = clock_timestamp() where customer_id = 2 and chunk_no = 1`;
  expect(await watch.poll()).toEqual([{ queue: queueKeyOf(asCustomerId(2n), 'otp'), last: (1n << 60n) + 999n }]);
});

test('a chunk that is committed long after it was queued is found by the next look', async () => {
  const watch = createWatch();
  await settle(watch);
  let commit = () => {};
  const isToCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let committed: Promise<unknown> = Promise.resolve();
  await new Promise<void>((queued) => {
    committed = database.sql.begin(async (tx) => {
      await queue(tx, 1, 1, `clock_timestamp() - interval '1 second'`);
      queued();
      await isToCommit;
    });
  });
  // Others queue and commit in between; the remembered time must not pass the one that has not.
  const seen: number[] = [];
  for (let look = 0; look < 5; look++) {
    await explainer.sql`select pg_current_xact_id()`;
    await new Promise((resolve) => setTimeout(resolve, 300));
    seen.push(...idsOf(await watch.poll()));
  }
  expect(seen).toEqual([]);
  commit();
  await committed;
  expect(idsOf(await watch.poll())).toEqual([1]);
});

test('a chunk is found also where the clock of records differs from that of the database', async () => {
  const watch = createWatch();
  await settle(watch);
  await settle(watch);
  const chunk = { ...chunkOf({ channelId: CHANNEL }), chunkNo: 1, tried: [] };
  await insertChunks(explainer.sql, 0, [chunk], [1n], new Date(0));
  expect(idsOf(await watch.poll())).toEqual([Number(chunk.customerId)]);
});

test('when the clock of the database was set back, the whole queue is walked again', async () => {
  let skewMs = 0;
  const watch = createWatch(() => skewMs);
  await settle(watch);
  // Seen from here, the database's clock has fallen back by a minute.
  skewMs = 60_000;
  await queue(explainer.sql, 1, 1, `clock_timestamp() - interval '59 seconds'`);
  expect(idsOf(await watch.poll())).toEqual([1]);
});

test('after a look that failed, the whole queue is walked again', async () => {
  const { sql } = explainer;
  const watch = createWatch();
  await settle(watch);
  await sql`alter table chunk rename to chunk_away`;
  await expect(watch.poll()).rejects.toThrow();
  await sql`alter table chunk_away rename to chunk`;
  await queue(sql, 1, 1, `clock_timestamp() - interval '1 hour'`);
  expect(idsOf(await watch.poll())).toEqual([1]);
});
