// A forgotten password: a link by email or from an admin, once, for an hour.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findResettable, issuePasswordReset } from '../../../src/store/user/password-reset.js';
import { type SmtpListener, startSmtpListener } from '../../support/network/smtp-listener.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { createVisitor, type Visitor } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };
const PASSWORD = 'purple tractors hum at noon';
const NEW_PASSWORD = 'seven kettles sing at dusk';
const ORIGIN = 'https://sms.example.com';

let smtp: SmtpListener;
let service: Service;
let customer: ServiceCustomer;
let root: Visitor;
beforeAll(async () => {
  smtp = await startSmtpListener();
  const env = {
    POSTRIDER_SMTP_URL: `${smtp.url}?from=noreply@example.com`,
    POSTRIDER_PUBLIC_URL: ORIGIN,
    POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8',
  };
  service = await startService({ hasCheapPasswords: true, env });
  customer = await service.addCustomer();
  root = createVisitor(service.url, ROOT);
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});

const OPERATORS = '/operator/v1/users';
const ownUsers = () => `/operator/v1/customers/${customer.customerNo}/users`;
let count = 0;

async function createUser(path = ownUsers()) {
  count += 1;
  const email = `Forgetful${count}@example.com`;
  const { body } = await root.call('POST', path, { email, name: 'F', role: 'viewer' });
  const visitor = createVisitor(service.url);
  await visitor.accept(body.invitation_url, PASSWORD);
  return { email, userNo: body.user_no as string, visitor, path: `${path}/${body.user_no}` };
}

const resetsTo = (email: string) =>
  smtp.messages
    .filter(({ to, data }) => to === email && data.includes('password-reset'))
    .map(({ data }) => /password-reset\/([\w-]{43})/.exec(data.replaceAll('=\r\n', ''))?.[1] ?? '');

const ask = (email: string, headers: Record<string, string> = {}) =>
  createVisitor(service.url, headers).call('POST', '/auth/password-reset', { email });

const choose = (token: string, password = NEW_PASSWORD) =>
  createVisitor(service.url).call('POST', `/auth/password-reset/${token}`, { password });

describe('asking for a link', () => {
  it('has one answer for every address, and sends a mail to who has an account with a password', async () => {
    const { email, userNo } = await createUser();
    const invited = 'invited@example.com';
    await root.call('POST', ownUsers(), { email: invited, name: 'I', role: 'viewer' });
    const disabled = await createUser();
    await root.call('PATCH', disabled.path, { status: 'disabled' });
    for (const address of ['nobody@example.com', invited, disabled.email, email.toLowerCase()]) {
      const { status, body } = await ask(address, { 'x-forwarded-host': 'evil.example', host: 'evil.example' });
      expect([status, body]).toEqual([202, '']);
    }
    await expect.poll(() => resetsTo(email)).toHaveLength(1);
    for (const address of ['nobody@example.com', invited, disabled.email]) expect(resetsTo(address)).toEqual([]);
    const { data } = smtp.messages.find((mail) => mail.to === email && mail.data.includes('password-reset')) ?? {};
    expect(data).toContain(`${ORIGIN}/console/password-reset/`);
    expect(data).not.toContain('evil.example');
    // One in ten minutes.
    for (let time = 0; time < 5; time += 1) expect((await ask(email)).status).toBe(202);
    await service.sql`
      update console_user set password_reset_expires_at = now() + interval '49 minutes' where user_no = ${userNo}`;
    expect((await ask(email)).status).toBe(202);
    await expect.poll(() => resetsTo(email)).toHaveLength(2);
    const [first = '', second = ''] = resetsTo(email);
    expect((await choose(first)).status).toBe(404);
    expect((await choose(second)).status).toBe(204);
  });

  it('sends one mail for requests that come at once, whichever process they reach', async () => {
    const { email } = await createUser();
    const [user] = await findResettable(service.sql, email);
    if (user === undefined) throw new Error('the user has no password');
    const hashes = Array.from({ length: 5 }, (_, at) => `hash ${at}`);
    const issued = await Promise.all(hashes.map((hash) => issuePasswordReset(service.sql, user, hash, '192.0.2.1')));
    expect(issued.filter((isIssued) => isIssued)).toHaveLength(1);
  });

  it('is slowed down where one address asks for many', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const statuses = new Set<number>();
    for (let time = 0; time < 60; time += 1) statuses.add((await ask(`guess${time}@example.com`, headers)).status);
    expect([...statuses]).toEqual([202, 429]);
    const { headers: refused } = await ask('guess@example.com', headers);
    const wait = refused.get('retry-after');
    expect([refused.get('ratelimit-policy'), refused.get('ratelimit')]).toEqual([
      '"password resets";q=50;w=3600',
      `"password resets";r=0;t=${wait}`,
    ]);
    expect((await ask('guess@example.com')).status).toBe(202);
  });
});

