// A round of preparing takes what fits one transaction, and leaves the rest to others.

import { afterAll, beforeAll, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../../support/lock-waits.js';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const phonesOf = (count: number) => Array.from({ length: count }, (_, index) => String(13_800_300_000 + index));

test('of a backlog only the tasks that are being prepared are locked', async () => {
  const customer = await service.addCustomer();
  const parked = { auto_prepare: false, auto_freeze: false, auto_submit: false };
  for (let task = 0; task < 6; task++) await customer.send(phonesOf(2000), parked);
  await service.sql.begin(async (tx) => {
    // Preparing has claimed its tasks when it waits for the account.
    const bucket = await lockAccountOf(tx, customer);
    await service.sql`update task set queued_for = 'prepare' where queued_for = 'manual'`;
    await until(async () => (await findLockWaits(service.sql)).length > 0);
    const countFree = async () =>
      (await service.sql`select 1 from task where bucket = ${bucket} and queued_for = 'prepare' for update skip locked`)
        .length;
    // No round takes more than 5,000 numbers.
    await until(async () => (await countFree()) >= 4);
  });
});
