// Freezing when the balance is not enough for all tasks: the whole price or nothing, and never below the limit.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const phonesOf = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => String(13_800_100_000 + first + index));

/** Tasks of one to five numbers, frozen and kept: nothing is handed over, so that nothing comes back. */
async function sendMany(customer: ServiceCustomer, count: number): Promise<string[]> {
  const sent = Array.from({ length: count }, (_, index) =>
    customer.send(phonesOf((index % 5) + 1, index * 10), { auto_submit: false }),
  );
  return (await Promise.all(sent)).map((task) => task.task_no);
}

async function tasksOf(customer: ServiceCustomer) {
  return await allOf(customer.client.tasks());
}

const isDecided = ({ stage, accounting_state }: { stage: string; accounting_state: string }) =>
  stage === 'prepared' && accounting_state !== 'none';

test.each([
  { billing_mode: 'prepaid', balance: '2.000000', credit_limit: '0', limit: 0 },
  { billing_mode: 'postpaid', balance: '0.500000', credit_limit: '1.500000', limit: -1.5 },
] as const)('$billing_mode: many at once take what there is, whole tasks only, and no more', async (terms) => {
  const { limit, ...request } = terms;
  const customer = await service.addCustomer(request);
  // 60 tasks of three numbers on average would cost 9.00; there are 2.00.
  const taskNos = await sendMany(customer, 60);
  await until(async () => (await tasksOf(customer)).every(isDecided));
  const tasks = await tasksOf(customer);
  expect(tasks).toHaveLength(taskNos.length);
  const frozen = tasks.filter((task) => task.accounting_state === 'frozen');
  const refused = tasks.filter((task) => task.accounting_state === 'insufficient_funds');
  expect([frozen.length > 0, refused.length > 0, frozen.length + refused.length]).toEqual([true, true, 60]);
  for (const task of frozen) expect(Number(task.amounts.frozen)).toBeCloseTo(task.counts.total * 0.05, 9);
  for (const task of refused) expect(task.amounts).toMatchObject({ frozen: '0.000000', held: '0.000000' });
  const entries = await allOf(customer.client.ledgers());
  for (const entry of entries) expect(Number(entry.available_after)).toBeGreaterThanOrEqual(limit);
  expect(entries.filter((entry) => entry.type === 'freeze')).toHaveLength(frozen.length);
  const account = await customer.client.account();
  // No rejected task could have been frozen: the smallest price is more than what is left.
  const smallest = Math.min(...refused.map((task) => task.counts.total * 0.05));
  expect(Number(account.available) - limit).toBeLessThan(smallest);
  expect(await auditAll(service.sql)).toEqual([]);
});

test('hand-made freezes at the same time are as careful', async () => {
  const customer = await service.addCustomer({ balance: '0.500000' });
  const manual = { auto_freeze: false, auto_submit: false };
  const sent = await Promise.all(Array.from({ length: 30 }, (_, at) => customer.send(phonesOf(2, at * 10), manual)));
  await until(async () => (await tasksOf(customer)).every((task) => task.stage === 'prepared'));
  const outcomes = await Promise.allSettled(sent.map((task) => customer.client.freezeTask(task.task_no)));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(outcomes.length - refusals.length).toBe(5);
  for (const refusal of refusals) expect(refusal).toMatchObject({ status: 409, code: 'insufficient_funds' });
  expect(await customer.client.account()).toMatchObject({ available: '0.000000', frozen: '0.500000' });
  // These are not frozen automatically: a top-up does not move them.
  await service.operator.topUp(customer.customerNo, { amount: '10' });
  const automatic = await customer.send(phonesOf(1), { auto_submit: false });
  await customer.taskWhen(automatic.task_no, (task) => task.accounting_state === 'frozen');
  const states = (await tasksOf(customer)).map((task) => task.accounting_state);
  expect(states.filter((state) => state === 'insufficient_funds')).toHaveLength(25);
});

