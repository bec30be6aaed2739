// Preparing waits for a locked account only after the tasks of all others are prepared, and holds nothing of them meanwhile.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../../support/lock-waits.js';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const BY_HAND = { auto_prepare: false, auto_freeze: false, auto_submit: false };

test('a task is prepared before anything waits for the locked account of another customer', async () => {
  const ann = await service.addCustomer();
  const bob = await service.addCustomer();
  await ann.send(['13800138000'], BY_HAND);
  const { task_no: taskNo } = await bob.send(['13800138001'], BY_HAND);
  await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    // In one statement, so that one round finds both.
    await service.sql`update task set queued_for = 'prepare' where queued_for = 'manual'`;
    const [first] = await until('something waits for the account', async () => {
      const waits = await findLockWaits(service.sql, 'from account');
      return waits.length > 0 && waits;
    });
    // The batch with the task may commit a moment after the wait began. A limit on statements would end the wait and let the task
    // pass later: what counts is that the same wait goes on.
    const task = await until('the task is prepared', async () => {
      const found = await bob.client.task(taskNo);
      return found.stage === 'prepared' && found;
    });
    expect(await findLockWaits(service.sql, 'from account')).toContain(first);
    expect(task).toMatchObject({ waits_for: 'freeze' });
  });
});
