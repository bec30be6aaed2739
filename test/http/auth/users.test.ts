// Users: who manages whom, what a role may do, and invitations.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { createVisitor, type Visitor } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };
const PASSWORD = 'purple tractors hum at noon';

let service: Service;
let customer: ServiceCustomer;
let root: Visitor;
beforeAll(async () => {
  service = await startService({ hasCheapPasswords: true });
  customer = await service.addCustomer();
  root = createVisitor(service.url, ROOT);
});
afterAll(() => service.stop());

let count = 0;
const newEmail = () => {
  count += 1;
  return `person${count}@example.com`;
};

async function invite(path: string, role: string, email = newEmail()) {
  const { status, body } = await root.call('POST', path, { email, name: 'Ann', role });
  expect(status).toBe(201);
  return body as { user_no: string; email: string; invitation_url: string };
}
const ownUsers = (no = customer.customerNo) => `/operator/v1/customers/${no}/users`;

/** Someone who has accepted. */
async function signedIn(path: string, role: string) {
  const user = await invite(path, role);
  const visitor = createVisitor(service.url);
  expect((await visitor.accept(user.invitation_url, PASSWORD)).status).toBe(200);
  return { ...user, visitor };
}

const auditOf = async (subject: string): Promise<{ action: string; actor: string; change: object }[]> =>
  (await root.call('GET', `/operator/v1/audit?subject=${subject}`)).body.items;

