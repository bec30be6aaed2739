// A masked key and an operator who is a viewer find no full phone number in anything that the service answers.

import { OperatorClient, signRequest } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import type { Operation } from '../../src/http/route.js';
import { type Receiver, startReceiver } from '../support/network/receiver.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

const PHONE = '13900139001';
const FULL = /139\D{0,2}0013\D{0,2}9001/;
const BLOCKED = `lottery ${PHONE}`;
const MASKED = /139\*{4}9001/;

interface Key {
  readonly apiKey: string;
  readonly secret: string;
}

let service: Service;
let customer: ServiceCustomer;
let receiver: Receiver;
let values: Record<string, string>;
let viewerToken: string;
let adminToken: string;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  receiver = await startReceiver();
  customer = await service.addCustomer({ body: 'Hello {p1}' });
  const { operator, sql, channelNo } = service;
  const { customerNo } = customer;
  const { webhook_no } = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  const variable_values = { p1: `call ${PHONE}` };
  const ids = { client_request_id: `otp-${PHONE}`, batch_id: `batch-${PHONE}` };
  const more = { variable_values, ...ids, title: `For ${PHONE}` };
  const task = await customer.send([PHONE], more);
  await customer.completed(task.task_no);
  await until(() => receiver.accepted.length > 0);
  await operator.addOptOut(customerNo, PHONE);
  await operator.addCapExemption(customerNo, PHONE);
  // So that a page of one row ends at the number.
  for (const phone of ['13900139002', '+8613900139003']) {
    await operator.addOptOut(customerNo, phone);
    await operator.addCapExemption(customerNo, phone);
  }
  await operator.addBlockedWords({ words: ['zebra', BLOCKED] });
  for (const p1 of [BLOCKED, 'zebra']) {
    await customer.completed((await customer.send(['13900139004'], { variable_values: { p1 } })).task_no);
  }
  await operator.testChannel(channelNo, { phone: PHONE, text: `to ${PHONE}` });
  await operator.topUp(customerNo, { amount: '1', remark: `for ${PHONE}` });
  const [own] = await sql<{ bucket: number; id: bigint; account: bigint; channel: bigint }[]>`
    select bucket, customer_id as id, (select min(service_account_id) from service_account) as account,
      (select min(channel_id) from channel) as channel from customer`;
  if (own === undefined) throw new Error('there is no customer');
  await sql`
    insert into uplink (bucket, customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    values (${own.bucket}, ${own.id}, ${BigInt(Date.now()) << 20n}, ${`86${PHONE}`}, ${own.account}, ${own.channel},
      ${`+86${PHONE}`}, ${`I am ${PHONE}`})`;
  await sql`
    insert into unclaimed_uplink (channel_id, sender, recipient, content)
    values (${own.channel}, ${`86${PHONE}`}, '10690001', ${`I am ${PHONE}`})`;
  await sql`
    insert into unmatched_report (channel_id, message_key, message_id, phone, status, code)
    values (${own.channel}, 'x1', 'x1', ${PHONE}, 'delivered', 'DELIVRD')`;
  viewerToken = (await operator.createOperator({ name: 'Vic', role: 'viewer' })).token;
  adminToken = (await operator.createOperator({ name: 'Ada', role: 'admin' })).token;
  values = {
    task_no: task.task_no,
    batch_id: more.batch_id,
    phone: PHONE,
    webhook_no,
    customer_no: customerNo,
    channel_no: channelNo,
    template_no: customer.templateNo,
    service_account_no: customer.serviceAccountNo,
    firm: 'cmcc',
  };
});
afterAll(async () => {
  await service.stop();
  await receiver.kill();
});

async function createKey(...scopes: readonly string[]): Promise<Key> {
  const { api_key: apiKey, api_secret: secret } = await service.operator.createCredential(customer.customerNo, {
    scopes: scopes as never,
  });
  return { apiKey, secret };
}

