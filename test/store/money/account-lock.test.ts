// The lock of an account, and the time at which it was granted.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CustomerId } from '../../../src/domain/id.js';
import { lockAccounts } from '../../../src/store/money/account.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('the clock is read when the lock is granted, so that times rise in the order of commits', async () => {
  const { sql } = service;
  await service.addCustomer();
  const [row] = await sql<{ bucket: number; id: CustomerId }[]>`select bucket, customer_id as id from account limit 1`;
  if (row === undefined) throw new Error('no account');
  const lock = () => sql.begin(async (tx) => (await lockAccounts(tx, row.bucket, [row.id])).now);
  let second: Promise<Date> | undefined;
  const released = await sql.begin(async (tx) => {
    await lockAccounts(tx, row.bucket, [row.id]);
    second = lock();
    const isWaiting = async () => (await findLockWaits(sql)).length > 0;
    await until('the second waits', isWaiting);
    const [clock] = await tx<{ now: Date }[]>`select date_trunc('milliseconds', clock_timestamp()) as now`;
    return clock?.now ?? new Date(Number.NaN);
  });
  expect((await second)?.getTime()).toBeGreaterThanOrEqual(released.getTime());
});
