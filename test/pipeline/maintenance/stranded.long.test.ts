// Numbers whose only channel is gone for good: after a time they end, and their money returns. What is sent
// later, not submitted, or only waits its turn, is left alone. The tests wait side by side, each on a channel of its own.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

/** Longer than a busy machine takes to bring a channel back. */
const TIMEOUT_MS = 7000;

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_UNSENT_TIMEOUT: `${TIMEOUT_MS}ms` } });
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const NUMBERS = ['13800138001', '13800138002', '13800138003'];

/** A task on a channel of its own, priced and paid for. */
async function prepareTask(customer: ServiceCustomer): Promise<string> {
  const { task_no } = await customer.send(NUMBERS, { auto_submit: false });
  await customer.taskWhen(task_no, ({ waits_for }) => waits_for === 'submit');
  return task_no;
}

async function sendLater(customer: ServiceCustomer): Promise<string> {
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const { task_no } = await customer.send(NUMBERS, { send_at });
  await customer.taskWhen(task_no, ({ waits_for }) => waits_for === 'send_at');
  return task_no;
}

/** It opens in six hours and lasts one. */
function closedWindow() {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const days = [1, 2, 3, 4, 5, 6, 7];
  return { class: 'notice', from: inHours(6), to: inHours(7), time_zone: 'UTC', days, outside: 'hold' } as const;
}

async function switchOff(channelNo: string): Promise<void> {
  await service.operator.updateChannel(channelNo, { status: 'disabled' });
  await until(async () => (await service.operator.channel(channelNo)).health.state === 'down');
}

test.concurrent('what waits for a channel that is gone is given up in time, not sooner, and its money returns', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo], balance: '1' });
  const task_no = await prepareTask(customer);
  await switchOff(channelNo);
  const waiting = await customer.client.submitTask(task_no);
  expect(waiting).toMatchObject({ waits_for: 'channel', amounts: { held: '0.150000' } });
  const done = await customer.completed(task_no);
  expect(done).toMatchObject({ waits_for: null, counts: { rejected: 3 }, amounts: { released: '0.150000' } });
  expect(await customer.client.account()).toMatchObject({ available: '1.000000', frozen: '0.000000' });
  const receipts = await allOf(customer.client.receipts({ taskNo: task_no }));
  expect(receipts.map(({ result, code }) => `${result} ${code}`)).toEqual(NUMBERS.map(() => 'rejected no_channel'));
  const submittedAt = done.timeline.find(({ stage }) => stage === 'submitting')?.at ?? '';
  for (const { received_at } of receipts) {
    expect(Date.parse(received_at) - Date.parse(submittedAt)).toBeGreaterThanOrEqual(TIMEOUT_MS);
  }
});

test.concurrent('an operator ends what waits for a channel that is gone at once, and its money returns', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo], balance: '1' });
  const task_no = await prepareTask(customer);
  await switchOff(channelNo);
  const submitted = await customer.client.submitTask(task_no);
  expect(submitted).toMatchObject({ stage: 'submitting', waits_for: 'channel' });
  const ended = await service.operator.moveTask(task_no, 'cancel');
  expect(ended).toMatchObject({ stage: 'cancelled', counts: { rejected: 3 }, amounts: { released: '0.150000' } });
  expect(await customer.client.account()).toMatchObject({ available: '1.000000', frozen: '0.000000' });
  const receipts = await allOf(customer.client.receipts({ taskNo: task_no }));
  expect(receipts.map(({ result, code }) => `${result} ${code}`)).toEqual(NUMBERS.map(() => 'rejected cancelled'));
});

test.concurrent('what is sent later or not submitted is not affected, and goes when its channel is back', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const kept = await prepareTask(customer);
  const stranded = await prepareTask(customer);
  const later = await sendLater(customer);
  const laterAndPaused = await sendLater(customer);
  await customer.client.pauseTask(laterAndPaused);
  await switchOff(channelNo);
  // Up for dispatch after all of them, and given up.
  await customer.client.submitTask(stranded);
  expect((await customer.completed(stranded)).counts.rejected).toBe(3);
  for (const taskNo of [later, laterAndPaused, kept]) {
    expect((await customer.client.task(taskNo)).counts).toMatchObject({ unsent: 3, rejected: 0 });
  }
  await service.operator.updateChannel(channelNo, { status: 'active' });
  await until(async () => (await service.operator.channel(channelNo)).health.state === 'up');
  await customer.client.resumeTask(laterAndPaused);
  for (const taskNo of [later, laterAndPaused]) {
    await customer.client.rescheduleTask(taskNo, new Date().toISOString());
  }
  await customer.client.submitTask(kept);
  for (const taskNo of [later, laterAndPaused, kept]) {
    expect((await customer.completed(taskNo)).counts.delivered).toBe(3);
  }
});