async function callAs({ apiKey, secret }: Key, method: string, target: string, accept: string, body = '') {
  const timestampMs = Date.now();
  const sign = await signRequest(secret, { method, target, timestampMs, body });
  const answer = await fetch(service.url + target, {
    method,
    headers: {
      'x-api-key': apiKey,
      'x-timestamp': String(timestampMs),
      'x-sign': sign,
      accept,
      'content-type': 'application/json',
    },
    ...(body !== '' && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function callAsOperator(token: string, method: string, target: string, accept: string) {
  const answer = await fetch(service.url + target, { method, headers: { authorization: `Bearer ${token}`, accept } });
  return { status: answer.status, text: await answer.text() };
}

/** Every way to read an operation: each type of its answer, and by the number where it has such a filter. */
function readsOf(operations: readonly Operation[]): { readonly target: string; readonly accept: string }[] {
  return operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? 'none'));
      const targets = operation.list?.filters.phone === undefined ? [path] : [path, `${path}?phone=${PHONE}`];
      const types = ['application/json', ...(operation.files?.types ?? [])];
      const page = operation.list === undefined ? [] : [{ target: `${path}?page_size=1`, accept: 'application/json' }];
      return [...targets.flatMap((target) => types.map((accept) => ({ target, accept }))), ...page];
    });
}

/** The text, and what is behind everything in it that can be decoded. */
function reveal(text: string): string {
  const encoded = (text.match(/[\w+/-]{12,}/g) ?? []).flatMap((each) => [0, 1, 2, 3].map((at) => each.slice(at)));
  return [text, ...encoded.map((each) => Buffer.from(each, 'base64url').toString('latin1'))].join('\n');
}

test('a masked key finds no full number in any answer, and a key that is not masked does', async () => {
  const scopes = ['send', 'read', 'finance', 'webhooks'];
  const masked = await createKey(...scopes, 'masked');
  const plain = await createKey(...scopes);
  const shown: string[] = [];
  for (const { target, accept } of readsOf(createCustomerApi({} as never).operations)) {
    const name = `${target} as ${accept}`;
    const full = await callAs(plain, 'GET', target, accept);
    const answer = await callAs(masked, 'GET', target, accept);
    expect(answer.status, name).toBe(full.status);
    expect(reveal(answer.text), name).not.toMatch(FULL);
    if (!FULL.test(full.text)) continue;
    expect(answer.text, name).toMatch(MASKED);
    shown.push(target);
  }
  for (const area of ['tasks', 'receipts', 'submits', 'deliveries', 'uplinks', 'opt-outs', 'numbers', 'ledgers']) {
    expect(shown.join(' ')).toContain(area);
  }
});

test('a masked caller cannot find the masked digits by trying all of them', async () => {
  const [masked, plain] = [await createKey('read', 'masked'), await createKey('read')];
  const search = (key: Key, path: string) => callAs(key, 'GET', path, 'application/json');
  const listOf = (phone: string) => `/openapi/v1/messages/receipts/?page_size=1&phone=${phone}`;
  const tried = Array.from({ length: 100 }, (_, at) => `1390013${1000 + at}`);
  for (const phone of tried) expect((await search(masked, listOf(phone))).status).toBe(200);
  const refused = await search(masked, listOf(PHONE));
  expect([refused.status, JSON.parse(refused.text).key]).toEqual([429, 'masked_searches']);
  expect((await search(masked, `/openapi/v1/messages/numbers/${PHONE}/`)).status).toBe(429);
  // A question mark is part of a value: what is counted is what is searched for.
  const hidden = '/openapi/v1/messages/receipts/?phone=?tel:91234567;phone-context=%2B852';
  expect((await search(masked, hidden)).status).toBe(429);
  // What it searched for before can be read on, and lists without a number as well.
  expect((await search(masked, listOf(tried[0] ?? ''))).status).toBe(200);
  expect((await search(masked, '/openapi/v1/messages/receipts/')).status).toBe(200);
  expect((await search(plain, listOf(PHONE))).status).toBe(200);
});

test('nor by the beginning of a title or by words, digit by digit', async () => {
  const masked = await createKey('read', 'masked');
  const count = async (path: string) => {
    const { text } = await callAs(masked, 'GET', `/openapi/v1/messages/${path}`, 'application/json');
    return JSON.parse(text).total;
  };
  for (const search of ['tasks/?title=For%20', 'batches/?title=For%20', 'tasks/?words=']) {
    const counts = await Promise.all(Array.from({ length: 10 }, (_, digit) => count(`${search}1390${digit}`)));
    expect(counts, search).toEqual(Array(10).fill(1));
  }
  expect(await count('tasks/?title=Fox%201390')).toBe(0);
});

test('nor does a viewer by the title of a task', async () => {
  const count = async (digit: number) => {
    const target = `/operator/v1/tasks?title=For%201390${digit}`;
    return JSON.parse((await callAsOperator(viewerToken, 'GET', target, 'application/json')).text).total;
  };
  expect(await Promise.all(Array.from({ length: 10 }, (_, digit) => count(digit)))).toEqual(Array(10).fill(1));
});

