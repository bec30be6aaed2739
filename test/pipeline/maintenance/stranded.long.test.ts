// Numbers whose only channel is gone for good: after a time they end, and their money returns. What is not up for dispatch, or
// only waits its turn, is left alone.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService, until } from '../../support/service.js';

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

async function switchOff(channelNo: string): Promise<void> {
  await service.operator.updateChannel(channelNo, { status: 'disabled' });
  await until(async () => (await service.operator.channel(channelNo)).health.state === 'down');
}

test('what waits for a channel that is gone is given up in time, not sooner, and its money returns', async () => {
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

test('an operator ends what waits for a channel that is gone at once, and its money returns', async () => {
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

test('what is paused, sent later or not submitted is not affected, and goes when its channel is back', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const paused = await prepareTask(customer);
  const kept = await prepareTask(customer);
  const stranded = await prepareTask(customer);
  const { task_no: later } = await customer.send(NUMBERS, {
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await customer.taskWhen(later, ({ waits_for }) => waits_for === 'send_at');
  await switchOff(channelNo);
  await customer.client.submitTask(paused);
  await customer.client.pauseTask(paused);
  // Up for dispatch after all of them, and given up.
  await customer.client.submitTask(stranded);
  expect((await customer.completed(stranded)).counts.rejected).toBe(3);
  for (const taskNo of [paused, later, kept]) {
    expect((await customer.client.task(taskNo)).counts).toMatchObject({ unsent: 3, rejected: 0 });
  }
  await service.operator.updateChannel(channelNo, { status: 'active' });
  await until(async () => (await service.operator.channel(channelNo)).health.state === 'up');
  await customer.client.resumeTask(paused);
  await customer.client.rescheduleTask(later, new Date().toISOString());
  await customer.client.submitTask(kept);
  for (const taskNo of [paused, later, kept]) {
    expect((await customer.completed(taskNo)).counts.delivered).toBe(3);
  }
});

test('what only waits its turn on a channel that works is sent, however long that takes', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 1);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const numbers = Array.from({ length: 9 }, (_, at) => String(13_800_138_001 + at));
  const { task_no } = await customer.send(numbers);
  const done = await customer.completed(task_no);
  expect(Date.parse(done.completed_at ?? '') - Date.parse(done.created_at)).toBeGreaterThan(TIMEOUT_MS);
  expect(done.counts.delivered).toBe(9);
});

test('the time that a number waited for a channel that worked does not count', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const task_no = await prepareTask(customer);
  await switchOff(channelNo);
  await customer.client.submitTask(task_no);
  // As if it had been in the queue for a day, of which the channel was gone only for this moment.
  await service.sql`update chunk set queued_at = now() - interval '1 day'`;
  await service.operator.updateChannel(channelNo, { status: 'active' });
  expect((await customer.completed(task_no)).counts.delivered).toBe(3);
});
