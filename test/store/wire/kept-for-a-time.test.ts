// What strangers can make grow has an end.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldUnmatchedReports } from '../../../src/store/wire/unmatched-report.js';
import { deleteOldUnclaimedUplinks } from '../../../src/store/wire/uplink.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('reports that match nothing are kept for their time and no longer, a bounded number a round', async () => {
  const { sql } = database;
  await sql`
    insert into unmatched_report (channel_id, message_key, message_id, status, code, received_at)
    select 1, i::text, i::text, 'delivered', 'DELIVRD', now() - i * interval '1 day' from generate_series(1, 40) as i`;
  const day = 24 * 3_600_000;
  expect(await deleteOldUnmatchedReports(sql, 30 * day, 4)).toBe(4);
  expect(await deleteOldUnmatchedReports(sql, 30 * day, 100)).toBe(7);
  expect(await deleteOldUnmatchedReports(sql, 30 * day, 100)).toBe(0);
  const [row] = await sql`select count(*)::int as kept, max(message_id::int) as oldest from unmatched_report`;
  expect(row).toMatchObject({ kept: 29, oldest: 29 });
});

test('unclaimed inbound messages are deleted after their retention, a bounded number per round', async () => {
  const { sql } = database;
  await sql`
    insert into unclaimed_uplink (channel_id, sender, recipient, content, received_at)
    select 1, '8613800138000', '9999', i::text, now() - i * interval '1 day' from generate_series(1, 40) as i`;
  const day = 24 * 3_600_000;
  expect(await deleteOldUnclaimedUplinks(sql, 30 * day, 4)).toBe(4);
  expect(await deleteOldUnclaimedUplinks(sql, 30 * day, 100)).toBe(7);
  expect(await deleteOldUnclaimedUplinks(sql, 30 * day, 100)).toBe(0);
  const [row] = await sql`select count(*)::int as kept, max(content::int) as oldest from unclaimed_uplink`;
  expect(row).toMatchObject({ kept: 29, oldest: 29 });
});