describe('an operator', () => {
  it('is invited by a link that is shown once, and signs in with the password that they chose', async () => {
    const email = 'Ann@Example.com';
    const { body } = await root.call('POST', '/operator/v1/users', { email, name: 'Ann', role: 'support' });
    expect(body).toMatchObject({ email, name: 'Ann', role: 'support', status: 'active', accepted_at: null });
    expect(body.user_no).toMatch(/^N[0-9A-Z]{13}$/);
    expect(body.invitation_url).toMatch(new RegExp(`^${service.url}/console/invitations/[\\w-]{43}$`));
    const days = (Date.parse(body.invitation_expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThan(7.01);
    const { invitation_url, ...shown } = body;
    expect((await root.call('GET', `/operator/v1/users/${body.user_no}`)).body).toEqual(shown);
    expect((await root.call('GET', '/operator/v1/users')).body.items).toContainEqual(shown);

    const visitor = createVisitor(service.url);
    const token = invitation_url.split('/').at(-1);
    expect((await visitor.call('GET', `/auth/invitations/${token}`)).body).toMatchObject({ email, name: 'Ann' });
    expect((await visitor.accept(invitation_url, PASSWORD)).body.user).toMatchObject({ email, side: 'operator' });
    const again = createVisitor(service.url);
    expect((await again.signIn('ann@example.com', PASSWORD)).status).toBe(200);
    expect((await again.call('GET', '/operator/v1/me')).body).toMatchObject({ role: 'support' });
    expect((await auditOf(body.user_no)).map(({ action, actor }) => [action, actor])).toEqual([
      ['session.create', `user ${email}`],
      ['session.create', `user ${email}`],
      ['user.accept', `user ${email}`],
      ['user.create', 'root'],
    ]);
    const stored = JSON.stringify([
      (await service.sql`select u::text as row from console_user u`).map(({ row }) => row),
      (await service.sql`select s::text as row from console_session s`).map(({ row }) => row),
      (await service.sql`select a::text as row from audit a`).map(({ row }) => row),
    ]);
    expect(stored).toContain('scrypt');
    for (const secret of [token, PASSWORD, ...again.cookies.values()]) expect(stored).not.toContain(secret);
  });

  it('may do what the role may, by session as by token', async () => {
    const { visitor } = await signedIn('/operator/v1/users', 'viewer');
    expect((await visitor.call('GET', '/operator/v1/customers')).status).toBe(200);
    const refused = await visitor.call('POST', '/operator/v1/firms', { firm: 'x', name: 'X' });
    expect([refused.status, refused.body.code]).toEqual([403, 'not_permitted']);
    const admin = await signedIn('/operator/v1/users', 'admin');
    expect((await admin.visitor.call('POST', '/operator/v1/firms', { firm: 'x', name: 'X' })).status).toBe(201);
    expect((await auditOf('x'))[0]).toMatchObject({ action: 'firm.create', actor: `user ${admin.email}` });
  });

  it('sees what a customer sees for as long as their session lasts', async () => {
    const { visitor } = await signedIn('/operator/v1/users', 'support');
    const view = await visitor.call('POST', `/operator/v1/customers/${customer.customerNo}/views`);
    expect(view.status).toBe(201);
    const asViewer = { authorization: `Bearer ${view.body.token}` };
    const read = () => createVisitor(service.url, asViewer).call('GET', '/openapi/v1/messages/tasks/');
    expect((await read()).status).toBe(200);
    expect((await visitor.call('POST', '/auth/sign-out')).status).toBe(204);
    expect((await read()).status).toBe(401);
  });

  it('is known by one email, in any case of its letters, on this side', async () => {
    const { email } = await invite('/operator/v1/users', 'viewer');
    const again = { email: email.toUpperCase(), name: 'Other', role: 'viewer' };
    const refused = await root.call('POST', '/operator/v1/users', again);
    expect([refused.status, refused.body.code]).toEqual([409, 'already_exists']);
    expect((await root.call('POST', ownUsers(), { ...again, role: 'sender' })).status).toBe(201);
    const other = await service.addCustomer();
    expect((await root.call('POST', ownUsers(other.customerNo), again)).status).toBe(409);
  });

  it.each([
    [{ email: 'no', name: 'A', role: 'viewer' }, '/email'],
    [{ email: 'a b@example.com', name: 'A', role: 'viewer' }, '/email'],
    [{ email: 'a@example.com', name: '', role: 'viewer' }, '/name'],
    [{ email: 'a@example.com', name: 'A', role: 'sender' }, '/role'],
    [{ email: 'a@example.com', name: 'A' }, '/role'],
    [{ email: 'a@example.com', name: 'A', role: 'viewer', password: 'x' }, '/password'],
  ])('is refused as %j', async (body, pointer) => {
    const answer = await root.call('POST', '/operator/v1/users', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual([pointer]);
  });
});

describe('a user of a customer', () => {
  const tasks = '/openapi/v1/messages/tasks/';
  const account = '/openapi/v1/finance/account/';
  const users = '/openapi/v1/users/';
  const send = (visitor: Visitor) =>
    visitor.call('POST', '/openapi/v1/messages/send/', {
      template_no: customer.templateNo,
      phones: ['13800139001'],
    });

  it.each([
    ['admin', { send: 202, tasks: 200, account: 200, users: 200 }],
    ['sender', { send: 202, tasks: 200, account: 403, users: 403 }],
    ['finance', { send: 403, tasks: 200, account: 200, users: 403 }],
    ['viewer', { send: 403, tasks: 200, account: 403, users: 403 }],
  ])('with the role %s may do that and no more', async (role, expected) => {
    const { visitor } = await signedIn(ownUsers(), role);
    const sent = await send(visitor);
    expect({
      send: sent.status === 201 || sent.status === 200 ? 202 : sent.status,
      tasks: (await visitor.call('GET', tasks)).status,
      account: (await visitor.call('GET', account)).status,
      users: (await visitor.call('GET', users)).status,
    }).toEqual(expected);
    expect((await visitor.call('GET', '/operator/v1/me')).status).toBe(401);
  });

  it('sends the same request twice as two: only a client_request_id makes them one', async () => {
    const { visitor } = await signedIn(ownUsers(), 'sender');
    const [one, two] = [await send(visitor), await send(visitor)];
    expect(one.body.task_no).not.toBe(two.body.task_no);
  });

  it('is managed by an admin of the customer, who sees no one else', async () => {
    const other = await service.addCustomer();
    const { visitor, user_no } = await signedIn(ownUsers(other.customerNo), 'admin');
    const email = newEmail();
    const created = await visitor.call('POST', users, { email, name: 'Bob', role: 'sender' });
    expect(created.status).toBe(201);
    expect(created.body.invitation_url).toContain('/console/invitations/');
    const listed = (await visitor.call('GET', users)).body.items.map((user: { user_no: string }) => user.user_no);
    expect(listed).toEqual([created.body.user_no, user_no]);
    const path = `${users}${created.body.user_no}/`;
    expect((await visitor.call('PATCH', path, { role: 'finance' })).body).toMatchObject({ role: 'finance' });
    const stranger = await signedIn(ownUsers(), 'admin');
    expect((await stranger.visitor.call('GET', path)).status).toBe(404);
    expect((await stranger.visitor.call('PATCH', path, { role: 'admin' })).status).toBe(404);
    expect((await stranger.visitor.call('DELETE', path)).status).toBe(404);
    expect((await visitor.call('DELETE', path)).body).toMatchObject({ email });
    expect((await visitor.call('GET', path)).status).toBe(404);
    expect((await visitor.call('POST', users, { email, name: 'Bob', role: 'sender' })).status).toBe(201);
    expect((await auditOf(other.customerNo)).slice(0, 4)).toMatchObject([
      { action: 'user.create', change: { email } },
      { action: 'user.remove', change: { email } },
      {
        action: 'user.change',
        change: { user_no: created.body.user_no, role: { before: 'sender', after: 'finance' } },
      },
      { action: 'user.create', change: { email, role: 'sender' } },
    ]);
  });

  it('cannot be removed, disabled or demoted as the last admin, not even twice at once', async () => {
    const other = await service.addCustomer();
    const path = ownUsers(other.customerNo);
    const [one, two] = [await invite(path, 'admin'), await invite(path, 'admin')];
    await invite(path, 'sender');
    const outcomes = await Promise.all(
      [one, two].map(async ({ user_no }) => (await root.call('DELETE', `${path}/${user_no}`)).status),
    );
    expect(outcomes.sort()).toEqual([200, 409]);
    const [left] = (await root.call('GET', path)).body.items.filter(({ role }: { role: string }) => role === 'admin');
    for (const change of [{ role: 'viewer' }, { status: 'disabled' }]) {
      const refused = await root.call('PATCH', `${path}/${left.user_no}`, change);
      expect([refused.status, refused.body.code]).toEqual([409, 'last_admin']);
    }
    expect((await root.call('PATCH', `${path}/${left.user_no}`, { name: 'Still here' })).status).toBe(200);
  });

  it('cannot be removed as the only admin who has accepted, also if others are invited', async () => {
    const other = await service.addCustomer();
    const path = ownUsers(other.customerNo);
    await signedIn(path, 'admin');
    const invited = await invite(path, 'admin');
    const { items } = (await root.call('GET', path)).body;
    const accepted = items.find(({ user_no }: { user_no: string }) => user_no !== invited.user_no);
    const refused = await root.call('DELETE', `${path}/${accepted.user_no}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'last_admin']);
    expect((await root.call('DELETE', `${path}/${invited.user_no}`)).status).toBe(200);
  });

  it('of a suspended customer is refused like its keys', async () => {
    const other = await service.addCustomer();
    const { visitor } = await signedIn(ownUsers(other.customerNo), 'admin');
    await service.operator.updateCustomer(other.customerNo, { status: 'suspended' });
    const refused = await visitor.call('GET', tasks);
    expect([refused.status, refused.body.code]).toEqual([403, 'customer_suspended']);
  });

  it('counts against the rate limit of the customer', async () => {
    const other = await service.addCustomer({ requests_per_second: 1 });
    const { visitor } = await signedIn(ownUsers(other.customerNo), 'viewer');
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.call('GET', tasks)));
    expect(answers.map(({ status }) => status)).toContain(429);
  });

  it('that is disabled is signed out, and signs in again when enabled', async () => {
    const { visitor, user_no, email } = await signedIn(ownUsers(), 'viewer');
    await root.call('PATCH', `${ownUsers()}/${user_no}`, { status: 'disabled' });
    expect((await visitor.call('GET', tasks)).status).toBe(401);
    expect((await createVisitor(service.url).signIn(email, PASSWORD)).status).toBe(401);
    await root.call('PATCH', `${ownUsers()}/${user_no}`, { status: 'active' });
    expect((await visitor.call('GET', tasks)).status).toBe(401);
    expect((await createVisitor(service.url).signIn(email, PASSWORD)).status).toBe(200);
  });

  it('has another role from the next request on', async () => {
    const { visitor, user_no } = await signedIn(ownUsers(), 'viewer');
    await root.call('PATCH', `${ownUsers()}/${user_no}`, { role: 'sender' });
    expect((await send(visitor)).status).toBeLessThan(300);
  });
});

describe('an invitation', () => {
  it('works once', async () => {
    const { invitation_url } = await invite(ownUsers(), 'viewer');
    const tries = await Promise.all(
      Array.from({ length: 3 }, () => createVisitor(service.url).accept(invitation_url, PASSWORD)),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await createVisitor(service.url).accept(invitation_url, PASSWORD)).status).toBe(404);
  });

  it('ends after seven days', async () => {
    const { invitation_url, user_no } = await invite(ownUsers(), 'viewer');
    await service.sql`
      update console_user set invitation_expires_at = now() - interval '1 second' where user_no = ${user_no}`;
    expect((await createVisitor(service.url).accept(invitation_url, PASSWORD)).status).toBe(404);
  });

  it('is replaced by a new one, which ends the sessions of the old password when it is used', async () => {
    const { user_no, invitation_url, email, visitor } = await signedIn(ownUsers(), 'viewer');
    const first = (await root.call('POST', `${ownUsers()}/${user_no}/invitation`)).body.invitation_url;
    const second = (await root.call('POST', `${ownUsers()}/${user_no}/invitation`)).body.invitation_url;
    expect((await createVisitor(service.url).signIn(email, PASSWORD)).status).toBe(200);
    for (const old of [invitation_url, first]) {
      expect((await createVisitor(service.url).accept(old, `${PASSWORD}!`)).status).toBe(404);
    }
    expect((await createVisitor(service.url).accept(second, `${PASSWORD}!`)).status).toBe(200);
    expect((await visitor.call('GET', '/auth/session')).status).toBe(401);
    expect((await createVisitor(service.url).signIn(email, PASSWORD)).status).toBe(401);
    expect((await createVisitor(service.url).signIn(email, `${PASSWORD}!`)).status).toBe(200);
  });

  it.each([
    'short',
    'password1234',
    '123456789012',
    'qwertyuiop[]',
    'PostRider2026!',
    'abcabcabcabc',
    'person-example-1',
  ])('refuses the password %s and stays open', async (password) => {
    const { invitation_url } = await invite(ownUsers(), 'viewer');
    const refused = await createVisitor(service.url).accept(invitation_url, password);
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].pointer).toBe('/password');
    expect((await createVisitor(service.url).accept(invitation_url, PASSWORD)).status).toBe(200);
  });
});
