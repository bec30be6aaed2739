// Everything that the API reference names is asked for the things of another customer. New paths join by themselves.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/domain/access/permissions.js';
import type { OpenApiDocument } from '../../src/http/openapi.js';
import { signHeaders } from '../support/http-service.js';
import { type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

interface Key {
  readonly apiKey: string;
  readonly secret: string;
}

const PHONES = ['13811119001', '13811119002', '13811119008'];

let service: Service;
let document: OpenApiDocument;
let bob: Key;
let ann: Key;
/** What belongs to Bob, by the name of its field: numbers of things, phones, ids. */
const owned = new Map<string, string>();

async function ask(key: Key, method: string, target: string, body?: unknown) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const response = await fetch(service.url + target, {
    method: method.toUpperCase(),
    headers: {
      ...signHeaders(key, { method: method.toUpperCase(), target, body: text }),
      'content-type': 'application/json',
    },
    ...(text === '' ? {} : { body: text }),
  });
  const answer = await response.text();
  return { status: response.status, text: answer, body: answer === '' ? undefined : JSON.parse(answer) };
}

const operations = () =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/openapi/'))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

const fill = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(owned.get(name) ?? 'X0'));

const lists = () => operations().filter(({ path, method }) => method === 'get' && !path.includes('{'));

/** Everything that Bob can see, to tell whether anybody changed it. */
const readAll = async (key: Key) => {
  const answers = await Promise.all(lists().map(async ({ path }) => (await ask(key, 'get', path)).body));
  // Asking is a use of the key.
  return JSON.stringify(answers, (name, value) => (name === 'last_used_at' ? undefined : value));
};

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && /(_no|_id)$|^phone$|^api_key$/.test(name)) owned.set(name, member);
    else collect(member);
  }
}

beforeAll(async () => {
  service = await startService();
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApiDocument;
  const keyOf = async (customerNo: string): Promise<Key> => {
    const { api_key: apiKey, api_secret: secret } = await service.operator.createCredential(customerNo, {
      // All that may be done, with whole numbers.
      scopes: SCOPES.filter((scope) => scope !== 'masked'),
    });
    return { apiKey, secret };
  };
  const [first, second] = [await service.addCustomer(), await service.addCustomer()];
  [bob, ann] = [await keyOf(first.customerNo), await keyOf(second.customerNo)];
  const task = await first.send(PHONES, { client_request_id: 'the-request-of-bob' });
  await service.operator.addOptOut(first.customerNo, '13811119999');
  await first.completed(task.task_no);
  await until(async () => (await ask(bob, 'get', '/openapi/v1/messages/uplinks/')).body.items.length > 0);
  for (const { path } of lists()) collect((await ask(bob, 'get', path)).body);
});
afterAll(() => service.stop());

test('Bob has something in every list that is his own', async () => {
  for (const name of ['tasks', 'receipts', 'uplinks'].map((list) => `messages/${list}`)) {
    expect((await ask(bob, 'get', `/openapi/v1/${name}/`)).body.items, name).not.toEqual([]);
  }
  for (const name of ['finance/ledgers', 'downstream/submits', 'downstream/deliveries', 'templates', 'opt-outs']) {
    expect((await ask(bob, 'get', `/openapi/v1/${name}/`)).body.items, name).not.toEqual([]);
  }
  expect([...owned.keys()]).toEqual(
    expect.arrayContaining(['task_no', 'template_no', 'phone', 'ledger_no', 'uplink_no']),
  );
});

test('no list shows Ann what is his, also when she asks for it by name', async () => {
  for (const { path, operation } of lists()) {
    const filters = (operation.parameters ?? []).filter(({ in: place }) => place === 'query').map(({ name }) => name);
    const targets = filters.flatMap((name) => {
      const value = owned.get(name);
      return value === undefined ? [] : [`${path}?${name}=${encodeURIComponent(value)}`];
    });
    for (const target of [path, ...targets]) {
      const { status, text } = await ask(ann, 'get', target);
      expect(status, target).toBeLessThan(500);
      for (const [name, value] of owned) {
        // Entries are numbered for each customer alone, so two customers have the same.
        if (name !== 'ledger_no') expect(text.includes(`"${value}"`), `${target}: ${value}`).toBe(false);
      }
    }
  }
});

/** A number is nobody's: everybody is told what happened between them and it. */
const NUMBER = '/openapi/v1/messages/numbers/{phone}/';

test('the number that he sent to is to Ann one that nothing happened to', async () => {
  const none = { opted_out_at: null, submits: [], deliveries: [], receipts: [], uplinks: [], tasks: [] };
  expect((await ask(bob, 'get', fill(NUMBER))).body).not.toMatchObject(none);
  expect((await ask(ann, 'get', fill(NUMBER))).body).toMatchObject(none);
});

test('nothing that is his can be read, moved, changed or removed by Ann, nor told from what does not exist', async () => {
  const before = await readAll(bob);
  for (const { path, method } of operations().filter((one) => one.path.includes('{') && one.path !== NUMBER)) {
    const body = method === 'get' || method === 'delete' ? undefined : {};
    const answer = await ask(ann, method, fill(path), body);
    const missing = await ask(ann, method, path.replaceAll(/\{\w+\}/g, 'X0000000000'), body);
    expect(answer.status, `${method} ${path}`).toBe(missing.status);
    expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
    expect({ ...answer.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
  }
  expect(await readAll(bob)).toBe(before);
});

test('Ann cannot send with what is his', async () => {
  const body = { template_no: owned.get('template_no'), phones: ['13811118888'] };
  for (const { path, method } of operations().filter((one) => one.method === 'post' && !one.path.includes('{'))) {
    expect((await ask(ann, method, path, body)).status, path).toBeGreaterThanOrEqual(400);
  }
});

test('a request that was changed in any part after it was signed is refused', async () => {
  const [first] = [...owned.entries()].filter(([name]) => name === 'task_no').map(([, value]) => value);
  const target = `/openapi/v1/messages/tasks/${first}/`;
  const good = signHeaders(bob, { method: 'GET', target });
  const get = async (path: string, headers: Record<string, string>, method = 'GET') =>
    (await fetch(service.url + path, { method, headers })).status;
  expect(await get(target, good)).toBe(200);
  const flip = (hex: string) => hex.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  expect(await get(target, { ...good, 'x-sign': flip(good['x-sign'] ?? '') })).toBe(401);
  expect(await get(target, { ...good, 'x-timestamp': String(Number(good['x-timestamp']) + 1) })).toBe(401);
  expect(await get(target, { ...good, 'x-api-key': ann.apiKey })).toBe(401);
  expect(await get(`${target}?page=1`, good)).toBe(401);
  expect(await get(target.slice(0, -1), good)).toBe(401);
  expect(await get(target, good, 'HEAD')).toBe(401);
});
