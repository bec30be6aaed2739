// What is due of many customers is done in rounds. One customer whose rows cannot be written stops no other in any of
// them: it is quarantined, operators see it, and it is done once its rows are mended.

import type { SetAside, TaskDetail } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { awaitQuarantine, poison } from '../support/poison.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

/** Longer than a busy machine takes to have everything ready, so that what is due is due together. */
const DUE_MS = 3000;

let service: Service;
/** The first of them is poisoned: a round in the order of ids, or of due times, serves it first. */
let customers: readonly ServiceCustomer[];

beforeAll(async () => {
  const env = {
    POSTRIDER_RECEIPT_TIMEOUT: `${DUE_MS}ms`,
    POSTRIDER_UNKNOWN_TIMEOUT: `${DUE_MS}ms`,
    POSTRIDER_UNSENT_TIMEOUT: '5s',
  };
  service = await startService({ env });
  const made: ServiceCustomer[] = [];
  for (let count = 0; count < 3; count++) made.push(await service.addCustomer());
  customers = made;
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const NUMBERS = ['13800138001', '13800138002'];
/** It accepts and reports nothing; it loses the answer. */
const SILENT = '13800139007';
const LOST = '13800139005';

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** What is done to all of them, with the rows of the first refused: it waits and is shown, the others end as wished. */
async function poisonFirst(round: {
  readonly kind: SetAside['kind'];
  /** The rows of the first one's tasks are refused unless they are so. */
  readonly isSo: string;
  readonly of?: readonly ServiceCustomer[];
  readonly send: (customer: ServiceCustomer) => Promise<{ readonly task_no: string }>;
  /** Makes it due, where time alone does not. */
  readonly go?: (customer: ServiceCustomer) => Promise<unknown>;
  readonly isDone: (task: TaskDetail) => boolean;
}): Promise<void> {
  const { kind, send, go, isDone, of = customers } = round;
  const tasks: { customer: ServiceCustomer; taskNo: string }[] = [];
  for (const customer of of) tasks.push({ customer, taskNo: (await send(customer)).task_no });
  const [sick, ...healthy] = tasks;
  if (sick === undefined) return expect.fail('no customer is poisoned');
  const heal = await poison(service, 'task', sick.customer, round.isSo);
  for (const { customer } of tasks) await go?.(customer);
  for (const { customer, taskNo } of healthy) await customer.taskWhen(taskNo, isDone);
  const items = await awaitQuarantine(service, (items) => items.length > 0);
  expect(items).toMatchObject([
    { kind, customer_no: sick.customer.customerNo, task_no: sick.taskNo, channel_no: null },
  ]);
  expect(items[0]?.reason).toContain('poison_task');
  expect(isDone(await sick.customer.client.task(sick.taskNo))).toBe(false);
  await heal();
  await sick.customer.taskWhen(sick.taskNo, isDone);
  await awaitQuarantine(service, (items) => items.length === 0);
}

test('freezing after a top-up', async () => {
  const poor: ServiceCustomer[] = [];
  for (let count = 0; count < 3; count++) poor.push(await service.addCustomer({ balance: '0' }));
  await poisonFirst({
    kind: 'freeze',
    isSo: 'frozen = 0',
    of: poor,
    send: async (customer) => {
      const task = await customer.send(NUMBERS);
      await customer.taskWhen(task.task_no, ({ waits_for }) => waits_for === 'funds');
      return task;
    },
    go: ({ customerNo }) => service.operator.topUp(customerNo, { amount: '10' }),
    isDone: ({ stage }) => stage === 'completed',
  });
});

test('starting at send_at', async () => {
  await poisonFirst({
    kind: 'start',
    isSo: "stage <> 'submitting'",
    send: (customer) => customer.send(NUMBERS, { send_at: inMs(DUE_MS) }),
    isDone: ({ stage }) => stage === 'completed',
  });
});

test('ending at expires_at', async () => {
  await poisonFirst({
    kind: 'end',
    isSo: 'ending is null',
    send: (customer) => customer.send(NUMBERS, { auto_submit: false, expires_at: inMs(DUE_MS) }),
    isDone: ({ stage, counts }) => stage === 'completed' && counts.rejected === 2,
  });
});

test('unknown numbers at their deadline, beside others that wait for receipts', async () => {
  await poisonFirst({
    kind: 'verify',
    isSo: 'rejected = 0',
    send: (customer) => customer.send([LOST, SILENT]),
    isDone: ({ counts }) => counts.rejected === 1 && counts.expired === 1,
  });
});

test('receipts that never come', async () => {
  await poisonFirst({
    kind: 'expire',
    isSo: 'expired = 0',
    send: (customer) => customer.send([SILENT]),
    isDone: ({ counts }) => counts.expired === 1,
  });
});

test('numbers whose channel is gone', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const taskNos = new Map<ServiceCustomer, string>();
  const stranded: ServiceCustomer[] = [];
  for (let count = 0; count < 3; count++) stranded.push(await service.addCustomer({ channelNos: [channelNo] }));
  await poisonFirst({
    kind: 'give_up',
    isSo: 'rejected = 0',
    of: stranded,
    send: async (customer) => {
      const task = await customer.send(NUMBERS, { auto_submit: false });
      await customer.taskWhen(task.task_no, ({ waits_for }) => waits_for === 'submit');
      taskNos.set(customer, task.task_no);
      return task;
    },
    go: async (customer) => {
      await service.operator.updateChannel(channelNo, { status: 'disabled' });
      await customer.client.submitTask(taskNos.get(customer) ?? '');
    },
    isDone: ({ counts }) => counts.rejected === 2,
  });
});

test('sums', async () => {
  const [sick, ...healthy] = customers;
  if (sick === undefined) return expect.fail('no customer is poisoned');
  const heal = await poison(service, 'receipt_sum', sick);
  const tasks = await Promise.all(customers.map((customer) => customer.send(NUMBERS)));
  for (const [at, customer] of customers.entries()) await customer.completed(tasks[at]?.task_no ?? '');
  const unsummed = async () => {
    const rows = await service.sql<{ customer_no: string }[]>`
      select c.customer_no from account a join customer c using (customer_id)
      left join history_reader r on r.bucket = a.bucket and r.customer_id = a.customer_id
      where a.record_id > coalesce(r.receipt_id, 0)`;
    return rows.map(({ customer_no }) => customer_no);
  };
  await until(async () => {
    const left = await unsummed();
    return healthy.every(({ customerNo }) => !left.includes(customerNo));
  });
  const items = await awaitQuarantine(service, (items) => items.length > 0);
  expect(items).toMatchObject([{ kind: 'sum', customer_no: sick.customerNo, task_no: null }]);
  await heal();
  await until(async () => (await unsummed()).length === 0);
  await awaitQuarantine(service, (items) => items.length === 0);
});

test('a request that the database refuses fails alone; those that share its insert are accepted', async () => {
  const [sick, ...healthy] = customers;
  if (sick === undefined) return expect.fail('no customer is poisoned');
  await poison(service, 'task', sick);
  const sendAll = Array.from({ length: 20 }, () => [sick, ...healthy]).flat();
  const results = await Promise.allSettled(sendAll.map((customer) => customer.send([NUMBERS[0] ?? ''])));
  for (const [at, { status }] of results.entries()) {
    expect(status).toBe(sendAll[at] === sick ? 'rejected' : 'fulfilled');
  }
});