test('nor by an identifier that contains the number', async () => {
  for (const path of ['tasks/?client_request_id=otp-', 'receipts/?batch_id=batch-', 'batches/batch-']) {
    const masked = await createKey('read', 'masked');
    const ask = async (id: string) =>
      (await callAs(masked, 'GET', `/openapi/v1/messages/${path}${id}`, 'application/json')).status;
    for (let at = 0; at < 100; at += 1) expect(await ask(`1390013${1000 + at}`)).toBeOneOf([200, 404]);
    expect(await ask(PHONE), path).toBe(429);
    // One that contains no number is no search for one.
    expect(await ask('20261114'), path).toBeOneOf([200, 404]);
  }
});

test('a masked key sends and previews, and is answered without the number', async () => {
  const masked = await createKey('send', 'masked');
  const body = JSON.stringify({ template_no: customer.templateNo, phones: [PHONE], variable_values: { p1: PHONE } });
  for (const path of ['send', 'preview']) {
    const answer = await callAs(masked, 'POST', `/openapi/v1/messages/${path}/`, 'application/json', body);
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(answer.text).not.toMatch(FULL);
  }
  const wrong = JSON.stringify({ template_no: customer.templateNo, phones: [PHONE], [PHONE]: 1, auto_submit: PHONE });
  const refused = await callAs(masked, 'POST', '/openapi/v1/messages/send/', 'application/json', wrong);
  expect(refused.status).toBe(400);
  expect(refused.text).not.toMatch(FULL);
});

test('a masked key makes no keys, which could see more', async () => {
  const masked = await createKey('read', 'admin', 'masked');
  const body = JSON.stringify({ scopes: ['read'] });
  const answer = await callAs(masked, 'POST', '/openapi/v1/credentials/', 'application/json', body);
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, 'not_permitted']);
});

test('a viewer finds no full number in any answer, and an admin does', async () => {
  const shown: string[] = [];
  for (const { target, accept } of readsOf(createOperatorApi({} as never).operations)) {
    const name = `${target} as ${accept}`;
    const full = await callAsOperator(adminToken, 'GET', target, accept);
    const answer = await callAsOperator(viewerToken, 'GET', target, accept);
    // What a viewer may not see at all.
    if (answer.status === 403) continue;
    expect(answer.status, name).toBe(full.status);
    expect(reveal(answer.text), name).not.toMatch(FULL);
    if (!FULL.test(full.text)) continue;
    expect(answer.text, name).toMatch(MASKED);
    shown.push(target);
  }
  for (const area of ['tests', 'opt-outs', 'cap-exemptions', 'kept-reports', 'unclaimed-uplinks', 'audit', 'numbers']) {
    expect(shown.join(' ')).toContain(area);
  }
});

test('a webhook of a masked key gets masked numbers, wherever a masked key points it', async () => {
  const key = await createKey('webhooks', 'masked');
  const call = async (method: string, path: string, body: object) => {
    const answer = await callAs(key, method, `/openapi/v1/webhooks/${path}`, 'application/json', JSON.stringify(body));
    return JSON.parse(answer.text);
  };
  const created = await call('POST', '', { url: receiver.url, events: ['receipts'], masked: false });
  expect(created.masked).toBe(true);
  // The endpoint of a key that is not masked, pointed elsewhere by one that is.
  const own = await customer.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  expect(own.masked).toBe(false);
  expect((await call('PATCH', `${own.webhook_no}/`, { description: 'x', masked: false })).masked).toBe(false);
  expect((await call('PATCH', `${own.webhook_no}/`, { url: `${receiver.url}?x` })).masked).toBe(true);
  const before = receiver.accepted.length;
  const sent = await customer.send(['13900139002'], { variable_values: { p1: 'x' } });
  await customer.completed(sent.task_no);
  const pushed = () => receiver.accepted.slice(before).filter(({ text }) => text.includes(sent.task_no));
  await until(() => pushed().length === 3);
  const masks = pushed().map(({ data }) => data.items[0].phone);
  expect(masks.sort()).toEqual(['139****9002', '139****9002', '13900139002'].sort());
});

test('the roles that are not viewers see the numbers', async () => {
  for (const role of ['support', 'finance'] as const) {
    const { token } = await service.operator.createOperator({ name: role, role });
    const client = new OperatorClient({ baseUrl: service.url, token });
    const { items } = await client.optOuts(customer.customerNo).page();
    expect(items[0]?.phone).toContain('00139001');
  }
});
