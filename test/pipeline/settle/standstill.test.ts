// A machine that stood still for an hour, suspended or migrated, with the database elsewhere: the monotonic clock does not count that
// time. The first transaction afterwards works at the time of the database.

import { expect, onTestFinished, test, vi } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { type SendWindow, sendingHoursAt } from '../../../src/domain/rules/send-windows.js';
import { createRecorder } from '../../../src/pipeline/settle/recorder.js';
import { databaseClock } from '../../../src/store/database-clock.js';
import { lockAccounts } from '../../../src/store/money/account.js';
import { createTestDatabase } from '../../support/database.js';
import { ownChannels } from '../../support/fences.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const HOUR_MS = 3_600_000;
const LIMITS = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
const numbers = { seq: [1], phone: ['1'], to: ['8613800138001'], text: 'Your code is 1234', parts: [1] };

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 16);

test('a message that expired while the machine stood still is not sent, and a window that closed is closed', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { sql } = database;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Channel', 'simulator', '{}', 'active', '{}', 1)`;
  await sql`insert into account (bucket, customer_id) values (0, 1)`;
  await ownChannels(sql, [1n]);
  const halfAnHourAgo = new Date(Date.now() - HOUR_MS / 2);
  await sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, queue_no, expires_at)
    values (0, 1, 2, 1, 1, 1, 'cmcc', 0, ${JSON.stringify(numbers)}, '\\x00', '\\x00', 1, ${halfAnHourAgo})`;
  // What the process knew an hour ago: all clocks agreed. Then the monotonic one missed an hour.
  const wall = Date.now.bind(Date);
  const hourAgo = vi.spyOn(Date, 'now').mockImplementation(() => wall() - HOUR_MS);
  databaseClock.read(new Date(Date.now()));
  hourAgo.mockRestore();
  const { now } = await sql.begin((tx) => lockAccounts(tx, 0, [asCustomerId(1n)]));
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(60_000);
  const recorder = createRecorder({ sql, limits: LIMITS, concurrency: 1, signal: new AbortController().signal });
  const chunk = chunkOf({ numbers, expiresAt: halfAnHourAgo });
  const intent = { chunk, index: 0, part: 1, event: { kind: 'intended' }, channelId: 1n } as const;
  const { refused } = await recorder.record([intent], { lease: { channelId: 1n, token: 1n } });
  expect(refused.has(intent)).toBe(true);
  const window: SendWindow = {
    class: 'promotion',
    from: timeOf(Date.now() - 2 * HOUR_MS),
    to: timeOf(Date.now() - HOUR_MS / 2),
    time_zone: 'UTC',
    days: [1, 2, 3, 4, 5, 6, 7],
    outside: 'hold',
  };
  expect(sendingHoursAt([window], 'promotion', databaseClock.now()).isOpen).toBe(false);
});
