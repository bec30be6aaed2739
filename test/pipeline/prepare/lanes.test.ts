// Small tasks do not wait for large ones to be prepared.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../../support/lock-waits.js';
import { type Service, startService, until } from '../../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const phonesOf = (count: number) => Array.from({ length: count }, (_, index) => String(13_800_200_000 + index));

test('a small task is prepared while a large one of somebody else is stuck half-way', async () => {
  const [busy, small] = [await service.addCustomer(), await service.addCustomer()];
  const parked = { auto_freeze: false, auto_submit: false };
  await service.sql.begin(async (tx) => {
    // Preparing writes under the lock of the account, which it cannot get as long as somebody else has it.
    await lockAccountOf(tx, busy);
    const { task_no: large } = await busy.send(phonesOf(501), parked);
    await until(async () => (await findLockWaits(service.sql)).length > 0);
    const { task_no: single } = await small.send(phonesOf(1), parked);
    await small.taskWhen(single, (task) => task.stage === 'prepared');
    expect((await busy.client.task(large)).stage).toBe('queued');
  });
});
