// Receivers that do not do what they should, with a clock that the test moves: pauses, the end of patience, and that nobody
// else waits for them.

import { createServer, type Server, type Socket } from 'node:net';
import type { NewWebhook, WebhookEvent } from '@postrider/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  answerOk,
  answerWith,
  type Behaviour,
  hang,
  type Receiver,
  startReceiver,
} from '../../support/network/receiver.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const HOUR_MS = 3_600_000;

let service: Service;
let aheadMs = 0;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startService({
    env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' },
    // Long enough for an answer on a busy machine, short enough to wait for a timeout.
    push: { now: () => Date.now() + aheadMs, timeoutMs: 1000 },
  });
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.kill();
});

interface Setting {
  readonly receiver: Receiver;
  readonly customer: ServiceCustomer;
  readonly webhook: NewWebhook;
}

async function setUp(behaviour: Behaviour, events: readonly WebhookEvent[] = ['receipts']): Promise<Setting> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  receiver.behave(behaviour);
  const customer = await service.addCustomer();
  return { receiver, customer, webhook: await customer.client.createWebhook({ url: receiver.url, events }) };
}

async function send({ customer }: Setting, phones: readonly string[] = ['13800138000']): Promise<void> {
  await customer.completed((await customer.send(phones)).task_no);
}

const progressOf = async ({ customer, webhook }: Setting) =>
  (await customer.client.webhook(webhook.webhook_no)).progress[0];

/** Lets the clock run to the next try, again and again, until so many calls were made. */
async function letPass(setting: Setting, calls: number): Promise<number[]> {
  const { receiver } = setting;
  const pauses: number[] = [];
  while (receiver.calls.length < calls) {
    const made = receiver.calls.length;
    let nextTryAt: string | null | undefined;
    await until(async () => {
      nextTryAt = (await progressOf(setting))?.next_try_at;
      return nextTryAt != null && Date.parse(nextTryAt) > Date.now() + aheadMs;
    });
    const pauseMs = Date.parse(nextTryAt ?? '') - Date.now() - aheadMs;
    pauses.push(pauseMs);
    aheadMs += pauseMs + 1;
    await until(() => receiver.calls.length > made);
  }
  return pauses;
}

it('a receiver that answers 500 for an hour then gets everything in order, each message under one id', async () => {
  const setting = await setUp(answerWith(500));
  const { receiver, customer, webhook } = setting;
  const startedMs = aheadMs;
  await send(setting, ['13800138000', '13800138001']);
  await until(() => receiver.calls.length === 1);
  await send(setting, ['13800138002']);
  while (aheadMs - startedMs < HOUR_MS) await letPass(setting, receiver.calls.length + 1);
  expect(receiver.accepted).toEqual([]);
  expect(new Set(receiver.calls.map(({ id }) => id)).size).toBe(1);
  expect(new Set(receiver.calls.map(({ text }) => text)).size).toBe(1);
  receiver.behave(answerOk);
  await letPass(setting, receiver.calls.length + 1);
  const pushed = () => receiver.accepted.flatMap(({ data }) => data.items);
  await until(() => pushed().length === 3);
  expect(pushed()).toEqual(await allOf(customer.client.receipts()));
  expect(await progressOf(setting)).toMatchObject({ failures: 0, failing_since: null, next_try_at: null });
  const attempts = await allOf(customer.client.webhookAttempts(webhook.webhook_no));
  expect(attempts[0]).toMatchObject({ event: 'receipts', status: 500, error: 'the answer is not a 2xx', items: 2 });
  expect(attempts.at(-1)).toMatchObject({ status: 204, error: null, items: 1 });
});

it.each<[string, Behaviour]>([
  ['never answers', hang],
  ['redirects', answerWith(307, { location: 'https://elsewhere.example/' })],
  ['answers garbage', (response) => void response.socket?.end('HTTZ/9 what?\r\n\r\n')],
])('a receiver that %s for an hour gets everything in order once it is well', async (_, behaviour) => {
  const setting = await setUp(behaviour);
  const { receiver, customer } = setting;
  const startedMs = aheadMs;
  await send(setting, ['13800138000', '13800138001']);
  await until(() => receiver.calls.length === 1);
  await send(setting, ['13800138002']);
  while (aheadMs - startedMs < HOUR_MS) await letPass(setting, receiver.calls.length + 1);
  expect(receiver.accepted).toEqual([]);
  expect(new Set(receiver.calls.map(({ id }) => id)).size).toBe(1);
  receiver.behave(answerOk);
  await letPass(setting, receiver.calls.length + 1);
  const pushed = () => receiver.accepted.flatMap(({ data }) => data.items);
  await until(() => pushed().length === 3);
  expect(pushed()).toEqual(await allOf(customer.client.receipts()));
});