test('a top-up retries the freeze automatically, oldest first, and automatic tasks continue to their end', async () => {
  const customer = await service.addCustomer({ balance: '0' });
  const taskNos: string[] = [];
  for (const count of [3, 2, 1]) {
    const { task_no: taskNo } = await customer.send(phonesOf(count));
    await customer.taskWhen(taskNo, (task) => task.accounting_state === 'insufficient_funds');
    taskNos.push(taskNo);
  }
  const [first = '', second = '', third = ''] = taskNos;
  expect(await customer.client.task(first)).toMatchObject({ stage: 'prepared', receipt_state: 'none', failure: null });
  // Enough for the oldest, and then not for the next but for the smaller one behind it.
  await service.operator.topUp(customer.customerNo, { amount: '0.200000' });
  await customer.completed(first);
  await customer.completed(third);
  expect((await customer.client.task(second)).accounting_state).toBe('insufficient_funds');
  // More credit is more money.
  await service.operator.updateCustomer(customer.customerNo, { billing_mode: 'postpaid', credit_limit: '0.100000' });
  const last = await customer.completed(second);
  expect(last.amounts).toMatchObject({ frozen: '0.100000', charged: '0.100000' });
  expect(await customer.client.account()).toMatchObject({ available: '-0.100000', frozen: '0.000000' });
  expect(await auditAll(service.sql)).toEqual([]);
});

test('what was cancelled while it waited is not frozen by a top-up', async () => {
  const customer = await service.addCustomer({ balance: '0' });
  const { task_no: cancelled } = await customer.send(phonesOf(1));
  const { task_no: waiting } = await customer.send(phonesOf(1));
  for (const taskNo of [cancelled, waiting])
    await customer.taskWhen(taskNo, (task) => task.accounting_state === 'insufficient_funds');
  expect(await customer.client.cancelTask(cancelled)).toMatchObject({ stage: 'cancelled', accounting_state: 'none' });
  await service.operator.topUp(customer.customerNo, { amount: '1' });
  await customer.completed(waiting);
  expect(await customer.client.task(cancelled)).toMatchObject({ stage: 'cancelled', amounts: { frozen: '0.000000' } });
  expect(service.complaints).toEqual([]);
});

test('more waiting tasks than a page holds are frozen in several transactions, oldest first', async () => {
  const customer = await service.addCustomer({ balance: '0' });
  const PAGE = 500;
  const sent = Array.from({ length: PAGE + 1 }, (_, at) => customer.send(phonesOf(1, at), { auto_submit: false }));
  await Promise.all(sent);
  const [owner] = await service.sql<{ id: bigint }[]>`
    select customer_id as id from customer where customer_no = ${customer.customerNo}`;
  const countTasks = async (column: 'insufficient_funds' | 'frozen_at is not null') => {
    const [row] = await service.sql.unsafe(
      `select count(*)::int as tasks from task where customer_id = ${owner?.id} and ${column}`,
    );
    return row?.tasks as number;
  };
  await until(async () => (await countTasks('insufficient_funds')) === PAGE + 1);
  await service.operator.topUp(customer.customerNo, { amount: '1000' });
  await until(async () => (await countTasks('frozen_at is not null')) === PAGE + 1);
  // The time of a freeze is that of its transaction.
  const pages = await service.sql`
    select count(*)::int as tasks, max(task_id) as last, min(task_id) as first from task
    where customer_id = ${owner?.id ?? 0n} group by frozen_at order by frozen_at`;
  expect(pages.map(({ tasks }) => tasks)).toEqual([PAGE, 1]);
  expect(pages[1]?.first > pages[0]?.last).toBe(true);
  await until(() => isGranted(owner?.id ?? 0n));
  expect(await auditAll(service.sql)).toEqual([]);
});

/** The round is over, and no other is requested. */
async function isGranted(customerId: bigint): Promise<boolean> {
  const [row] = await service.sql`select wants_refreeze from account where customer_id = ${customerId}`;
  return row?.wants_refreeze === false;
}
