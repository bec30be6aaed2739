// One customer with endpoints and names that misbehave, beside another whose calls go on as if it were alone.

import type { Webhook } from '@postrider/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type NameServer, startNameServer } from '../../support/network/name-server.js';
import {
  answerOk,
  answerWith,
  type Behaviour,
  hang,
  type Receiver,
  startReceiver,
} from '../../support/network/receiver.js';
import { allOf, type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let names: NameServer;
let service: Service;
const receivers: Receiver[] = [];

beforeAll(async () => {
  names = await startNameServer({
    names: { 'hooks.test': '127.0.0.1' },
    isSilent: (name) => name.startsWith('silent'),
  });
  service = await startService({
    env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' },
    push: { nameServers: [names.address] },
  });
});
afterAll(async () => {
  await service.stop();
  await names.stop();
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.kill();
});

async function receive(behaviour: Behaviour = answerOk): Promise<Receiver & { readonly namedUrl: string }> {
  const receiver = await startReceiver();
  receiver.behave(behaviour);
  receivers.push(receiver);
  return { ...receiver, namedUrl: `http://hooks.test:${receiver.port}/hook` };
}

const upgrade: Behaviour = ({ socket }) =>
  void socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');

const refusal = (error: unknown) => (error as { code?: string }).code;

it('endpoints that upgrade the connection fail like others, and delay no other', async () => {
  const bad = await service.addCustomer();
  const good = await service.addCustomer();
  const [upgrading, receiver] = [await receive(upgrade), await receive()];
  const { webhook_no } = await bad.client.createWebhook({ url: upgrading.url, events: ['receipts', 'task.finished'] });
  await good.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  await Promise.all(
    [bad, good].map(async (customer) => customer.completed((await customer.send(['13800138000'])).task_no)),
  );
  await until(() => receiver.accepted.length === 1);
  await until(async () => (await bad.client.webhook(webhook_no)).progress.every(({ failures }) => failures > 0));
  const [attempt] = await allOf(bad.client.webhookAttempts(webhook_no));
  expect(attempt).toMatchObject({ status: 101, error: 'interim answers and upgrades are not followed' });
});

it('three test messages at a time per customer, else 429; others are not counted', async () => {
  const [bad, good] = [await service.addCustomer(), await service.addCustomer()];
  const [hanging, receiver] = [await receive(hang), await receive()];
  const { webhook_no } = await bad.client.createWebhook({ url: hanging.url, events: ['receipts'] });
  const other = await good.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  const open = [1, 2, 3].map(() => bad.client.testWebhook(webhook_no));
  await until(() => hanging.calls.length === 3);
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => bad.client.testWebhook(webhook_no).then(() => 'sent', refusal)),
  );
  expect(new Set(refused)).toEqual(new Set(['rate_limited']));
  expect(await good.client.testWebhook(other.webhook_no)).toMatchObject({ status: 204 });
  await hanging.kill();
  for (const test of open) expect(await test).toMatchObject({ status: null });
  receivers.splice(receivers.indexOf(hanging), 1);
});

it('names that are never answered hold up neither webhooks nor changes of others', async () => {
  const [bad, good] = [await service.addCustomer(), await service.addCustomer()];
  const receiver = await receive();
  const own = await bad.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  const changes = Array.from({ length: 24 }, (_, at) =>
    bad.client.updateWebhook(own.webhook_no, { url: `https://silent-${at}.test/` }).then(() => 'changed', refusal),
  );
  await until(() => names.asked.filter((name) => name.startsWith('silent')).length >= 3);
  await good.client.createWebhook({ url: receiver.namedUrl, events: ['receipts'] });
  await good.completed((await good.send(['13800138000'])).task_no);
  await until(() => receiver.accepted.some(({ type }) => type === 'receipts'));
  const outcomes = await Promise.all(changes);
  // The client tries a 429 again, and a name that is not known may be set.
  expect(outcomes.filter((outcome) => outcome === 'rate_limited').length).toBeGreaterThan(12);
  expect(outcomes.filter((outcome) => outcome === 'changed').length).toBeGreaterThanOrEqual(3);
});

it('an endpoint gets events once it has answered a signed test message, then all of them in order', async () => {
  const customer = await service.addCustomer();
  const receiver = await receive(answerWith(500));
  const created = await customer.client.createWebhook({ url: receiver.namedUrl, events: ['receipts'] });
  expect(created.verified_at).toBeNull();
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await until(() => receiver.calls.length === 1);
  await customer.completed((await customer.send(['13800138001'])).task_no);
  expect(receiver.calls[0]).toMatchObject({ type: 'test', data: { webhook_no: created.webhook_no } });
  receiver.behave(answerOk);
  await customer.client.updateWebhook(created.webhook_no, { description: 'repaired' });
  const pushed = () => receiver.accepted.filter(({ type }) => type === 'receipts').flatMap(({ data }) => data.items);
  await until(() => pushed().length === 2);
  expect(pushed()).toEqual(await allOf(customer.client.receipts()));
  expect(receiver.calls.findIndex(({ type }) => type === 'receipts')).toBe(2);
  const shown = () => customer.client.webhook(created.webhook_no);
  expect((await shown()).verified_at).not.toBeNull();

  await customer.client.updateWebhook(created.webhook_no, { url: `${receiver.namedUrl}/elsewhere` });
  expect((await shown()).verified_at).toBeNull();
  expect(await customer.client.testWebhook(created.webhook_no)).toMatchObject({ status: 204 });
  expect((await shown()).verified_at).not.toBeNull();
});

it('a loopback address in figures needs no verification: only the operator can allow it', async () => {
  const customer = await service.addCustomer();
  const receiver = await receive();
  const { verified_at } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  expect(verified_at).not.toBeNull();
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await until(() => receiver.accepted.length === 1);
  expect(receiver.calls.map(({ type }) => type)).toEqual(['receipts']);
});

it('one replay at a time per endpoint', async () => {
  const customer = await service.addCustomer();
  const receiver = await receive();
  const since = new Date();
  const { webhook_no } = await customer.client.createWebhook({
    url: receiver.url,
    events: ['receipts', 'task.finished'],
  });
  await customer.completed((await customer.send(['13800138000'])).task_no);
  const pushedOf = (type: string) => receiver.accepted.filter((message) => message.type === type).length;
  const arePushed = (times: number) => () => pushedOf('receipts') === times && pushedOf('task.finished') === times;
  await until(arePushed(1));
  receiver.behave(hang);
  const replay = (): Promise<Webhook> => customer.client.replayWebhook(webhook_no, since);
  await replay();
  await until(() => receiver.calls.length > 2);
  expect(await replay().then(() => 'replayed', refusal)).toBe('rate_limited');
  await receiver.kill();
  receivers.splice(0);
  const again = await startReceiver({ port: receiver.port });
  receivers.push(again);
  await customer.client.updateWebhook(webhook_no, { status: 'active' });
  await until(() => again.accepted.length === 2);
  await until(() =>
    replay().then(
      () => true,
      () => false,
    ),
  );
  await until(() => again.accepted.length === 4);
});
