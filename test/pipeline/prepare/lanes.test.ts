// Small tasks do not wait for large ones to be prepared.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../../support/lock-waits.js';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const phonesOf = (count: number) => Array.from({ length: count }, (_, index) => String(13_800_200_000 + index));

test('a small task is prepared while a large one of another customer is stuck', async () => {
  const [busy, small] = [await service.addCustomer(), await service.addCustomer()];
  const parked = { auto_freeze: false, auto_submit: false };
  await service.sql.begin(async (tx) => {
    // Preparing needs the lock of the account, which another transaction holds.
    await lockAccountOf(tx, busy);
    const { task_no: large } = await busy.send(phonesOf(501), parked);
    await until(async () => (await findLockWaits(service.sql)).length > 0);
    const { task_no: single } = await small.send(phonesOf(1), parked);
    await small.taskWhen(single, (task) => task.stage === 'prepared');
    expect((await busy.client.task(large)).stage).toBe('queued');
  });
});

test('a code is prepared before the campaign of its own customer that came earlier', async () => {
  const busy = await service.addCustomer();
  const create = async (of: 'otp' | 'promotion') =>
    (
      await service.operator.createTemplate(busy.customerNo, {
        name: of,
        body: of,
        class: of,
        service_account_no: busy.serviceAccountNo,
      })
    ).template_no;
  const [code, offer] = [await create('otp'), await create('promotion')];
  const unprepared = { auto_prepare: false, auto_freeze: false, auto_submit: false };
  // Three transactions of at most 5,000 numbers, and the code behind them.
  for (let sent = 0; sent < 24; sent += 1) await busy.send(phonesOf(500), { ...unprepared, template_no: offer });
  const { task_no: taskNo } = await busy.send(phonesOf(20), { ...unprepared, template_no: code });
  const own = service.sql`customer_id = (select customer_id from customer where customer_no = ${busy.customerNo})`;
  await service.sql`update task set queued_for = 'prepare' where ${own} and queued_for = 'manual'`;
  await busy.taskWhen(taskNo, ({ stage }) => stage === 'prepared');
  await until(
    async () => (await service.sql`select 1 from task where ${own} and stage = 'queued' limit 1`).length === 0,
  );
  // Tasks of one transaction have one time.
  const before = await service.sql`
    select 1 from task where ${own} and total = 500
      and updated_at < (select updated_at from task where ${own} and total = 20)`;
  expect(before).toHaveLength(0);
});
