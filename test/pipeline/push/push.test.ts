// Push on a whole service with real receivers: the events, their order, and the signatures.

import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerWith, type Receiver, startReceiver, verify } from '../../support/network/receiver.js';
import { allOf, type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.kill();
});

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

const numbers = (count: number, from = 13_800_130_000) => Array.from({ length: count }, (_, at) => String(from + at));

describe('receipts', () => {
  it('come in the shape and the order of the list, up to 500 in one call', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer();
    await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
    const task = await customer.send(numbers(1200));
    await customer.completed(task.task_no);
    const pushed = () => receiver.accepted.flatMap(({ data }) => data.items);
    await until(
      () => `1,200 receipts, of which ${pushed().length} came`,
      () => pushed().length >= 1200,
    );
    expect(pushed()).toEqual(await allOf(customer.client.receipts()));
    for (const { type, data } of receiver.accepted) {
      expect(type).toBe('receipts');
      expect(data.items.length).toBeLessThanOrEqual(500);
    }
  });

  it('are signed by the Standard Webhooks specification, as Python reads it by hand', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer();
    const { secret } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
    await customer.completed((await customer.send(['13800138000'])).task_no);
    await until(() => receiver.accepted.length === 1);
    const [message] = receiver.accepted;
    if (message === undefined) throw new Error('no message');
    expect(verify(secret, message)).toMatchObject({ type: 'receipts' });
    expect(() => verify('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDGtTSQ4DN5Nw=', message)).toThrow();
    const program = `
import base64, hashlib, hmac, json, sys
call = json.load(sys.stdin)
key = base64.b64decode(call["secret"].removeprefix("whsec_"))
signed = ".".join([call["id"], call["timestamp"], call["body"]]).encode()
print("v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode())`;
    const input = JSON.stringify({
      secret,
      id: message.headers['webhook-id'],
      timestamp: message.headers['webhook-timestamp'],
      body: message.text,
    });
    const python = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
    expect(python.stdout.trim(), python.stderr).toBe(message.headers['webhook-signature']);
  });

  it('of before the webhook are not pushed, unless they are asked for by a replay', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer();
    const startedAt = new Date();
    await customer.completed((await customer.send(numbers(3))).task_no);
    const { webhook_no } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
    await customer.completed((await customer.send(['13800138000'])).task_no);
    await until(() => receiver.accepted.length === 1);
    expect(receiver.accepted[0]?.data.items).toHaveLength(1);
    await customer.client.replayWebhook(webhook_no, startedAt);
    await until(() => receiver.accepted.length === 2);
    expect(receiver.accepted[1]?.data.items).toEqual(await allOf(customer.client.receipts()));
    expect(receiver.accepted[1]?.id).not.toBe(receiver.accepted[0]?.id);
  });
});

