// What keeps a number from being erased is found page by page, and looked up by its key afterwards.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findNumbersIn } from '../../../src/domain/phone/number-pattern.js';
import { eraseInBucket } from '../../../src/store/erasure/erase-number.js';
import { findOpenUse, isStillOpen } from '../../../src/store/erasure/open-use.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const digits = '8613800138000';
const number = {
  digits,
  pattern: findNumbersIn(digits),
  erased: { hash: 'x', phone: 'erased-x', phoneKey: '-1' },
};
const { signal } = new AbortController();

let database: TestDatabase;
let rests = 0;
const rest = async () => {
  rests += 1;
};
beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
});
beforeEach(() => {
  rests = 0;
});
afterAll(() => database.drop());

const find = () => findOpenUse({ sql: database.sql, signal, rest }, 0, number);

test('the last of many queued chunks is found, a hundred chunks a statement', async () => {
  const { sql } = database;
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no)
    select 0, 1, t, 1, 1, 1, 'f', 0, '{"to":["861390' || lpad(t::text, 7, '0') || '"]}', '\\x00', '\\x00', t
    from generate_series(1, 450) as t`;
  expect(await find()).toBeUndefined();
  expect(rests).toBe(4);
  await sql`update chunk set numbers = ${`{"to":["${digits}"]}`} where task_id = 450`;
  const open = await find();
  expect(open?.waitsFor).toContain('is being sent');
  if (open === undefined) return;
  rests = 0;
  expect(await isStillOpen(sql, number, open)).toBe(true);
  await sql`delete from chunk where task_id = 450`;
  expect(await isStillOpen(sql, number, open)).toBe(false);
  expect(rests).toBe(0);
  await sql`truncate chunk`;
});

test('the last of many unprepared tasks is found, twenty payloads a statement', async () => {
  const { sql } = database;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, queued_for, total, timeline, updated_at, payload)
    select 0, 1, t, 'c' || t, '', 1, 1, false, false, false, false, 'queued', 'manual', 1, '[]', now(),
      '["1391' || lpad(t::text, 7, '0') || '"]'
    from generate_series(1, 90) as t`;
  expect(await find()).toBeUndefined();
  expect(rests).toBe(4);
  await sql`update task set payload = '["138 0013 8000"]' where task_id = 90`;
  const open = await find();
  expect(open?.waitsFor).toContain('not prepared');
  await sql`delete from task`;
  expect(open && (await isStillOpen(sql, number, open))).toBe(false);
});

test('large payloads are searched a few at a time', async () => {
  const { sql } = database;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, queued_for, total, timeline, updated_at, payload)
    select 0, 1, t, 'c' || t, '', 1, 1, false, false, false, false, 'queued', 'manual', 1, '[]', now(),
      repeat('"13910000000",', 150000) || case t when 6 then '"13800138000"' else '' end
    from generate_series(1, 6) as t`;
  const open = await find();
  expect(open?.place).toMatchObject({ kind: 'task', taskId: 6n });
  // Two of them are more than a page.
  expect(rests).toBe(2);
  await sql`update task set payload = '[]' where task_id = 6`;
  expect(await find()).toBeUndefined();
  await sql`delete from task`;
});

test('a number of which a part is unknown waits for it', async () => {
  const { sql } = database;
  await sql`
    insert into unknown_part (bucket, customer_id, task_id, chunk_no, seq, part, channel_id, phone_key, since, deadline)
    values (0, 1, 1, 1, 1, 1, 1, ${digits}, now(), 'infinity')`;
  const open = await find();
  expect(open?.waitsFor).toContain('unknown');
  expect(open && (await isStillOpen(sql, number, open))).toBe(true);
  await sql`delete from unknown_part`;
  expect(open && (await isStillOpen(sql, number, open))).toBe(false);
});

test('it is replaced in the log of webhooks, two hundred attempts a statement', async () => {
  const { sql } = database;
  await sql`
    insert into webhook_attempt (bucket, customer_id, webhook_id, slot, attempt_no, event, message_id, items, at, latency_ms, request_body)
    select 0, 1, w, s, s, 'receipts', 'm', 1, now(), 1, '{"phone":"13800138000"}'
    from generate_series(1, 9) as w, generate_series(0, 49) as s`;
  const counts: Record<string, number> = {};
  const add = async (table: string, rows: number) => {
    counts[table] = (counts[table] ?? 0) + rows;
  };
  await eraseInBucket({ sql, signal, rest, add }, 0, number);
  expect(counts.webhook_attempt).toBe(450);
  // One before each page, the last of which is empty, and one before each of four other tables.
  expect(rests).toBe(4 + 4);
  expect(await sql`select 1 from webhook_attempt where request_body ~ '138'`).toHaveLength(0);
});
