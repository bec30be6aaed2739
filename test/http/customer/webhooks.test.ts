// Managing webhooks over the signed API: what may be set, whose they are, and that secrets stay secret.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOTHING_ALLOWED } from '../../../src/domain/access/public-address.js';
import { createAddressGuard } from '../../../src/outbound/address-guard.js';
import { createPoster } from '../../../src/pipeline/push/post.js';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

const PATH = '/openapi/v1/webhooks/';
const GOOD = { url: 'https://hooks.public.test/x', events: ['receipts', 'task.finished'] };

/** Names and where they lead, as an attacker's own name server would have it. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'hooks.public.test': ['8.8.8.8'],
  'rebound.public.test': ['127.0.0.1'],
  'metadata.public.test': ['169.254.169.254'],
  'mixed.public.test': ['8.8.8.8', '10.0.0.1'],
  'mapped.public.test': ['::ffff:10.0.0.1'],
};
const resolve = async (host: string) => {
  const found = NAMES[host];
  if (found === undefined) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const guard = createAddressGuard(NOTHING_ALLOWED, resolve);

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService({ deps: (deps) => ({ ...deps, webhooks: { ...deps.webhooks, guard } }) });
  ann = await service.addCustomer('Ann');
  bob = await service.addCustomer('Bob');
});
afterAll(() => service.stop());

async function create(customer: TestCustomer, body: object = GOOD) {
  return await service.call(customer, PATH, { body });
}

describe('creating', () => {
  it('answers the secret once, and stores it sealed', async () => {
    const { status, body } = await create(ann);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...GOOD, description: null, status: 'active', disabled_reason: null });
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = await service.call(ann, `${PATH}${body.webhook_no}/`);
    const { secret, ...rest } = body;
    expect(shown.body).toEqual(rest);
    const [row] = await service.sql<{ sealed: Buffer }[]>`select secret_sealed as sealed from webhook limit 1`;
    expect(row?.sealed.includes(Buffer.from(secret))).toBe(false);
    expect(service.logged.join('')).not.toContain(secret);
  });

  it.each([
    ['http://hooks.public.test/x', 'must be an https: address', 'not_https'],
    ['ftp://hooks.public.test/x', 'must be an https: address', 'not_https'],
    ['not a url', 'must be an https: address', 'not_https'],
    [
      'https://user:pass@hooks.public.test/x',
      'must have no user name and password; calls are signed',
      'url_with_password',
    ],
    ['https://127.0.0.1/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://2130706433/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://0x7f.1/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://[::1]/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://[::ffff:10.0.0.1]/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://169.254.169.254/latest/meta-data/', 'leads to an address that is not public', 'address_not_public'],
    ['https://rebound.public.test/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://rebound.public.test./x', 'leads to an address that is not public', 'address_not_public'],
    ['https://metadata.public.test/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://mixed.public.test/x', 'leads to an address that is not public', 'address_not_public'],
    ['https://mapped.public.test/x', 'leads to an address that is not public', 'address_not_public'],
  ])('refuses %s', async (url, message, key) => {
    const { status, body } = await create(ann, { ...GOOD, url });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ pointer: '/url', code: 'format', message, key, params: {} }]);
  });

  it('takes a name that is not known yet, and a change is checked like a creation', async () => {
    const created = await create(ann, { ...GOOD, url: 'https://not-yet.public.test/x' });
    expect(created.status).toBe(201);
    const target = `${PATH}${created.body.webhook_no}/`;
    const changed = await service.call(ann, target, { method: 'PATCH', body: { url: 'https://rebound.public.test/' } });
    expect(changed.body.errors[0]).toMatchObject({ pointer: '/url', code: 'format' });
    expect((await service.call(ann, target)).body.url).toBe('https://not-yet.public.test/x');
  });

  it('names every fault at once, in a change too', async () => {
    const wrong = { url: 'ftp://hooks.public.test/x', events: ['receipt'], secret: 'mine' };
    const pointersOf = (body: { errors: { pointer: string }[] }) => body.errors.map(({ pointer }) => pointer).sort();
    expect(pointersOf((await create(ann, wrong)).body)).toEqual(['/events/0', '/secret', '/url']);
    const { webhook_no } = (await create(ann, GOOD)).body;
    const changed = await service.call(ann, `${PATH}${webhook_no}/`, { method: 'PATCH', body: wrong });
    expect(pointersOf(changed.body)).toEqual(['/events/0', '/secret', '/url']);
  });

  it.each([
    [{ url: GOOD.url }, '/events', 'required'],
    [{ ...GOOD, events: [] }, '/events', 'too_few'],
    [{ ...GOOD, events: ['receipt'] }, '/events/0', 'out_of_range'],
    [{ ...GOOD, secret: 'mine' }, '/secret', 'unknown_field'],
    [{ ...GOOD, status: 'gone' }, '/status', 'out_of_range'],
  ])('refuses %j', async (body, pointer, code) => {
    const answer = await create(ann, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  it('ends at ten for a customer', async () => {
    const carl = await service.addCustomer('Carl');
    for (let count = 0; count < 10; count++) expect((await create(carl)).status).toBe(201);
    const eleventh = await create(carl);
    expect(eleventh.status).toBe(400);
    expect(eleventh.body.errors).toEqual([expect.objectContaining({ pointer: '', code: 'too_many' })]);
    expect((await service.call(carl, PATH)).body.total).toBe(10);
  });
});

it('an address is checked again when it is connected to, by name and by number', async () => {
  const poster = createPoster({ guard });
  const { signal } = new AbortController();
  for (const host of ['rebound.public.test', 'mixed.public.test', 'mapped.public.test', '127.0.0.1', '[::1]']) {
    const answer = await poster.post(`https://${host}/`, {}, Buffer.from('{}'), signal);
    expect(answer, host).toMatchObject({ status: null, error: 'the address is not public' });
  }
  poster.close();
});

it('those of another customer are not found', async () => {
  const { body } = await create(ann);
  const calls = [
    ['GET', ''],
    ['PATCH', '', { status: 'disabled' }],
    ['DELETE', ''],
    ['POST', 'rotate/'],
    ['POST', 'test/'],
    ['POST', 'replay/', { from: '2026-01-01T00:00:00Z' }],
    ['GET', 'attempts/'],
  ] as const;
  for (const [method, call, sent] of calls) {
    const target = `${PATH}${body.webhook_no}/${call}`;
    const answer = await service.call(bob, target, { method, ...(sent && { body: sent }) });
    expect(answer.status, `${method} ${call}`).toBe(404);
  }
  expect((await service.call(bob, PATH)).body.items).toEqual([]);
  expect((await service.call(ann, `${PATH}${body.webhook_no}/`)).body).toMatchObject({ status: 'active' });
});

it('a change keeps the rest; kinds of event come and go; what is deleted is gone', async () => {
  const { body } = await create(bob);
  const target = `${PATH}${body.webhook_no}/`;
  const patch = { events: ['receipts', 'account.low'], description: 'Orders' };
  const changed = await service.call(bob, target, { method: 'PATCH', body: patch });
  expect(changed.body).toMatchObject({ url: GOOD.url, ...patch });
  expect(changed.body.progress.map(({ event }: { event: string }) => event).sort()).toEqual([
    'account.low',
    'receipts',
  ]);
  const tells = async () =>
    (await service.sql`select notifies_finished from account where customer_id = ${bob.customerId}`)[0]
      ?.notifies_finished;
  expect(await tells()).toBe(false);
  await service.call(bob, target, { method: 'PATCH', body: { events: ['task.finished'] } });
  expect(await tells()).toBe(true);
  expect((await service.call(bob, target, { method: 'DELETE' })).status).toBe(200);
  expect(await tells()).toBe(false);
  expect((await service.call(bob, target)).status).toBe(404);
  expect(await service.sql`select 1 as one from webhook_cursor where customer_id = ${bob.customerId}`).toHaveLength(0);
});

it('their lists can be had as files, oldest first', async () => {
  const { body } = await create(bob);
  const one = `${PATH}${body.webhook_no}/`;
  for (let sent = 0; sent < 3; sent += 1) await service.call(bob, `${one}test/`, { method: 'POST' });
  const fileOf = async (target: string) => {
    const { status, text } = await service.call(bob, target, { headers: { accept: 'application/x-ndjson' } });
    expect(status).toBe(200);
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  };
  const itemsOf = async (target: string) => (await service.call(bob, `${target}?page_size=100`)).body.items;
  const withoutCursor = (rows: readonly { cursor: string }[]) => rows.map(({ cursor: _, ...item }) => item);
  expect(withoutCursor(await fileOf(PATH))).toEqual(await itemsOf(PATH));
  const attempts = await fileOf(`${one}attempts/`);
  expect(withoutCursor(attempts)).toEqual((await itemsOf(`${one}attempts/`)).reverse());
  expect(await fileOf(`${one}attempts/?cursor=${attempts[0].cursor}`)).toEqual(attempts.slice(1));
  const csv = await service.call(bob, PATH, { headers: { accept: 'text/csv' } });
  expect(csv.text).toContain(body.webhook_no);
  const unknown = await service.call(bob, `${PATH}W0000000000000/attempts/`, { headers: { accept: 'text/csv' } });
  expect(unknown.status).toBe(404);
  await service.call(bob, one, { method: 'DELETE' });
});

it('a replay needs a time, in either spelling', async () => {
  const { body } = await create(bob);
  const replay = (from: unknown) => service.call(bob, `${PATH}${body.webhook_no}/replay/`, { body: { from } });
  expect((await replay('yesterday')).body.errors).toEqual([
    expect.objectContaining({ pointer: '/from', code: 'format' }),
  ]);
  expect((await replay(true)).body.errors).toEqual([expect.objectContaining({ pointer: '/from', code: 'type' })]);
  for (const from of ['2026-11-14T12:00:00Z', '1794657600000', 1_794_657_600_000]) {
    expect((await replay(from)).status).toBe(200);
  }
});
