// Tasks that are due by the database's clock, while a jump of that clock is not believed. They are left until it is, and the loop rests: a
// round that moves nothing and asks for the next one at once would never end.

import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import { endExpiredTasks } from '../../../src/pipeline/task-moves/end-tasks.js';
import { startDueTasks } from '../../../src/pipeline/task-moves/start-tasks.js';
import { startWake, type Wake } from '../../../src/pipeline/wake.js';
import { databaseClock } from '../../../src/store/database-clock.js';
import type { Snapshot } from '../../../src/store/snapshot/snapshot.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const HOUR_MS = 3_600_000;
/** As many as a round takes. */
const DUE = 200;
const limits = { receiptTimeoutMs: 72 * HOUR_MS, unknownTimeoutMs: 24 * HOUR_MS };
const snapshot = () => ({ customer: () => undefined, classOf: () => 'notice' }) as unknown as Snapshot;

let database: TestDatabase;
let wake: Wake;

beforeAll(async () => {
  database = await createTestDatabase();
  wake = await startWake({ sql: database.sql, listen: false, warn: () => {} });
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
});
afterAll(async () => {
  await wake.stop();
  await database.drop();
});
beforeEach(async () => {
  await database.sql`truncate task`;
  await database.sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
      account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at, submit_at, expires_at, unsent_until)
    select 0, 1, t, 'c:' || t, '', 1, 1, true, true, true, true, 'submitting', 1, '[]', now(),
      now() - interval '30 minutes', now() - interval '30 minutes', now() - interval '30 minutes'
    from generate_series(1, ${DUE}::int) as t`;
});

const deps = () => {
  const quarantine = createQuarantine({ now: Date.now, log: pino({ level: 'silent' }) });
  return { sql: database.sql, snapshot, wake, quarantine, region: 'CN', limits } as const;
};
const countOf = async (column: string) =>
  Number((await database.sql.unsafe(`select count(${column}) as count from task`))[0]?.count);

/** All clocks agreed an hour ago; since then that of the database alone has gone ahead. */
function jumpAhead(): void {
  const wall = Date.now.bind(Date);
  const hourAgo = vi.spyOn(Date, 'now').mockImplementation(() => wall() - HOUR_MS);
  databaseClock.read(new Date(Date.now()));
  onTestFinished(() => {
    hourAgo.mockRestore();
    databaseClock.read(new Date());
  });
}

test('tasks to start', async () => {
  jumpAhead();
  expect(await startDueTasks(deps(), 0)).toBe(false);
  expect(await countOf('submit_at')).toBe(DUE);
});

test('tasks that have expired', async () => {
  jumpAhead();
  expect(await endExpiredTasks(deps(), 0)).toBe(false);
  expect(await countOf('unsent_until')).toBe(DUE);
});

test('a full round that started its tasks asks for the next one', async () => {
  expect(await startDueTasks(deps(), 0)).toBe(true);
  expect(await countOf('submit_at')).toBe(0);
  expect(await startDueTasks(deps(), 0)).toBe(false);
});