it('pauses grow from 5 s to 6 h; after three days it is disabled, said to the operator, and goes on when it is active', async () => {
  const setting = await setUp(answerWith(503));
  const { receiver, customer, webhook } = setting;
  await send(setting);
  await until(() => receiver.calls.length === 1);
  const startedMs = Date.now() + aheadMs;
  const pauses: number[] = [];
  const read = () => customer.client.webhook(webhook.webhook_no);
  while ((await read()).status === 'active') {
    const [pause = 0] = await letPass(setting, receiver.calls.length + 1);
    pauses.push(pause);
    const made = receiver.calls.length;
    await until(async () => (await progressOf(setting))?.failures === made);
  }
  expect(pauses[0]).toBeGreaterThan(3000);
  expect(pauses[0]).toBeLessThan(6001);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(6 * HOUR_MS);
  expect(Math.max(...pauses)).toBeGreaterThan(5.9 * HOUR_MS);
  const passedMs = Date.now() + aheadMs - startedMs;
  expect(passedMs).toBeGreaterThanOrEqual(72 * HOUR_MS - 5000);
  expect(passedMs).toBeLessThan(73 * HOUR_MS);
  const disabled = await read();
  expect(disabled.disabled_reason).toMatch(
    /^Calls have failed since .*; the last one because the answer is not a 2xx\.$/,
  );
  const audited = await service.operator.auditLog({ subject: webhook.webhook_no }).page();
  expect(audited.items[0]).toMatchObject({
    actor: 'postrider',
    action: 'webhook.disable',
    change: { customer_no: customer.customerNo, reason: disabled.disabled_reason },
  });
  receiver.behave(answerOk);
  await send(setting, ['13800138001']);
  await customer.client.updateWebhook(webhook.webhook_no, { status: 'active' });
  await until(() => receiver.accepted.length === 2);
  expect(receiver.accepted.flatMap(({ data }) => data.items)).toEqual(await allOf(customer.client.receipts()));
  expect(await read()).toMatchObject({ status: 'active', disabled_reason: null, disabled_at: null });
});

it('a suspended customer gets the outcomes of what was accepted before', async () => {
  const setting = await setUp(answerWith(500));
  const { receiver, customer } = setting;
  await send(setting);
  await until(() => receiver.calls.length === 1);
  await service.operator.updateCustomer(customer.customerNo, { status: 'suspended' });
  receiver.behave(answerOk);
  aheadMs += HOUR_MS;
  await until(() => receiver.accepted.length === 1);
});

it('410 disables it at once', async () => {
  const setting = await setUp(answerWith(410));
  await send(setting);
  const { customer, webhook, receiver } = setting;
  await until(async () => (await customer.client.webhook(webhook.webhook_no)).status === 'disabled');
  expect(receiver.calls).toHaveLength(1);
  const { disabled_reason } = await customer.client.webhook(webhook.webhook_no);
  expect(disabled_reason).toBe('It answered 410: the endpoint is gone.');
});

it('redirects are failures, and where they lead is not called', async () => {
  const elsewhere = await startReceiver();
  receivers.push(elsewhere);
  const setting = await setUp(answerWith(302, { location: elsewhere.url }));
  await send(setting);
  await until(async () => (await progressOf(setting))?.failures === 1);
  const [attempt] = await allOf(setting.customer.client.webhookAttempts(setting.webhook.webhook_no));
  expect(attempt).toMatchObject({ status: 302, error: 'redirects are not followed' });
  expect(elsewhere.calls).toEqual([]);
});

it('a receiver that never answers delays no other, nor other kinds of its own events', async () => {
  const setting = await setUp(
    (response, message) => (message.type === 'receipts' ? hang : answerOk)(response, message),
    ['receipts', 'task.finished'],
  );
  const other = await setUp(answerOk);
  await Promise.all([send(setting), send(other)]);
  await until(() => other.receiver.accepted.length === 1);
  await until(() => setting.receiver.accepted.some(({ type }) => type === 'task.finished'));
  await until(async () => (await progressOf(setting))?.failures === 1);
  const attempts = await allOf(setting.customer.client.webhookAttempts(setting.webhook.webhook_no));
  expect(attempts.find(({ event }) => event === 'receipts')).toMatchObject({
    status: null,
    error: 'no answer within 1 s',
  });
});

it.each([
  ['garbage', 'HTTZ/9 what?\r\n\r\n', 'the answer is not HTTP'],
  ['nothing at all', '', 'the connection was closed without an answer'],
])('a receiver that answers %s is tried again', async (_, answer, error) => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    const customer = await service.addCustomer();
    const url = `http://127.0.0.1:${port}/`;
    const { webhook_no } = await customer.client.createWebhook({ url, events: ['receipts'] });
    await customer.completed((await customer.send(['13800138000'])).task_no);
    await until(async () => (await customer.client.webhook(webhook_no)).progress[0]?.failures === 1);
    const [attempt] = await allOf(customer.client.webhookAttempts(webhook_no));
    expect(attempt).toMatchObject({ status: null, error });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

it('an answer without an end is cut off, and counts as an answer', async () => {
  let poured = 0;
  let cutOff = 0;
  const setting = await setUp((response) => {
    response.writeHead(200);
    const pour = () => {
      do poured += 65_536;
      while (response.write(Buffer.alloc(65_536)) && !response.destroyed);
    };
    response
      .on('drain', pour)
      .on('error', () => {})
      .on('close', () => {
        cutOff += 1;
      });
    pour();
  });
  await send(setting);
  await until(async () => {
    const attempts = await allOf(setting.customer.client.webhookAttempts(setting.webhook.webhook_no));
    return attempts[0]?.status === 200 && attempts[0].error === null;
  });
  await until(() => cutOff > 0);
  // What the buffers of the two sockets take, and not more.
  expect(poured / cutOff).toBeLessThan(32 * 1024 * 1024);
});

it('the old secret signs no longer after 24 hours', async () => {
  const setting = await setUp(answerOk);
  const { customer, webhook, receiver } = setting;
  await customer.client.rotateWebhook(webhook.webhook_no);
  aheadMs += 24 * HOUR_MS + 1000;
  await send(setting);
  await until(() => receiver.accepted.length === 1);
  expect(String(receiver.accepted[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
});
