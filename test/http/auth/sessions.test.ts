// Sessions: how they begin and end, and the doors that must stay shut.

import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthApi } from '../../../src/http/auth/api.js';
import { type Attempt, type AttemptGuard, createAttemptGuard } from '../../../src/http/auth/attempt-guard.js';
import { createPasswordHasher } from '../../../src/http/auth/password-hasher.js';
import type { Trial } from '../../../src/http/limits/failure-counts.js';
import { createHttpServer } from '../../../src/http/server.js';
import { createSealer } from '../../../src/store/secrets/seal.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { createVisitor, type Visitor } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };
const PASSWORD = 'purple tractors hum at noon';
const tasks = '/openapi/v1/messages/tasks/';

let service: Service;
let customer: ServiceCustomer;
let root: Visitor;
beforeAll(async () => {
  service = await startService({ hasCheapPasswords: true, env: { POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8' } });
  customer = await service.addCustomer();
  root = createVisitor(service.url, ROOT);
});
afterAll(() => service.stop());

let count = 0;
const next = () => {
  count += 1;
  return count;
};
/** As seen through a proxy: tests do not slow each other down. */
const from = (address: string) => ({ 'x-forwarded-for': address });
const nextAddress = () => `192.0.2.${next()}`;

async function createUser(role = 'viewer', path = `/operator/v1/customers/${customer.customerNo}/users`) {
  const email = `someone${next()}@example.com`;
  const { body } = await root.call('POST', path, { email, name: 'Someone', role });
  const visitor = createVisitor(service.url, from(nextAddress()));
  await visitor.accept(body.invitation_url, PASSWORD);
  return { email, userNo: body.user_no as string, visitor };
}

describe('a session', () => {
  it('is a cookie that scripts cannot read and other sites do not send', async () => {
    const { email } = await createUser();
    const answer = await createVisitor(service.url, from(nextAddress())).signIn(email, PASSWORD);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^postrider_customer=[\w-]{43}; /);
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=604800']) {
      expect(cookie).toContain(attribute);
    }
    expect(cookie).not.toContain('Secure');
  });

  it('is bound to the host and to TLS where a trusted proxy speaks TLS', async () => {
    const { email } = await createUser();
    const proxied = { ...from(nextAddress()), 'x-forwarded-proto': 'https', 'x-forwarded-host': 'sms.example.com' };
    const visitor = createVisitor(service.url, proxied);
    const [cookie = ''] = (await visitor.signIn(email, PASSWORD)).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-postrider_customer=/);
    expect(cookie).toContain('Secure');
    expect((await visitor.call('GET', '/auth/session')).status).toBe(200);
    const invited = await root.call(
      'POST',
      '/operator/v1/users',
      { email: 'tls@example.com', name: 'T', role: 'viewer' },
      proxied,
    );
    expect(invited.body.invitation_url).toMatch(/^https:\/\/sms\.example\.com\/console\/invitations\//);
  });

  it('says who is signed in', async () => {
    const { email, userNo, visitor } = await createUser('sender');
    const { body, headers } = await visitor.call('GET', '/auth/session');
    expect(body.user).toEqual({
      user_no: userNo,
      email,
      name: 'Someone',
      role: 'sender',
      side: 'customer',
      customer_no: customer.customerNo,
    });
    expect(body.csrf_token).toBe(visitor.csrfToken);
    expect(headers.get('x-csrf-token')).toBe(body.csrf_token);
  });

  it('ends by signing out, and is worth nothing afterwards', async () => {
    const { visitor } = await createUser();
    const stolen = new Map(visitor.cookies);
    expect((await visitor.call('POST', '/auth/sign-out')).status).toBe(204);
    expect(visitor.cookies.has('postrider_customer')).toBe(false);
    const thief = createVisitor(service.url);
    for (const [name, value] of stolen) thief.cookies.set(name, value);
    expect((await thief.call('GET', tasks)).status).toBe(401);
    expect((await thief.call('GET', '/auth/session')).status).toBe(401);
  });

  it('is listed, and can be ended from another one', async () => {
    const { email, visitor } = await createUser();
    const other = createVisitor(service.url, { ...from('198.51.100.7'), 'user-agent': 'Other browser' });
    await other.signIn(email, PASSWORD);
    const { items } = (await visitor.call('GET', '/auth/sessions')).body;
    expect(items).toMatchObject([
      { is_current: false, address: '198.51.100.7', user_agent: 'Other browser', method: 'password' },
      { is_current: true, method: 'invitation' },
    ]);
    const stranger = await createUser();
    expect((await stranger.visitor.call('DELETE', `/auth/sessions/${items[0].id}`)).status).toBe(404);
    expect((await other.call('GET', tasks)).status).toBe(200);
    expect((await visitor.call('DELETE', `/auth/sessions/${items[0].id}`)).status).toBe(204);
    expect((await other.call('GET', tasks)).status).toBe(401);
    expect((await visitor.call('GET', tasks)).status).toBe(200);
  });

  it('ends everywhere at once', async () => {
    const { email, visitor } = await createUser();
    const other = createVisitor(service.url, from(nextAddress()));
    await other.signIn(email, PASSWORD);
    expect((await visitor.call('DELETE', '/auth/sessions')).status).toBe(204);
    expect((await other.call('GET', tasks)).status).toBe(401);
    expect((await visitor.call('GET', tasks)).status).toBe(401);
  });

  it.each([
    ['last_seen_at', '12 hours'],
    ['created_at', '7 days'],
  ])('ends when %s is %s ago, and not a minute sooner', async (column, limit) => {
    const { visitor, userNo } = await createUser();
    const age = (shift: string) => service.sql`
      update console_session set ${service.sql(column)} = now() - ${limit}::interval + ${shift}::interval
      where user_id = (select user_id from console_user where user_no = ${userNo})`;
    await age('1 minute');
    expect((await visitor.call('GET', tasks)).status).toBe(200);
    await age('-1 second');
    expect((await visitor.call('GET', tasks)).status).toBe(401);
  });

  it('notes that it is in use at most once a minute', async () => {
    const { visitor, userNo } = await createUser();
    const seen = async () => {
      const [row] = await service.sql<{ at: Date }[]>`
        select last_seen_at as at from console_session join console_user using (user_id) where user_no = ${userNo}`;
      return row?.at.getTime();
    };
    const first = await seen();
    await visitor.call('GET', tasks);
    expect(await seen()).toBe(first);
    await service.sql`update console_session set last_seen_at = now() - interval '61 seconds'`;
    const aged = await seen();
    await visitor.call('GET', tasks);
    expect(await seen()).toBeGreaterThan(aged ?? 0);
  });

  it('of both sides stay open in one browser, if the sign-in names the side', async () => {
    const person = await createUser();
    const operator = await createUser('viewer', '/operator/v1/users');
    const both = createVisitor(service.url, from(nextAddress()));
    await both.signIn(person.email, PASSWORD, { side: 'customer' });
    await both.signIn(operator.email, PASSWORD, { side: 'operator' });
    expect((await both.call('GET', tasks)).status).toBe(200);
    expect((await both.call('GET', '/operator/v1/me')).status).toBe(200);
    expect((await both.call('GET', '/auth/session?side=customer')).body.user.email).toBe(person.email);
    expect((await both.call('GET', '/auth/session?side=operator')).body.user.email).toBe(operator.email);
    await both.signIn(person.email, PASSWORD);
    expect((await both.call('GET', '/operator/v1/me')).status).toBe(401);
  });
});

describe('a session that was planted', () => {
  it('does not become the session of who signs in', async () => {
    const attacker = await createUser();
    const victim = await createUser();
    const browser = createVisitor(service.url, from(nextAddress()));
    const planted = attacker.visitor.cookies.get('postrider_customer') ?? '';
    browser.cookies.set('postrider_customer', planted);
    await browser.signIn(victim.email, PASSWORD);
    expect(browser.cookies.get('postrider_customer')).not.toBe(planted);
    expect((await browser.call('GET', '/auth/session')).body.user.email).toBe(victim.email);
    // The planted one ended, rather than go on beside it.
    expect((await attacker.visitor.call('GET', '/auth/session')).status).toBe(401);
  });

  it('is refused when it was made up', async () => {
    const browser = createVisitor(service.url);
    browser.cookies.set('postrider_customer', 'A'.repeat(43));
    const refused = await browser.call('GET', tasks);
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials']);
  });
});

describe('a page of another origin', () => {
  it.each(['cross-site', 'same-site'])('cannot read with the cookie (%s)', async (site) => {
    const { visitor } = await createUser('admin');
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': site };
    for (const path of [tasks, '/auth/session', '/auth/sessions']) {
      const refused = await visitor.call('GET', path, undefined, foreign);
      expect(refused.status).toBe(403);
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
    const preflight = await visitor.call('OPTIONS', tasks, undefined, {
      ...foreign,
      'access-control-request-method': 'GET',
    });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('cannot change anything, even with the right token, nor sign anyone in', async () => {
    const { visitor, email } = await createUser('admin');
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const body = { email: 'planted@example.com', name: 'P', role: 'admin' };
    expect((await visitor.call('POST', '/openapi/v1/users/', body, foreign)).status).toBe(403);
    const oldBrowser = { origin: 'https://evil.example' };
    expect((await visitor.call('POST', '/openapi/v1/users/', body, oldBrowser)).status).toBe(403);
    const signIn = await createVisitor(service.url, foreign).signIn(email, PASSWORD);
    expect([signIn.status, signIn.headers.getSetCookie()]).toEqual([403, []]);
  });
});

describe('a change by a session', () => {
  it('needs the CSRF token of that session', async () => {
    const { visitor } = await createUser('admin');
    const other = await createUser('admin');
    const own = visitor.csrfToken;
    const body = { email: 'new@example.com', name: 'N', role: 'viewer' };
    for (const token of [undefined, '', 'x'.repeat(43), other.visitor.csrfToken]) {
      visitor.csrfToken = token;
      for (const [method, path] of [
        ['POST', '/openapi/v1/users/'],
        ['POST', '/auth/sign-out'],
        ['DELETE', '/auth/sessions'],
      ] as const) {
        const refused = await visitor.call(
          method,
          path,
          method === 'POST' && path.includes('users') ? body : undefined,
        );
        expect([refused.status, refused.body.code]).toEqual([403, 'not_permitted']);
      }
    }
    visitor.csrfToken = own;
    expect((await visitor.call('POST', '/openapi/v1/users/', body)).status).toBe(201);
  });

  it('does not need it where a key signs the request', async () => {
    expect((await customer.client.account()).currency).toBe('CNY');
    const { visitor } = await createUser('viewer');
    // A browser that is signed in may call with a key as well: the key decides.
    expect((await visitor.call('GET', '/operator/v1/me', undefined, ROOT)).body).toMatchObject({ name: 'root' });
  });
});

describe('a wrong email and a wrong password', () => {
  it('get one answer, and are in the audit log', async () => {
    const { email, userNo } = await createUser();
    const wrongPassword = await createVisitor(service.url, from(nextAddress())).signIn(email, 'not the password');
    const wrongEmail = await createVisitor(service.url, from(nextAddress())).signIn('nobody@example.com', PASSWORD);
    const plain = ({ body, status }: typeof wrongEmail) => ({ status, ...body, request_id: '' });
    expect(plain(wrongEmail)).toEqual(plain(wrongPassword));
    expect(wrongEmail.status).toBe(401);
    expect(wrongEmail.headers.getSetCookie()).toEqual([]);
    const { items } = (await root.call('GET', '/operator/v1/audit?action=session.refuse')).body;
    expect(items.slice(0, 2)).toMatchObject([
      { actor: 'anonymous', subject: '-', change: { email: 'nobody@example.com' } },
      { actor: 'anonymous', subject: userNo, change: { email } },
    ]);
  });

  it('take the same work: one key derivation per requested side, whether or not the user exists', async () => {
    const { email } = await createUser();
    const open = { email: 'open@example.com', name: 'O', role: 'viewer' };
    await root.call('POST', '/operator/v1/users', open);
    const disabled = await createUser();
    await root.call('PATCH', `/operator/v1/customers/${customer.customerNo}/users/${disabled.userNo}`, {
      status: 'disabled',
    });
    for (const account of [email, open.email, disabled.email, 'nobody@example.com']) {
      expect(await countDerivations(account, {})).toBe(2);
      expect(await countDerivations(account, { side: 'customer' })).toBe(1);
    }
  });

  it('take a derivation of the same cost without a hash to compare with', async () => {
    const salts: number[] = [];
    const hasher = createPasswordHasher((count) => {
      salts.push(count);
      return randomBytes(count);
    });
    const stored = await hasher.hash(PASSWORD);
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(await hasher.verify(PASSWORD, stored)).toBe(true);
    expect(await hasher.verify('not the password', stored)).toBe(false);
    // A salt is drawn for a derivation that is compared with nothing.
    expect(await hasher.verify(PASSWORD, null)).toBe(false);
    expect(salts).toEqual([16, 16]);
    expect(hasher.isOutdated(stored)).toBe(false);
    expect(hasher.isOutdated(stored.replace('p=3', 'p=1'))).toBe(true);
  });
});

/** On the same database, with a hasher that counts. */
async function countDerivations(email: string, more: object): Promise<number> {
  let derivations = 0;
  const parts = {
    sql: service.sql,
    sealer: createSealer(randomBytes(32)),
    snapshot: {} as never,
    authenticateSession: async () => undefined,
    hasher: {
      hash: async () => '',
      verify: async () => {
        derivations += 1;
        return false;
      },
      isOutdated: () => false,
    },
    nextId: () => 0n,
    randomBytes,
    now: Date.now,
    monotonicNow: () => 0,
  };
  const app = createHttpServer({
    log: pino({ level: 'silent' }),
    registry: new Registry(),
    ready: async () => [],
    version: 'test',
    apis: [createAuthApi(parts)],
  });
  const payload = { email, password: 'not the password', ...more };
  const answer = await app.inject({
    method: 'POST',
    url: '/auth/sign-in',
    headers: { 'content-type': 'application/json', host: 'localhost' },
    payload: JSON.stringify(payload),
  });
  expect(answer.statusCode).toBe(401);
  await app.close();
  return derivations;
}

/** How long it would have been refused. */
function tryWith(guard: AttemptGuard, attempt: Attempt, outcome: keyof Trial): number {
  const trial = guard.begin(attempt);
  if ('waitMs' in trial) return trial.waitMs;
  trial[outcome]();
  return 0;
}

describe('guessing', () => {
  it('is slowed down after a few failures, and says for how long', async () => {
    const { email } = await createUser();
    const guesser = createVisitor(service.url, from(nextAddress()));
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) statuses.push((await guesser.signIn(email, 'wrong')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const refused = await guesser.signIn(email, PASSWORD);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe('"failed sign-ins";q=5;w=3600');
  });

  it('by a stranger does not lock the person out, elsewhere or in a browser that signed in before', async () => {
    const { email, visitor } = await createUser();
    const address = nextAddress();
    const guesser = createVisitor(service.url, from(address));
    for (let attempt = 0; attempt < 7; attempt += 1) await guesser.signIn(email, 'wrong');
    expect((await createVisitor(service.url, from(nextAddress())).signIn(email, PASSWORD)).status).toBe(200);
    // From the address of the guesser, too.
    const sameOffice = createVisitor(service.url, from(address));
    const device = visitor.cookies.get('postrider_device') ?? '';
    expect((await sameOffice.signIn(email, 'wrong')).status).toBe(429);
    sameOffice.cookies.set('postrider_device', device);
    expect((await sameOffice.signIn(email, PASSWORD)).status).toBe(200);
  });

  it('at many accounts from one address, and at one account from many, is slowed down as well', () => {
    const clock = { nowMs: 0 };
    const guard = createAttemptGuard(() => clock.nowMs);
    const waitMs = (attempt: Attempt) => tryWith(guard, attempt, 'withdraw');
    for (let at = 0; at < 50; at += 1)
      tryWith(guard, { account: `guess${at}@example.com`, address: '203.0.113.1' }, 'fail');
    expect(waitMs({ account: 'new@example.com', address: '203.0.113.1' })).toBe(5000);
    expect(waitMs({ account: 'new@example.com', address: '203.0.113.2' })).toBe(0);
    for (let at = 0; at < 120; at += 1) {
      tryWith(guard, { account: 'Ann@example.com', address: `10.0.${at}.1` }, 'fail');
      if (at >= 99) clock.nowMs += 30_000;
    }
    clock.nowMs -= 30_000;
    // Short enough to wait for, and no matter to a browser that is known.
    expect(waitMs({ account: 'ann@example.com', address: '203.0.113.2' })).toBe(30_000);
    expect(waitMs({ account: 'ann@example.com', address: '203.0.113.2', device: 'known' })).toBe(0);
    clock.nowMs += 3_600_000;
    expect(waitMs({ account: 'ann@example.com', address: '203.0.113.2' })).toBe(0);
  });

  it('counts attempts from their beginning, and gives back right ones and those that compared nothing', () => {
    const guard = createAttemptGuard(() => 0);
    const attempt = { account: 'ann@example.com', address: '203.0.113.1' };
    const begun = Array.from({ length: 1000 }, () => guard.begin(attempt)).filter((trial) => 'fail' in trial);
    expect(begun).toHaveLength(5);
    for (const trial of begun) trial.withdraw();
    for (let time = 0; time < 200; time += 1) expect(tryWith(guard, attempt, 'succeed')).toBe(0);
    for (let time = 0; time < 5; time += 1) expect(tryWith(guard, attempt, 'fail')).toBe(0);
    expect(tryWith(guard, attempt, 'withdraw')).toBe(5000);
  });

  it('at countless accounts does not make it forget what it counted of one from many addresses', () => {
    const guard = createAttemptGuard(() => 0);
    for (let at = 0; at < 100; at += 1) tryWith(guard, { account: 'ann@example.com', address: `10.0.${at}.1` }, 'fail');
    for (let at = 0; at < 25_000; at += 1)
      tryWith(guard, { account: 'bob@example.com', address: `10.1.0.1`, device: `${at}` }, 'fail');
    expect(tryWith(guard, { account: 'ann@example.com', address: '203.0.113.2' }, 'withdraw')).toBe(5000);
  });

  it('with passwords that come at once is refused like those that come in a row', async () => {
    const { email } = await createUser();
    const guesser = createVisitor(service.url, from(nextAddress()));
    const answers = await Promise.all(Array.from({ length: 40 }, () => guesser.signIn(email, 'wrong')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
  });
});
