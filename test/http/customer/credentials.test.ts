// Keys: those of an operator's making and a customer's own; when they end, and when they were last used.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeyUsage } from '../../../src/service/key-usage.js';
import { credentialContext } from '../../../src/store/secrets/seal.js';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

const KEYS = '/openapi/v1/credentials/';
const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;
let admin: TestCustomer;
let bob: TestCustomer;
beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
  admin = await addKey(ann, 'pk_admin', ['admin']);
});
afterAll(() => service.stop());

async function addKey(customer: TestCustomer, apiKey: string, scopes: string[]): Promise<TestCustomer> {
  const sealed = service.sealer.seal(customer.secret, credentialContext(customer.customerId, apiKey));
  await service.change(
    (sql, version) => sql`
      insert into credential (api_key, customer_id, secret_sealed, scopes, status, version)
      values (${apiKey}, ${customer.customerId}, ${sealed}, ${scopes}, 'active', ${version})`,
  );
  return { ...customer, apiKey };
}

const create = (body: object, key = admin) => service.call(key, KEYS, { method: 'POST', body });

describe("a customer's own keys", () => {
  it('are created with a secret that is shown once, and work at once', async () => {
    const { status, body } = await create({ name: 'Report', scopes: ['read'], ip_allow: ['127.0.0.1'] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Report', scopes: ['read'], status: 'active', expires_at: null });
    expect(body.secret).toBe(body.api_secret);
    const made = { ...ann, apiKey: body.api_key, secret: body.secret };
    expect((await service.call(made, TASKS)).status).toBe(200);
    expect((await service.call(made, KEYS)).body.code).toBe('not_permitted');
    const { body: list } = await service.call(admin, KEYS);
    expect(list.items.map((item: { name: string | null }) => item.name)).toContain('Report');
    expect(JSON.stringify(list)).not.toContain(body.secret);
  });

  it('are not allowed to manage keys unless that was asked for', async () => {
    const { body } = await create({});
    expect(body.scopes).toEqual(['send', 'read', 'finance', 'webhooks']);
    expect((await service.call(ann, KEYS)).status).toBe(403);
  });

  it('made by a key neither outlive it nor work from where it does not', async () => {
    const maker = await addKey(ann, 'pk_limited', ['admin']);
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    await service.change(
      (sql, version) => sql`
        update credential set expires_at = ${ends}, ip_allow = '{127.0.0.1,10.1.0.0/16}', version = ${version}
        where api_key = 'pk_limited'`,
    );
    const limits = { expires_at: ends, ip_allow: ['127.0.0.1', '10.1.0.0/16'] };
    expect((await create({}, maker)).body).toMatchObject(limits);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    expect((await create({ expires_at: later }, maker)).body).toMatchObject(limits);
    const sooner = new Date(Date.now() + 1_800_000).toISOString();
    const narrow = { expires_at: sooner, ip_allow: ['10.1.2.3'] };
    expect((await create(narrow, maker)).body).toMatchObject(narrow);
    for (const block of ['192.0.2.1', '10.0.0.0/8', '0.0.0.0/0']) {
      const refused = await create({ ip_allow: ['127.0.0.1', block] }, maker);
      expect([refused.status, refused.body.errors[0]]).toMatchObject([
        400,
        { pointer: '/ip_allow/1', code: 'out_of_range' },
      ]);
    }
    const both = await create({ expires_at: '2020-01-01T00:00:00Z', ip_allow: ['192.0.2.1'] }, maker);
    expect(both.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/expires_at', '/ip_allow/0']);
  });

  it('are revoked permanently, by their own customer only', async () => {
    const { body } = await create({});
    const made = { ...ann, apiKey: body.api_key, secret: body.secret };
    const stranger = await addKey(bob, 'pk_bob_admin', ['admin']);
    expect((await service.call(stranger, `${KEYS}${body.api_key}/`, { method: 'DELETE' })).status).toBe(404);
    expect((await service.call(made, TASKS)).status).toBe(200);
    for (const _ of ['once', 'again']) {
      const revoked = await service.call(admin, `${KEYS}${body.api_key}/`, { method: 'DELETE' });
      expect([revoked.status, revoked.body.status]).toEqual([200, 'revoked']);
    }
    expect((await service.call(made, TASKS)).body.code).toBe('invalid_signature');
    const [audit] = await service.sql`select actor, change from audit where action = 'credential.revoke'`;
    expect(audit).toMatchObject({ actor: 'key pk_admin', change: { api_key: body.api_key } });
  });

  it('name every fault at once', async () => {
    const { status, body } = await create({
      name: '',
      scopes: ['all'],
      expires_at: 'tomorrow',
      ip_allow: ['here'],
      x: 1,
    });
    expect(status).toBe(400);
    const faults = body.errors
      .map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
      .sort();
    expect(faults).toEqual([
      '/expires_at format',
      '/ip_allow/0 format',
      '/name too_short',
      '/scopes/0 out_of_range',
      '/x unknown_field',
    ]);
  });

  it('are limited in number', async () => {
    const carol = await addKey(await service.addCustomer('carol'), 'pk_carol_admin', ['admin']);
    await service.change(
      (sql, version) => sql`
        insert into credential (api_key, customer_id, secret_sealed, scopes, status, version)
        select 'pk_carol_' || number, ${carol.customerId}, '\\x00', '{read}', 'active', ${version}
        from generate_series(1, 98) as number`,
    );
    const { body } = await create({}, carol);
    expect(body.errors).toMatchObject([{ code: 'too_many' }]);
  });
});

describe('a key that expires', () => {
  it('works until then, and is then refused like a revoked one', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const { body } = await create({ expires_at });
    expect(body.expires_at).toBe(expires_at);
    const made = { ...ann, apiKey: body.api_key, secret: body.secret };
    expect((await service.call(made, TASKS)).status).toBe(200);
    const now = service.nowMs;
    service.nowMs = () => Date.now() + 61_000;
    const refused = await service.call(made, TASKS);
    const listed = (await service.call(admin, KEYS)).body.items;
    service.nowMs = now;
    expect(listed.find(({ api_key }: { api_key: string }) => api_key === body.api_key).status).toBe('expired');
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_signature']);
  });
});

it('a key that has expired already is not made', async () => {
  const { status, body } = await create({ expires_at: new Date(Date.now() - 1000).toISOString() });
  expect([status, body.errors]).toEqual([
    400,
    [expect.objectContaining({ pointer: '/expires_at', code: 'out_of_range' })],
  ]);
});

describe('the last use of a key', () => {
  const log = { warn: (): void => {} } as never;
  const readUse = async (apiKey: string) =>
    (await service.call(admin, KEYS)).body.items.find(({ api_key }: { api_key: string }) => api_key === apiKey)
      .last_used_at;

  it('is shown soon after, long before the minute is over', async () => {
    const usage = startKeyUsage(service.sql, log, () => Date.parse('2026-11-14T08:29:00Z'));
    usage.note(ann.apiKey);
    await expect.poll(() => readUse(ann.apiKey), { timeout: 20_000 }).toBe('2026-11-14T08:29:00.000Z');
    await usage.stop();
  });

  it('is written to the minute, and never goes back', async () => {
    let time = Date.parse('2026-11-14T08:30:59.999Z');
    const usage = startKeyUsage(service.sql, log, () => time);
    usage.note(admin.apiKey);
    await usage.stop();
    expect(await readUse(admin.apiKey)).toBe('2026-11-14T08:30:00.000Z');
    time = Date.parse('2026-11-14T07:00:00Z');
    usage.note(admin.apiKey);
    await usage.stop();
    expect(await readUse(admin.apiKey)).toBe('2026-11-14T08:30:00.000Z');
  });
});
