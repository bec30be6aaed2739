// Looking up submitted parts costs the same however many months of history there are, and finds a part of any age.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId, asTaskId, firstIdAt } from '../../../../src/domain/id.js';
import { findCandidates } from '../../../../src/pipeline/channel/reports/find-parts.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import {
  readRefusals,
  readReports,
  readSubmissions,
  readUnknownSubmissions,
} from '../../../../src/store/wire/records.js';
import { connectExplainer, type Explainer } from '../../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';

const NOW = Date.UTC(2026, 10, 17);
const PHONE = '8613800138000';
let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  database = await createTestDatabase();
  explainer = connectExplainer(database.address);
  await addMonths(0, 4);
});
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

const monthsAgo = (months: number) => new Date(Date.UTC(2026, 10 - months, 15));

/** History of the months so many back, with parts whose ids say when they were sent. */
async function addMonths(from: number, until: number): Promise<void> {
  for (let back = from; back < until; back++) {
    const start = firstIdAt(new Date(Date.UTC(2026, 10 - back, 1)));
    const end = firstIdAt(new Date(Date.UTC(2026, 11 - back, 1)));
    // The months around today are there already.
    for (const table of ['submit', 'delivery']) {
      const bounds = `for values from (${start}) to (${end})`;
      await explainer.sql
        .unsafe(`create table if not exists ${table}_back_${back} partition of ${table} ${bounds}`)
        .catch(() => undefined);
    }
    const id = firstIdAt(monthsAgo(back));
    await explainer.sql`
      insert into submit (bucket, customer_id, submit_id, submitted_at, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status,
        upstream_message_id)
      select 0, 1, ${id}::bigint + i, ${monthsAgo(back)}, ${id}, i, 1, 1, 1, ${PHONE}, '1', 'cmcc', 'accepted', ${`m${back}`} || '-' || i
      from generate_series(1, 300) as i`;
  }
  await explainer.sql.unsafe('vacuum analyze submit, delivery');
}

const find = async (...messageIds: string[]) => {
  const deps = {
    sql: explainer.sql,
    snapshot: createSnapshotView,
    channelId: 1n,
    messageIdFormat: 'auto',
    now: () => NOW,
  } as const;
  const questions = messageIds.map((messageId) => ({ messageId, phone: PHONE }));
  const found = await findCandidates(deps, questions);
  return questions.map((question) => found.get(question)?.map(({ found: { submittedAt } }) => submittedAt));
};

const keysOf = (back: number) => {
  const taskId = asTaskId(firstIdAt(monthsAgo(back)));
  return [1, 2, 3].map((seq) => ({ customerId: asCustomerId(1n), taskId, seq, part: 1 }));
};

async function countPages(): Promise<Record<string, number>> {
  const { sql, explain } = explainer;
  const pagesOf = async (run: () => Promise<unknown>) => (await explain(run)).pages;
  return {
    'by message id': await pagesOf(() => find('m0-1', 'm0-7', 'm1-20')),
    reports: await pagesOf(() => readReports(sql, 0, keysOf(0))),
    refusals: await pagesOf(() => readRefusals(sql, 0, keysOf(0))),
    submissions: await pagesOf(() => readSubmissions(sql, 0, keysOf(0))),
    'unknown submissions': await pagesOf(() => readUnknownSubmissions(sql, 0, keysOf(0))),
  };
}

test('a look-up of recent parts reads no more with five years of history than with four months', async () => {
  const few = await countPages();
  await addMonths(4, 60);
  const many = await countPages();
  const grown = Object.entries(many).filter(([name, pages]) => pages > (few[name] ?? 0) + 3);
  expect(grown.map(([name, pages]) => `${name}: ${few[name]} → ${pages}`)).toEqual([]);
});

test('a report is matched with a part of any age', async () => {
  const times = [0, 1, 2, 30, 59].map((back) => monthsAgo(back).getTime());
  const found = await find('m0-1', 'm1-1', 'm2-1', 'm30-1', 'm59-1');
  expect(found.map((candidates) => candidates?.[0])).toEqual(times);
  expect(await find('nothing-of-ours')).toEqual([[]]);
});

test('of an id that was used twice the later part is found first, and the older one where the number tells them apart', async () => {
  const { sql } = explainer;
  await sql`update submit set phone_key = 8613900139000, upstream_message_id = 'm40-1' where upstream_message_id = 'm0-9'`;
  const older = monthsAgo(40).getTime();
  expect((await find('m40-1'))[0]).toContain(older);
});