describe('a link of an admin', () => {
  it.each([
    ['an operator', OPERATORS],
    ['a user of a customer', undefined],
  ] as const)('lets %s choose a password, once, and ends all sessions', async (_, path) => {
    const { email, visitor, path: one } = await createUser(path);
    const made = await root.call('POST', `${one}/password-reset`);
    expect([made.status, made.body.email]).toEqual([201, email]);
    const minutes = (Date.parse(made.body.password_reset_expires_at) - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(60);
    const token = made.body.password_reset_url.replace(`${ORIGIN}/console/password-reset/`, '');
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await createVisitor(service.url).call('GET', `/auth/password-reset/${token}`)).body).toMatchObject({
      email,
    });
    const easy = await choose(token, 'password1234');
    expect([easy.status, easy.body.errors[0].pointer]).toEqual([400, '/password']);
    expect((await visitor.call('GET', '/auth/session')).status).toBe(200);
    // Of two at once, one wins.
    const both = await Promise.all([choose(token), choose(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await visitor.call('GET', '/auth/session')).status).toBe(401);
    const again = createVisitor(service.url);
    expect((await again.signIn(email, PASSWORD)).status).toBe(401);
    expect((await again.signIn(email, NEW_PASSWORD)).status).toBe(200);
    const stored = JSON.stringify(await service.sql`select u::text as row from console_user u`);
    expect(stored).not.toContain(token);
    const { items } = (await root.call('GET', '/operator/v1/audit?page_size=50')).body;
    const actions = items.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['user.password_reset_link', 'user.password_reset']));
    expect(JSON.stringify(items)).not.toContain(token);
  });

  it('ends after an hour, with a newer one, and when the user is disabled', async () => {
    const { path, userNo } = await createUser();
    const make = async () =>
      (await root.call('POST', `${path}/password-reset`)).body.password_reset_url.split('/').at(-1) as string;
    const first = await make();
    const second = await make();
    expect((await choose(first)).status).toBe(404);
    await root.call('PATCH', path, { status: 'disabled' });
    expect((await choose(second)).status).toBe(404);
    expect((await root.call('POST', `${path}/password-reset`)).status).toBe(404);
    await root.call('PATCH', path, { status: 'active' });
    await service.sql`update console_user set password_reset_expires_at = now() where user_no = ${userNo}`;
    expect((await choose(second)).status).toBe(404);
    const third = await make();
    const [row] = await service.sql`
      select extract(epoch from password_reset_expires_at - now())::float8 as seconds from console_user
      where user_no = ${userNo}`;
    expect(Math.round(row?.seconds / 60)).toBe(60);
    expect((await choose(third)).status).toBe(204);
  });

  it('is made by admins of the customer for its own users alone', async () => {
    const { userNo } = await createUser();
    const { body } = await root.call('POST', ownUsers(), { email: 'chief@example.com', name: 'C', role: 'admin' });
    const admin = createVisitor(service.url);
    await admin.accept(body.invitation_url, PASSWORD);
    const made = await admin.call('POST', `/openapi/v1/users/${userNo}/password-reset/`);
    expect([made.status, made.body.user_no]).toEqual([201, userNo]);
    expect((await choose(made.body.password_reset_url.split('/').at(-1))).status).toBe(204);
    const operator = await createUser(OPERATORS);
    expect((await admin.call('POST', `/openapi/v1/users/${operator.userNo}/password-reset/`)).status).toBe(404);
    const viewer = await createUser();
    expect((await viewer.visitor.call('POST', `/openapi/v1/users/${userNo}/password-reset/`)).status).toBe(403);
  });

  it('leaves second factors as they are', async () => {
    const { email, path } = await createUser();
    await service.sql`
      update console_user set totp_sealed = 'x', totp_confirmed_at = now() where email = ${email}`;
    const made = await root.call('POST', `${path}/password-reset`);
    expect((await choose(made.body.password_reset_url.split('/').at(-1))).status).toBe(204);
    const visitor = createVisitor(service.url);
    expect((await visitor.signIn(email, NEW_PASSWORD)).body).toEqual({ second_factor: ['totp'] });
  });
});
