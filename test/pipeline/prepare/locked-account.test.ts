// Preparing waits for a locked account only after the tasks of all others are prepared, and holds nothing of them meanwhile.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../../support/lock-waits.js';
import { type Service, startService, until } from '../../support/service.js';

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
    await until(async () => (await findLockWaits(service.sql, 'from account')).length > 0);
    // A limit on statements would end a wait and let the task pass later: what counts is the moment of the wait.
    expect(await bob.client.task(taskNo)).toMatchObject({ stage: 'prepared', waits_for: 'freeze' });
  });
});
