// A channel over HTTP in the whole service: whole texts, values of templates, callbacks at a node that does not own the channel.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningService, start } from '../../../../src/app/start.js';
import { readConfig } from '../../../../src/service/config.js';
import { createConfig } from '../../../channels/http-upstream/peer.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

const OPERATOR_TOKEN = 'operator-token-of-the-tests';

interface Message {
  readonly to: string;
  readonly text: string;
  readonly reference: string;
  readonly code: string;
  readonly name: string;
}

let service: Service;
let other: RunningService;
let upstream: Server;
let customer: ServiceCustomer;
let channelNo: string;
let callbacks: { readonly reports: string; readonly uplinks: string };
let messages: Message[];
let answer: (message: Message) => { readonly status: number; readonly body: object } | undefined;

const accept = (message: Message) => ({ status: 200, body: { id: `m-${message.reference}` } });

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
    messages.push(message);
    const said = answer(message);
    if (said === undefined) return request.socket.destroy();
    response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const env: Record<string, string> = { POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8' };
  let databaseUrl = '';
  service = await startService({
    env,
    before: async (database) => {
      databaseUrl = database.url;
    },
  });
  const shared = {
    POSTRIDER_DATABASE_URL: databaseUrl,
    POSTRIDER_PORT: '0',
    POSTRIDER_ROLES: 'api',
    POSTRIDER_DEMO: 'off',
  };
  const secrets = {
    POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTRIDER_SECRET_KEY: 'a secret key of the tests, long enough',
  };
  other = await start(readConfig({ ...shared, ...secrets, ...env }), {
    log: pino({ level: 'silent' }),
    onFailure: () => {},
  });
  const body = {
    to: '{phone}',
    text: '{text}',
    reference: '{reference}',
    code: '{template_code}',
    name: '{p1}',
  };
  const headers = { authorization: 'Bearer {secret.token}' };
  const config = createConfig((upstream.address() as AddressInfo).port, {
    body,
    headers,
    secrets: { token: 'hush-hush' },
  });
  const channel = await service.operator.createChannel({ name: 'HTTP', kind: 'http', firms: ['cmcc'], config });
  channelNo = channel.channel_no;
  expect(JSON.stringify(channel)).not.toContain('hush-hush');
  callbacks = channel.callbacks as typeof callbacks;
  await until('the channel is up', async () => (await service.operator.channel(channelNo)).health.state === 'up');
  customer = await service.addCustomer({ channelNos: [channelNo], body: 'Hello {p1}' });
  const path = `/operator/v1/customers/${customer.customerNo}/templates/${customer.templateNo}`;
  const changed = await fetch(new URL(path, service.url), {
    method: 'PATCH',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ upstream_codes: { [channelNo]: 'SMS_100' } }),
  });
  expect(await changed.json()).toMatchObject({ upstream_codes: { [channelNo]: 'SMS_100' } });
});
afterAll(async () => {
  await other.stop();
  await service.stop();
  upstream.closeAllConnections();
  upstream.close();
});
beforeEach(() => {
  messages = [];
  answer = accept;
});

const call = (base: string, path: string, body: unknown, method = 'POST') =>
  fetch(new URL(path, base), { method, ...(method === 'POST' && { body: JSON.stringify(body) }) });

test('a long text goes as one message, with the values of its template, and is priced by its parts', async () => {
  const name = 'x'.repeat(400);
  const { task_no: taskNo } = await customer.send(['13800138001'], { variable_values: { p1: name } });
  const [message] = await until('the message came', () => messages.length > 0 && messages);
  expect(message).toMatchObject({ to: '+8613800138001', text: `Hello ${name}`, code: 'SMS_100', name });
  const report = { id: `m-${message?.reference}`, to: '+8613800138001', status: 'delivered' };
  const posted = await call(other.url, callbacks.reports, report);
  expect(posted.status).toBe(200);
  const task = await customer.completed(taskNo);
  expect(task.counts.delivered).toBe(1);
  const [receipt] = await allOf(customer.client.receipts({ taskNo }));
  expect(receipt).toMatchObject({ parts: 3, price: '0.150000' });
  expect(messages).toHaveLength(1);
  expect(await service.sql`select 1 from upstream_callback`).toHaveLength(0);
});

test('a report at another node is recorded by the owner, once however often it comes', async () => {
  const { task_no: taskNo } = await customer.send(['13800138002'], { variable_values: { p1: 'a' } });
  const [message] = await until('the message came', () => messages.length > 0 && messages);
  const report = { id: `m-${message?.reference}`, to: '8613800138002', status: 'undelivered' };
  const answers = await Promise.all(
    [other.url, service.url, other.url].map((base) => call(base, callbacks.reports, report)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await customer.completed(taskNo)).counts.undelivered).toBe(1);
  await until('all are recorded', async () => (await service.sql`select 1 from upstream_callback`).length === 0);
  expect(await allOf(customer.client.deliveries({ taskNo }))).toHaveLength(1);
});

test('an inbound message is stored once when its upstream sends it again, and twice when it is said again', async () => {
  const uplink = (id: string) => ({ id, from: '+8613800138003', to: customer.sender, text: 'YES' });
  for (const id of ['u1', 'u1', 'u2']) expect((await call(other.url, callbacks.uplinks, uplink(id))).status).toBe(200);
  await until('all are recorded', async () => (await service.sql`select 1 from upstream_callback`).length === 0);
  const uplinks = await allOf(customer.client.uplinks({}));
  expect(uplinks.map(({ content }) => content)).toEqual(['YES', 'YES']);
});

