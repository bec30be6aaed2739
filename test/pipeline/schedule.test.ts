// Sending later, and not any more, on the whole service: nothing before its time, what is late is not sent, and the money is
// where it belongs at every moment.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { startMessageCentre } from '../../tools/message-centre/message-centre.js';
import { allOf, type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const NUMBERS = ['13800139001', '13800239001'];
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

/** A second is promised; the rest is for a busy machine. */
const LATE_MS = 1000 + 5000;

test('what is sent later is priced and frozen now, and handed over when its time has come', async () => {
  const customer = await service.addCustomer();
  const sendAt = later(2000);
  const sent = await customer.send(NUMBERS, { send_at: sendAt });
  expect(sent).toMatchObject({ send_at: sendAt, expires_at: null });
  const waiting = await customer.taskWhen(sent.task_no, (task) => task.accounting_state === 'frozen');
  expect(waiting).toMatchObject({ stage: 'prepared', waits_for: 'send_at', amounts: { held: '0.100000' } });
  const done = await customer.completed(sent.task_no);
  const at = done.timeline.find(({ stage }) => stage === 'submitting')?.at ?? '';
  const lateMs = Date.parse(at) - Date.parse(sendAt);
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThan(LATE_MS);
  for (const { submitted_at } of await allOf(customer.client.submits({ taskNo: sent.task_no }))) {
    expect(Date.parse(submitted_at)).toBeGreaterThanOrEqual(Date.parse(sendAt));
  }
});

test('the time can be changed until the first part is handed over', async () => {
  const customer = await service.addCustomer();
  const { task_no } = await customer.send(NUMBERS, { send_at: later(3_600_000), expires_at: later(7_200_000) });
  await customer.taskWhen(task_no, (task) => task.waits_for === 'send_at');
  const moved = await customer.client.rescheduleTask(task_no, '2030-01-01T00:00:00+08:00').catch((error) => error);
  expect(moved).toMatchObject({ status: 400, code: 'invalid_request' });
  const sendAt = later(5_000_000);
  expect(await customer.client.rescheduleTask(task_no, sendAt)).toMatchObject({ send_at: sendAt, stage: 'prepared' });
  // The past means now.
  await customer.client.rescheduleTask(task_no, later(-1000));
  await customer.completed(task_no);
  const tooLate = customer.client.rescheduleTask(task_no, later(1000));
  await expect(tooLate).rejects.toMatchObject({ status: 409, code: 'invalid_stage' });
});

test('a task whose channel is away can be put off, and its stage does not go back', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const { task_no } = await customer.send(NUMBERS, { auto_submit: false });
  await customer.taskWhen(task_no, (task) => task.waits_for === 'submit');
  await service.operator.updateChannel(channelNo, { status: 'disabled' });
  await until(async () => (await service.operator.channel(channelNo)).health.state === 'down');
  expect(await customer.client.submitTask(task_no)).toMatchObject({ stage: 'submitting', waits_for: 'channel' });
  const put = await customer.client.rescheduleTask(task_no, later(1500));
  expect(put).toMatchObject({ stage: 'submitting', waits_for: 'send_at' });
  await service.operator.updateChannel(channelNo, { status: 'active' });
  await customer.completed(task_no);
});

test.each(['queued', 'prepared', 'frozen', 'paused'] as const)(
  'what is %s at expires_at is not sent',
  async (where) => {
    const customer = await service.addCustomer({ balance: '1' });
    const { task_no } = await customer.send(NUMBERS, {
      expires_at: later(1500),
      auto_prepare: where !== 'queued',
      auto_freeze: where === 'frozen' || where === 'paused',
      auto_submit: false,
    });
    if (where === 'paused') {
      await customer.taskWhen(task_no, (task) => task.waits_for === 'submit');
      await customer.client.pauseTask(task_no);
      await customer.client.submitTask(task_no);
    }
    const done = await customer.completed(task_no);
    expect(done).toMatchObject({ waits_for: null, counts: { total: 2, rejected: 2, unsent: 0 }, cancelled: 2 });
    const receipts = await allOf(customer.client.receipts({ taskNo: task_no }));
    expect(receipts.map(({ result, code }) => `${result} ${code}`)).toEqual(
      NUMBERS.map(() => 'rejected expired_unsent'),
    );
    expect(await allOf(customer.client.submits({ taskNo: task_no }))).toEqual([]);
    expect(await customer.client.account()).toMatchObject({ available: '1.000000', frozen: '0.000000' });
  },
);

test('a message that was begun when its time is up is finished', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 1);
  const customer = await service.addCustomer({ channelNos: [channelNo], body: 'A long text. '.repeat(65) });
  const { task_no } = await customer.send(['13800138000'], { expires_at: later(4000) });
  const task = await customer.completed(task_no);
  expect(task.counts.delivered).toBe(1);
  const submits = await allOf(customer.client.submits({ taskNo: task_no }));
  expect(submits.map(({ part }) => part).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  const last = Math.max(...submits.map(({ submitted_at }) => Date.parse(submitted_at)));
  expect(last).toBeGreaterThan(Date.parse(task.expires_at ?? ''));
});

test('what the carrier only ever throttles is not sent any more when its time is up', async () => {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, throttleRate: 1 });
  onTestFinished(() => centre.stop());
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'postrider', password: 'secret' };
  const { channel_no } = await service.operator.createChannel({ name: 'Busy', kind: 'smpp', firms: ['cmcc'], config });
  const customer = await service.addCustomer({ channelNos: [channel_no] });
  const { task_no } = await customer.send(NUMBERS, { expires_at: later(2500) });
  await until(() => centre.counts().throttled > 0);
  expect((await customer.completed(task_no)).counts).toMatchObject({ rejected: NUMBERS.length });
  const receipts = await allOf(customer.client.receipts({ taskNo: task_no }));
  expect(receipts.map(({ code }) => code)).toEqual(NUMBERS.map(() => 'expired_unsent'));
  expect(centre.counts().accepted).toBe(0);
});

test('a request that is repeated after its time is up gets its task', async () => {
  const customer = await service.addCustomer();
  const request = { client_request_id: 'once', send_at: later(600_000), expires_at: later(1000) };
  await expect(customer.send(NUMBERS, request)).rejects.toMatchObject({ status: 400 });
  const good = { ...request, send_at: later(300) };
  const first = await customer.send(NUMBERS, good);
  await customer.completed(first.task_no);
  await until(() => Date.now() > Date.parse(good.expires_at));
  expect((await customer.send(NUMBERS, good)).task_no).toBe(first.task_no);
  const other = customer.send(NUMBERS, { ...good, expires_at: later(60_000) });
  await expect(other).rejects.toMatchObject({ status: 409, code: 'idempotency_conflict' });
});
