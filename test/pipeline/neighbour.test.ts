// What one customer does must not take the connections that others need.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../support/lock-waits.js';
import { type Service, startService, until } from '../support/service.js';

const CALLS = 60;
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('calls that wait for one account hold one connection, and those of others go on', async () => {
  const ann = await service.addCustomer();
  const bob = await service.addCustomer();
  const byHand = { auto_prepare: false, auto_freeze: false, auto_submit: false };
  const busy = await ann.send(['13800138000'], byHand);
  const moves = await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    const open = Array.from({ length: CALLS }, (_, at) =>
      ann.client.moveTask(busy.task_no, at % 2 === 0 ? 'pause' : 'resume').catch((error: unknown) => error),
    );
    await until(async () => (await findLockWaits(service.sql, 'from account')).length > 0);
    // These need connections, and end while all of ann's calls wait.
    const sent = await bob.send(['13800138001'], byHand);
    expect(await bob.client.moveTask(sent.task_no, 'cancel')).toMatchObject({ task_no: sent.task_no });
    expect(await findLockWaits(service.sql, 'from account')).toHaveLength(1);
    return { open };
  });
  expect(await Promise.all(moves.open)).toHaveLength(CALLS);
});
