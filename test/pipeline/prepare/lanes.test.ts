// Small tasks do not wait for large ones to be prepared.

import { afterAll, beforeAll, expect, test } from 'vitest';
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
    await tx`select 1 from account a join customer c using (customer_id)
      where c.customer_no = ${busy.customerNo} for update of a`;
    const { task_no: large } = await busy.send(phonesOf(501), parked);
    await until(async () => {
      const waiting = await service.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
    const { task_no: single } = await small.send(phonesOf(1), parked);
    await small.taskWhen(single, (task) => task.stage === 'prepared');
    expect((await busy.client.task(large)).stage).toBe('queued');
  });
});