test('a lost answer is unknown and never sent again; a report settles it', async () => {
  answer = () => undefined;
  const { task_no: taskNo } = await customer.send(['13800138004'], { variable_values: { p1: 'a' } });
  await customer.taskWhen(taskNo, ({ counts }) => counts.unknown === 1);
  const posted = await call(other.url, callbacks.reports, { id: 'other', to: '8613800138004', status: 'delivered' });
  expect(posted.status).toBe(200);
  expect((await customer.completed(taskNo)).counts.delivered).toBe(1);
  expect(messages).toHaveLength(1);
});

test('a refusal is final, with the code of the upstream', async () => {
  answer = () => ({ status: 400, body: { code: '21211' } });
  const { task_no: taskNo } = await customer.send(['13800138005'], { variable_values: { p1: 'a' } });
  expect((await customer.completed(taskNo)).counts.rejected).toBe(1);
  const [receipt] = await allOf(customer.client.receipts({ taskNo }));
  expect(receipt).toMatchObject({ code: '21211' });
});

test('strangers are answered with one and the same 404', async () => {
  const [, , , token = ''] = callbacks.reports.split('/');
  const paths = [
    callbacks.reports.replace(token, 'wrong'),
    callbacks.reports.replace(token, `${token}x`),
    callbacks.reports.replace(channelNo, 'H1'),
    callbacks.reports.replace(channelNo, service.channelNo),
    callbacks.reports.replace(channelNo, service.channelNo).replace(token, 'null'),
  ];
  const bodies = await Promise.all(
    paths.map(async (path) => {
      const { status, ...answered } = (await (await call(service.url, path, { id: 'a' })).json()) as Record<
        string,
        unknown
      >;
      return { status, code: answered.code, detail: answered.detail };
    }),
  );
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(bodies[0]).toMatchObject({ status: 404, code: 'not_found' });
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
    expect((await call(service.url, callbacks.reports, undefined, method)).status).toBe(404);
  }
});

test('with the right token, what cannot be read is refused and what is too long as well', async () => {
  expect((await call(service.url, callbacks.reports, {})).status).toBe(400);
  expect((await call(service.url, callbacks.reports, 'x'.repeat(2_000_000))).status).toBe(413);
  expect(service.complaints.join('\n')).not.toContain('hush-hush');
});

const ask = async (path: string, token = OPERATOR_TOKEN, method = 'GET', body?: object) => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(new URL(`/operator/v1${path}`, service.url), sent)).text();
};

test('the callback token is shown to those alone who may configure the channel', async () => {
  const [, , , token = ''] = callbacks.reports.split('/');
  expect(await ask(`/channels/${channelNo}`)).toContain(token);
  for (const role of ['support', 'finance', 'viewer']) {
    const operator = JSON.parse(await ask('/operators', OPERATOR_TOKEN, 'POST', { name: `a ${role}`, role }));
    for (const path of ['/channels', `/channels/${channelNo}`, '/platform', '/audit']) {
      expect(await ask(path, operator.token)).not.toContain(token);
    }
    expect(JSON.parse(await ask(`/channels/${channelNo}`, operator.token))).toMatchObject({ callbacks: null });
    expect(await ask(`/channels/${channelNo}/callback-token`, operator.token, 'POST')).toContain('not_permitted');
  }
});

test('a new callback token replaces the old one, which works for a day', async () => {
  const uplink = { id: 'r1', from: '+8613800138003', to: customer.sender, text: 'YES' };
  const statusOf = async (base: string, path: string) => (await call(base, path, uplink)).status;
  const rotate = async () =>
    JSON.parse(await ask(`/channels/${channelNo}/callback-token`, OPERATOR_TOKEN, 'POST'))
      .callbacks as typeof callbacks & {
      readonly old_until: string;
    };
  const first = callbacks.uplinks;
  const second = await rotate();
  expect(second.uplinks).not.toBe(first);
  const hours = (Date.parse(second.old_until) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  await until('the other node knows it', async () => (await statusOf(other.url, second.uplinks)) === 200);
  for (const path of [first, second.uplinks]) expect(await statusOf(service.url, path)).toBe(200);
  // A day later.
  await service.sql`
    with changed as (update config_version set version = version + 1 returning version)
    update channel set old_callback_token_until = now(), version = changed.version from changed
    where channel_no = ${channelNo}`;
  await until('the old one has ended', async () => (await statusOf(service.url, first)) === 404);
  expect(await statusOf(service.url, second.uplinks)).toBe(200);
  // Two in a row end a token at once.
  await rotate();
  callbacks = await rotate();
  expect(await statusOf(service.url, second.uplinks)).toBe(404);
  expect(await statusOf(service.url, callbacks.uplinks)).toBe(200);
  const audit = JSON.parse(await ask(`/audit?subject=${channelNo}&action=channel.rotate_callback_token`));
  expect(audit.items).toHaveLength(3);
  expect(JSON.stringify(audit)).not.toContain(callbacks.uplinks.split('/')[3]);
  expect(await ask(`/channels/${service.channelNo}/callback-token`, OPERATOR_TOKEN, 'POST')).toContain('not_found');
});

test('callbacks are in the audit log as a sum, with the addresses that they came from', async () => {
  await other.stop();
  const { items } = JSON.parse(await ask(`/audit?subject=${channelNo}&action=channel.callbacks`));
  const [{ actor, change }] = items;
  expect(actor).toBe('upstream');
  expect(change).toMatchObject({ other_addresses: 0, addresses: { '127.0.0.1': change.reports + change.uplinks } });
  expect(change.reports).toBeGreaterThan(0);
});
