// A look for work reads what is due, however many endpoints there are, and no event slips between a look and a commit.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { lockAccount, writeAccounts } from '../../../src/store/money/account.js';
import { runTogether } from '../../../src/store/run-together.js';
import type { Sql } from '../../../src/store/sql.js';
import { markMissedCursors, readDueCursors, retireCursor } from '../../../src/store/webhook/webhook-due.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const ENDPOINTS = 10_000;
const CUSTOMERS = 1000;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 4 });
  sql = database.sql;
  await sql`insert into account (customer_id, has_webhooks) select n, true from generate_series(1, ${CUSTOMERS}) as n`;
  await sql`
    insert into webhook_cursor (customer_id, webhook_id, event, position)
    select 1 + n % ${CUSTOMERS}, n, event, 0
    from generate_series(1, ${ENDPOINTS}) as n, unnest('{receipts,uplinks,account.low}'::text[]) as event`;
  await sql`vacuum analyze webhook_cursor`;
});
afterAll(() => database.drop());

const NOW = { now: new Date(), isFull: false };
const tenant = { bucket: 0, customerId: asCustomerId(7n) };

/** The history of the customer grows, as recording makes it grow. */
async function record(grow: { readonly records?: bigint; readonly entries?: bigint }, hold?: () => Promise<void>) {
  await sql.begin(async (tx) => {
    const { account } = await lockAccount(tx, tenant);
    account.recordId += grow.records ?? 0n;
    account.entrySeq += grow.entries ?? 0n;
    await runTogether(tx, writeAccounts(tx, tenant.bucket, [account]));
    await hold?.();
  });
}

async function countPages(run: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ pages: bigint }[]>`
      select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::bigint as pages
      from pg_statio_user_tables where relname in ('webhook_cursor', 'account')`;
    return Number(row?.pages ?? 0n);
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

test('with nothing due among 30,000 cursors a look reads a few pages', async () => {
  expect(await countPages(() => readDueCursors(sql, 0, NOW))).toBeLessThan(10);
});

test('a commit makes the cursors due that follow what it wrote, and no others', async () => {
  await record({ records: 5n });
  const due = await readDueCursors(sql, 0, NOW);
  expect(new Set(due.map(({ event }) => event))).toEqual(new Set(['receipts', 'uplinks']));
  expect(due).toHaveLength((2 * ENDPOINTS) / CUSTOMERS);
  expect(new Set(due.map(({ customerId, head }) => `${customerId} ${head}`))).toEqual(new Set(['7 5']));
  for (const cursor of due) expect(await retireCursor(sql, cursor)).toBe('retired');
  await record({ entries: 1n });
  const posted = await readDueCursors(sql, 0, NOW);
  expect(new Set(posted.map(({ event }) => event))).toEqual(new Set(['account.low']));
  for (const cursor of posted) await retireCursor(sql, cursor);
  expect(await readDueCursors(sql, 0, NOW)).toEqual([]);
});

test('a cursor stays due when the history grows while it is retired', async () => {
  await record({ records: 1n });
  const [cursor] = await readDueCursors(sql, 0, NOW);
  if (cursor === undefined) throw new Error('nothing is due');
  await record({ records: 1n }, async () => {
    // It does not wait for the transaction that has locked the account.
    expect(await retireCursor(sql, cursor)).toBe('busy');
  });
  expect(await retireCursor(sql, cursor)).toBe('grown');
  const again = await readDueCursors(sql, 0, NOW);
  expect(again.some(({ webhookId, event }) => webhookId === cursor.webhookId && event === cursor.event)).toBe(true);
  for (const each of again) await retireCursor(sql, each);
});

test('what was recorded without a mark is found by the full look', async () => {
  await sql`update account set record_id = record_id + 1 where customer_id = 8`;
  expect(await readDueCursors(sql, 0, { ...NOW, isFull: true })).toEqual([]);
  await markMissedCursors(sql, 0);
  const due = await readDueCursors(sql, 0, { ...NOW, isFull: true });
  expect(new Set(due.map(({ customerId }) => customerId))).toEqual(new Set([8n]));
});