describe('the other kinds of event', () => {
  it('tell uplinks as the list shows them', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer();
    await customer.client.createWebhook({ url: receiver.url, events: ['uplinks'] });
    await customer.send(['13800139008']);
    await until(() => receiver.accepted.length === 1);
    expect(receiver.accepted[0]).toMatchObject({ type: 'uplinks', data: { items: [{ content: 'OK' }] } });
    expect(receiver.accepted[0]?.data.items).toEqual(await allOf(customer.client.uplinks()));
  });

  it('tell the end of every task once, however it ended, in one call each', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer();
    await customer.client.createWebhook({ url: receiver.url, events: ['task.finished'] });
    const completed = await customer.send(['13800138000']);
    const rejected = await customer.send(['12']);
    const waiting = await customer.send(['13800138000'], { auto_freeze: false, auto_submit: false });
    await customer.taskWhen(waiting.task_no, ({ stage }) => stage === 'prepared');
    await customer.client.cancelTask(waiting.task_no);
    await until(() => receiver.accepted.length === 3);
    const pushed = new Map(receiver.accepted.map(({ data }) => [data.task_no, data]));
    for (const { task_no } of [completed, rejected, waiting]) {
      const {
        timeline: _,
        verification: __,
        template_body: ___,
        variable_values: ____,
        ...task
      } = await customer.client.task(task_no);
      expect(pushed.get(task_no)).toEqual(task);
    }
    expect(pushed.get(waiting.task_no).stage).toBe('cancelled');
  });

  it('tell the end of a batch when the last of its tasks has ended, and again when more have', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer();
    await customer.client.createWebhook({ url: receiver.url, events: ['batch.finished'] });
    const send = (more: object = {}) => customer.send(['13800138000'], { batch_id: 'spring', ...more });
    const manual = await send({ auto_freeze: false, auto_submit: false });
    await customer.completed((await send()).task_no);
    await customer.completed((await customer.send(['13800138000'])).task_no);
    await customer.taskWhen(manual.task_no, ({ stage }) => stage === 'prepared');
    await customer.client.cancelTask(manual.task_no);
    await until(() => receiver.accepted.length === 1);
    expect(receiver.accepted[0]).toMatchObject({ type: 'batch.finished', data: { batch_id: 'spring', tasks: 2 } });
    expect(receiver.accepted[0]?.data).toEqual(await customer.client.batch('spring'));
    await send();
    await until(() => receiver.accepted.length === 2);
    expect(receiver.accepted[1]?.data).toMatchObject({ tasks: 3, stages: { completed: 2, cancelled: 1 } });
  });

  it('tell that the balance has fallen below its mark', async () => {
    const receiver = await receive();
    const customer = await service.addCustomer({ balance: '1', low_balance: '0.900000' });
    await customer.client.createWebhook({ url: receiver.url, events: ['account.low'] });
    await customer.completed((await customer.send(['13800138000'])).task_no);
    await customer.completed((await customer.send(numbers(2))).task_no);
    await until(() => receiver.accepted.length === 1);
    await customer.completed((await customer.send(['13800138000'])).task_no);
    expect(receiver.accepted[0]).toMatchObject({
      type: 'account.low',
      data: { customer_no: customer.customerNo, currency: 'CNY', low_balance: '0.900000', available: '0.850000' },
    });
    expect(receiver.calls).toHaveLength(1);
  });
});

it('both secrets sign during a rotation', async () => {
  const receiver = await receive();
  const customer = await service.addCustomer();
  const { secret: old, webhook_no } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  const { secret, old_secret_until } = await customer.client.rotateWebhook(webhook_no);
  expect(secret).not.toBe(old);
  expect(Date.parse(old_secret_until ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await until(() => receiver.accepted.length === 1);
  for (const [message] of [receiver.accepted]) {
    if (message === undefined) throw new Error('no message');
    expect(String(message.headers['webhook-signature']).split(' ')).toHaveLength(2);
    verify(old, message);
    verify(secret, message);
  }
});

it('an attempt is sent once more on request, under the same id, signed anew, and logged as another attempt', async () => {
  const receiver = await receive();
  const customer = await service.addCustomer();
  const { webhook_no, secret } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  await customer.completed((await customer.send(numbers(2))).task_no);
  await until(() => receiver.accepted.length === 1);
  const [attempt] = await allOf(customer.client.webhookAttempts(webhook_no));
  if (attempt === undefined) throw new Error('no attempt');
  const again = await customer.client.resendWebhookAttempt(webhook_no, attempt.id);
  expect(again).toMatchObject({ event: 'receipts', items: 2, message_id: attempt.message_id, response_status: 204 });
  expect(again.id).toBeGreaterThan(attempt.id);
  const [first, second] = receiver.accepted;
  if (first === undefined || second === undefined) throw new Error('it was not sent');
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(verify(secret, second)).toEqual(verify(secret, first));
  expect((await allOf(customer.client.webhookAttempts(webhook_no))).at(-1)).toMatchObject({ id: again.id });
  const neighbour = await service.addCustomer();
  await expect(neighbour.client.resendWebhookAttempt(webhook_no, attempt.id)).rejects.toMatchObject({ status: 404 });
  await expect(customer.client.resendWebhookAttempt(webhook_no, 999_999)).rejects.toMatchObject({ status: 404 });
});

it('a test message says at once what came of it, and is in the log of attempts', async () => {
  const receiver = await receive();
  const customer = await service.addCustomer();
  const { secret, webhook_no } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  expect(await customer.client.testWebhook(webhook_no)).toMatchObject({ event: 'test', status: 204, error: null });
  const [message] = receiver.calls;
  expect(message && verify(secret, message)).toMatchObject({ type: 'test', data: { webhook_no } });
  receiver.behave(answerWith(500));
  expect(await customer.client.testWebhook(webhook_no)).toMatchObject({ status: 500 });
  const attempts = await allOf(customer.client.webhookAttempts(webhook_no));
  expect(attempts.map(({ status }) => status)).toEqual([204, 500]);
});