test.concurrent('what is paused on a channel that is gone is given up in time, and its money returns', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo], balance: '1' });
  const [paused, pausedBefore] = [await prepareTask(customer), await prepareTask(customer)];
  await switchOff(channelNo);
  await customer.client.submitTask(paused);
  await customer.client.pauseTask(paused);
  await customer.client.pauseTask(pausedBefore);
  await customer.client.submitTask(pausedBefore);
  for (const taskNo of [paused, pausedBefore]) {
    expect(await customer.client.task(taskNo)).toMatchObject({ waits_for: 'resume', counts: { unsent: 3 } });
  }
  for (const taskNo of [paused, pausedBefore]) {
    expect((await customer.completed(taskNo)).counts).toMatchObject({ unsent: 0, rejected: 3 });
    const receipts = await allOf(customer.client.receipts({ taskNo }));
    expect(receipts.map(({ result, code }) => `${result} ${code}`)).toEqual(NUMBERS.map(() => 'rejected no_channel'));
  }
  expect(await customer.client.account()).toMatchObject({ available: '1.000000', frozen: '0.000000' });
});

test.concurrent('what is paused without a grant is given up in time', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const taskNo = await prepareTask(customer);
  await customer.client.pauseTask(taskNo);
  await customer.client.submitTask(taskNo);
  await service.operator.revokeGrant(customer.customerNo, channelNo);
  expect((await customer.client.task(taskNo)).counts).toMatchObject({ unsent: 3 });
  expect((await customer.completed(taskNo)).counts).toMatchObject({ unsent: 0, rejected: 3 });
});

test.concurrent('what waits for its sending hours on a channel that is gone is given up in time', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const taskNo = await prepareTask(customer);
  await service.operator.updateCustomer(customer.customerNo, { send_windows: [closedWindow()] });
  await switchOff(channelNo);
  await customer.client.submitTask(taskNo);
  expect(await customer.client.task(taskNo)).toMatchObject({ waits_for: 'window', counts: { unsent: 3 } });
  expect((await customer.completed(taskNo)).counts).toMatchObject({ unsent: 0, rejected: 3 });
});

test.concurrent('what only waits its turn on a channel that works is sent, however long that takes', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 1);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const numbers = Array.from({ length: 9 }, (_, at) => String(13_800_138_001 + at));
  const { task_no } = await customer.send(numbers);
  const done = await customer.completed(task_no);
  expect(Date.parse(done.completed_at ?? '') - Date.parse(done.created_at)).toBeGreaterThan(TIMEOUT_MS);
  expect(done.counts.delivered).toBe(9);
});

test.concurrent('what waits its turn on a channel whose grant was revoked once and restored is sent', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 1);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  await service.operator.revokeGrant(customer.customerNo, channelNo);
  await service.operator.grantChannel(customer.customerNo, channelNo);
  const numbers = Array.from({ length: 12 }, (_, at) => String(13_800_138_001 + at));
  const { task_no } = await customer.send(numbers);
  const done = await customer.completed(task_no);
  expect(Date.parse(done.completed_at ?? '') - Date.parse(done.created_at)).toBeGreaterThan(TIMEOUT_MS);
  expect(done.counts.delivered).toBe(12);
});

test.concurrent('the time that a number waited for a channel that worked does not count', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const task_no = await prepareTask(customer);
  await switchOff(channelNo);
  await customer.client.submitTask(task_no);
  // As if it had been in the queue for a day, of which the channel was gone only for this moment.
  await service.sql`
    update chunk set queued_at = now() - interval '1 day'
    where customer_id = (select customer_id from customer where customer_no = ${customer.customerNo})`;
  await service.operator.updateChannel(channelNo, { status: 'active' });
  expect((await customer.completed(task_no)).counts.delivered).toBe(3);
});
