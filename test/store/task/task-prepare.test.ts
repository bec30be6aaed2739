// Which tasks a transaction claims to prepare.

import { expect, onTestFinished, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { claimTasksToPrepare } from '../../../src/store/task/task-prepare.js';
import { createTestDatabase } from '../../support/database.js';

test('a task that is listed twice is claimed once: twice, its numbers would be rejected and its money frozen twice', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, queued_for, total, timeline, updated_at, payload)
    select 0, 1, i, 'c:' || i, '', 1, 1, true, true, true, true, 'queued', 'prepare', 1, '[]', now(), '[]'
    from generate_series(1, 2) as i`;
  const [one, two] = [1n, 2n].map((id) => ({ customerId: asCustomerId(1n), taskId: asTaskId(id) }));
  if (one === undefined || two === undefined) throw new Error('no tasks');
  const claimed = await sql.begin((tx) => claimTasksToPrepare(tx, 0, [one, two, { ...one }]));
  expect(claimed.map(({ task }) => task.taskId)).toEqual([1n, 2n]);
});
