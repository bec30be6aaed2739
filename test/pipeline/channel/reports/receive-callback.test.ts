// Callbacks of a carrier are committed before they are acknowledged, those that come together in one transaction.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChannelConfig } from '../../../../src/domain/entities/channel.js';
import { createCallbackReceiver } from '../../../../src/pipeline/channel/reports/receive-callback.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { until } from '../../../support/until.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 5 });
});
afterAll(() => database.drop());

const CHANNEL = { channelId: 1n, kind: 'http', config: {} } as unknown as ChannelConfig;
const COUNT = 50;

function createReceiver() {
  const readerOf =
    () =>
    (_config: object, _kind: string, { query }: { readonly query: string }) => [
      { kind: 'report' as const, messageId: query, status: 'delivered' as const, code: '' },
    ];
  const receive = createCallbackReceiver({
    sql: database.sql,
    wake: { notify: () => {} },
    readerOf,
    monotonicNow: () => performance.now(),
  });
  return (id: number) => receive(CHANNEL, 'reports', { query: String(id), body: Buffer.alloc(0) });
}

test('callbacks that arrive during an insert share the next one', async () => {
  const { sql } = database;
  const receive = createReceiver();
  const { received } = await sql.begin(async (tx) => {
    // The first insert waits for the lock, and the others for the first.
    await tx`lock table upstream_callback in share mode`;
    const calls = Promise.all(Array.from({ length: COUNT }, (_, at) => receive(at)));
    const waits = () => tx`
      select 1 from pg_locks where relation = 'upstream_callback'::regclass and mode = 'RowExclusiveLock' and not granted`;
    await until('an insert waits', async () => (await waits()).length > 0);
    return { received: calls };
  });
  expect(await received).toEqual(Array(COUNT).fill({ kind: 'stored' }));
  const [stored] = await sql`
    select count(*)::int as rows, count(distinct feedback ->> 'messageId')::int as ids,
      count(distinct xmin::text)::int as commits from upstream_callback`;
  expect(stored).toEqual({ rows: COUNT, ids: COUNT, commits: 2 });
});

test('those of an insert that fails are refused, and the next ones are stored', async () => {
  const { sql } = database;
  const receive = createReceiver();
  await sql`delete from upstream_callback`;
  await sql`alter table upstream_callback rename to away`;
  const failed = await Promise.allSettled([receive(1), receive(2), receive(3)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await sql`alter table away rename to upstream_callback`;
  expect(await Promise.all([receive(4), receive(5)])).toEqual([{ kind: 'stored' }, { kind: 'stored' }]);
  expect(await sql`select 1 from upstream_callback`).toHaveLength(2);
});
