// What a customer may freeze in one UTC day. A day passes by moving the day that the account remembers: what the database's
// clock says is then the next one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  expect(service.complaints).toEqual([]);
  await service.stop();
});

const phones = (count: number) => Array.from({ length: count }, (_, at) => String(13_800_100_000 + at));
const midnight = () => new Date(Math.ceil((Date.now() + 1) / 86_400_000) * 86_400_000).toISOString();

async function passDay({ customerNo }: ServiceCustomer): Promise<void> {
  await service.sql`
    update account set frozen_on = frozen_on - 1 from customer
    where customer.customer_id = account.customer_id and customer_no = ${customerNo}`;
}

const isOver = ({ waits_for }: { waits_for: string | null }) => waits_for === 'limit';

test('a task over the limit waits, moves nothing, and continues automatically on the next day', async () => {
  const customer = await service.addCustomer({ daily_limit: '0.200000', balance: '1' });
  const first = await customer.send(phones(3));
  await customer.completed(first.task_no);
  const second = await customer.send(phones(2));
  const waiting = await customer.taskWhen(second.task_no, isOver);
  expect(waiting).toMatchObject({
    stage: 'prepared',
    accounting_state: 'insufficient_funds',
    receipt_state: 'none',
    amounts: { price: '0.100000', frozen: '0.000000' },
    limit: { daily_limit: '0.200000', frozen_today: '0.150000', fits_from: midnight() },
  });
  // A smaller one behind it still has room, and what is charged, released or refunded since gives none back.
  const third = await customer.send(phones(1));
  await customer.completed(third.task_no);
  expect(await customer.client.account()).toMatchObject({
    available: '0.800000',
    daily_limit: '0.200000',
    frozen_today: '0.200000',
  });
  expect(await service.operator.task(second.task_no)).toMatchObject({
    waits_for: 'limit',
    limit: { ...waiting.limit, frozen_today: '0.200000' },
  });
  await passDay(customer);
  const done = await customer.completed(second.task_no);
  expect(done.limit).toBeUndefined();
  expect(await customer.client.account()).toMatchObject({ available: '0.700000', frozen_today: '0.100000' });
});

test('what is cancelled counts for the day all the same', async () => {
  const customer = await service.addCustomer({ daily_limit: '0.100000' });
  const held = await customer.send(phones(2), { auto_submit: false });
  await customer.taskWhen(held.task_no, (task) => task.accounting_state === 'frozen');
  await customer.client.cancelTask(held.task_no);
  const next = await customer.send(phones(1));
  expect((await customer.taskWhen(next.task_no, isOver)).limit?.frozen_today).toBe('0.100000');
});

test('a higher limit lets waiting tasks go on, and none at all lets everything', async () => {
  const customer = await service.addCustomer({ daily_limit: '0.100000', balance: '1' });
  const small = await customer.send(phones(3));
  const large = await customer.send(phones(5));
  await customer.taskWhen(small.task_no, isOver);
  // The price alone is above the limit: no day has room for it, and the task says so.
  const limited = await customer.taskWhen(large.task_no, isOver);
  expect(limited.limit).toEqual({ daily_limit: '0.100000', frozen_today: '0.000000', fits_from: null });
  await service.operator.updateCustomer(customer.customerNo, { daily_limit: '0.150000' });
  await customer.completed(small.task_no);
  expect((await customer.client.task(large.task_no)).waits_for).toBe('limit');
  await passDay(customer);
  await customer.taskWhen(large.task_no, ({ limit }) => limit?.frozen_today === '0.000000');
  await service.operator.updateCustomer(customer.customerNo, { daily_limit: null });
  await customer.completed(large.task_no);
  expect(await customer.client.account()).toMatchObject({ available: '0.600000', daily_limit: null });
});

test('freezing by hand is refused with the reason, and possible on the next day', async () => {
  const customer = await service.addCustomer({ daily_limit: '0.100000' });
  const byHand = { auto_freeze: false, auto_submit: false };
  const tasks = [await customer.send(phones(2), byHand), await customer.send(phones(1), byHand)];
  for (const { task_no } of tasks) await customer.taskWhen(task_no, ({ stage }) => stage === 'prepared');
  const [first = '', second = ''] = tasks.map(({ task_no }) => task_no);
  await customer.client.freezeTask(first);
  for (const mover of [customer.client, service.operator]) {
    const refused = await mover.moveTask(second, 'freeze').catch((error) => error);
    expect(refused).toMatchObject({ status: 409, code: 'insufficient_funds' });
    expect(refused.detail).toContain(`0.100000 of the daily limit of 0.100000`);
    expect(refused.detail).toContain(midnight());
  }
  expect(await customer.client.task(second)).toMatchObject({
    waits_for: 'limit',
    accounting_state: 'insufficient_funds',
  });
  await passDay(customer);
  expect(await customer.client.freezeTask(second)).toMatchObject({ accounting_state: 'frozen', waits_for: 'submit' });
});

test('what waits says for what: the day, and then the money', async () => {
  const customer = await service.addCustomer({ daily_limit: '0.150000', balance: '0.200000' });
  const first = await customer.send(phones(3));
  await customer.completed(first.task_no);
  const second = await customer.send(phones(2));
  // There is money for one number and room for none: more money comes first.
  await customer.taskWhen(second.task_no, ({ waits_for }) => waits_for === 'funds');
  await service.operator.topUp(customer.customerNo, { amount: '0.050000' });
  await customer.taskWhen(second.task_no, isOver);
  await service.operator.adjust(customer.customerNo, { amount: '-0.050000' });
  await passDay(customer);
  await customer.taskWhen(second.task_no, ({ waits_for }) => waits_for === 'funds');
  await service.operator.topUp(customer.customerNo, { amount: '0.050000' });
  await customer.completed(second.task_no);
});

test('many at once freeze no more than the limit together', async () => {
  const customer = await service.addCustomer({ daily_limit: '0.500000' });
  const sent = Array.from({ length: 40 }, () => customer.send(phones(1), { auto_submit: false }));
  const taskNos = (await Promise.all(sent)).map(({ task_no }) => task_no);
  for (const taskNo of taskNos) await customer.taskWhen(taskNo, (task) => task.accounting_state !== 'none');
  const states = await Promise.all(taskNos.map((taskNo) => customer.client.task(taskNo)));
  expect(states.filter(isOver)).toHaveLength(30);
  expect(await customer.client.account()).toMatchObject({ frozen: '0.500000', frozen_today: '0.500000' });
});
