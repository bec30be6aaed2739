// What keeps a month of history open is counted page by page: a month may have more tasks than a statement can read.

import { expect, onTestFinished, test } from 'vitest';
import { firstIdAt } from '../../../src/domain/id.js';
import { findOpenHistory, monthOf } from '../../../src/store/retention/months.js';
import { createTestDatabase } from '../../support/database.js';

const TASKS_A_PAGE = 20;

test('the open tasks of a month are counted over all pages, and those of later months are not', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  const month = monthOf(new Date('2025-06-10T00:00:00Z'));
  const addTasks = async (customer: number, at: string, count: number) => {
    const first = firstIdAt(new Date(at));
    await sql`
      insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
        auto_prepare, auto_freeze, auto_submit, stage, total, delivered, timeline, updated_at, completed_at)
      select 0, ${customer}, ${first} + n, 'c:' || ${first}::bigint || ':' || n, '', 1, 1, true, true, true, true,
        'completed', 1, 1, '[]', now(), now()
      from generate_series(1, ${count}::int) as n`;
    return first;
  };
  await sql`insert into account (bucket, customer_id) select 0, n from generate_series(1, 3) as n`;
  await sql`insert into history_reader (bucket, customer_id, receipt_id) select 0, n, 9e18::bigint from generate_series(1, 3) as n`;
  const [first] = [await addTasks(1, '2025-06-02T00:00:00Z', 75), await addTasks(2, '2025-06-03T00:00:00Z', 10)];
  const later = await addTasks(1, '2025-07-02T00:00:00Z', 5);
  let pages = 0;
  const find = () =>
    findOpenHistory(
      sql,
      0,
      month,
      async () => {
        pages += 1;
      },
      TASKS_A_PAGE,
    );
  expect(await find()).toEqual({ tasks: 0, unsummed: 0 });
  expect(pages).toBeGreaterThan(4);
  await sql`update task set stage = 'submitting', completed_at = null where task_id in (${first + 75n}, ${first + 1n}, ${later + 1n})`;
  expect(await find()).toEqual({ tasks: 2, unsummed: 0 });
});
