// Passkeys: how they are added, used and removed, and the doors that must stay shut. The authenticator is one in software, which
// does what no browser would; a real browser is in test/console/sign-in/passkeys.long.test.ts.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '../../../src/store/secrets/seal.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { createSoftPasskey, type Deviations, type SoftPasskey } from '../../support/sign-in/authenticator.js';
import { createVisitor, type Visitor } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };
const PASSWORD = 'purple tractors hum at noon';
const ORIGIN = 'https://sms.example.com';
const SECRET_KEY = 'a secret key of the passkey tests';
const SIGN_IN = '/auth/sign-in/passkey';

let service: Service;
let customer: ServiceCustomer;
let root: Visitor;
beforeAll(async () => {
  service = await startService({
    hasCheapPasswords: true,
    env: {
      POSTRIDER_PUBLIC_URL: `${ORIGIN}/`,
      POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8',
      POSTRIDER_SECRET_KEY: SECRET_KEY,
    },
  });
  customer = await service.addCustomer();
  root = createVisitor(service.url, ROOT);
});
afterAll(() => service.stop());

let count = 0;
/** From an address that no other test uses: tests do not slow each other down. */
function createBrowser(): Visitor {
  count += 1;
  return createVisitor(service.url, { 'x-forwarded-for': `192.0.2.${count}` });
}

async function createUser(path = `/operator/v1/customers/${customer.customerNo}/users`) {
  count += 1;
  const email = `passkey${count}@example.com`;
  const { body } = await root.call('POST', path, { email, name: 'Pat', role: 'viewer' });
  const visitor = createBrowser();
  await visitor.accept(body.invitation_url, PASSWORD);
  return { email, userNo: body.user_no as string, visitor, invitation: body.invitation_url as string };
}

async function beginAdding(visitor: Visitor) {
  const { status, body } = await visitor.call('POST', '/auth/passkeys/options', { password: PASSWORD });
  expect(status).toBe(200);
  return body.public_key;
}

async function addPasskey(visitor: Visitor, name = 'Laptop', passkey = createSoftPasskey(ORIGIN)) {
  const credential = passkey.create(await beginAdding(visitor));
  const { status, body } = await visitor.call('POST', '/auth/passkeys', { name, credential });
  expect(status).toBe(201);
  return { passkey, id: body.id as string };
}

async function beginSignIn(visitor: Visitor) {
  const { status, body } = await visitor.call('POST', `${SIGN_IN}/options`);
  expect(status).toBe(200);
  return body.public_key;
}

async function signIn(passkey: SoftPasskey, deviations: Deviations = {}, visitor = createBrowser()) {
  const credential = passkey.get(await beginSignIn(visitor), deviations);
  const answer = await visitor.call('POST', SIGN_IN, { credential });
  return { visitor, credential, answer, status: answer.status };
}

describe('a passkey', () => {
  it.each(['customer', 'operator'] as const)(
    'signs a user of the %s side in without email, password or code',
    async (side) => {
      const { email, visitor, userNo } = await createUser(side === 'operator' ? '/operator/v1/users' : undefined);
      const options = await beginAdding(visitor);
      expect(options).toMatchObject({
        rp: { id: 'sms.example.com' },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      const passkey = createSoftPasskey(ORIGIN);
      const added = await visitor.call('POST', '/auth/passkeys', {
        name: 'Laptop',
        credential: passkey.create(options),
      });
      expect(added.body).toEqual({
        id: expect.stringMatching(/^Y\w{13}$/),
        name: 'Laptop',
        created_at: expect.any(String),
        last_used_at: null,
      });
      const { visitor: browser, answer } = await signIn(passkey);
      expect(answer.body.user).toMatchObject({ email, side });
      expect((await browser.call('GET', '/auth/session')).body.user).toMatchObject({ user_no: userNo });
      const { items } = (await browser.call('GET', '/auth/passkeys')).body;
      expect(items).toEqual([{ ...added.body, last_used_at: expect.any(String) }]);
      expect((await browser.call('GET', '/auth/sessions')).body.items[0]).toMatchObject({ method: 'passkey' });
      const subject = side === 'operator' ? userNo : customer.customerNo;
      const audit = (await root.call('GET', `/operator/v1/audit?subject=${subject}&page_size=50`)).body.items;
      const actions = audit.map(({ action, change }: { action: string; change: { method?: string } }) =>
        action === 'session.create' ? `${action} ${change.method}` : action,
      );
      expect(actions).toEqual(expect.arrayContaining(['passkey.create', 'session.create passkey']));
    },
  );

  it('is a second factor for the password, beside an authenticator app or alone', async () => {
    const { email, visitor } = await createUser();
    const { passkey, id } = await addPasskey(visitor);
    const browser = createBrowser();
    expect((await browser.signIn(email, PASSWORD)).body).toEqual({ second_factor: ['passkey'] });
    expect((await browser.call('GET', '/auth/session')).status).toBe(401);
    expect((await signIn(passkey, {}, browser)).status).toBe(200);
    expect(browser.cookies.has('postrider_pending')).toBe(false);
    await service.sql`update console_user set totp_confirmed_at = now() where email = ${email}`;
    expect((await createBrowser().signIn(email, PASSWORD)).body).toEqual({ second_factor: ['totp', 'passkey'] });
    await service.sql`update console_user set totp_confirmed_at = null where email = ${email}`;
    const removed = await visitor.call('POST', `/auth/passkeys/${id}/remove`, { password: PASSWORD });
    expect(removed.status).toBe(204);
    expect((await signIn(passkey)).status).toBe(401);
    expect((await createBrowser().signIn(email, PASSWORD)).body.user).toMatchObject({ email });
  });

  it('that does not count works again and again', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor, 'Phone', createSoftPasskey(ORIGIN, 0));
    expect([(await signIn(passkey)).status, (await signIn(passkey)).status]).toEqual([200, 200]);
  });

  it('is removed by a new invitation, and with its user', async () => {
    const { visitor, userNo } = await createUser();
    const { passkey } = await addPasskey(visitor);
    const path = `/operator/v1/customers/${customer.customerNo}/users/${userNo}`;
    const { invitation_url } = (await root.call('POST', `${path}/invitation`)).body;
    expect((await signIn(passkey)).status).toBe(200);
    const back = createBrowser();
    await back.accept(invitation_url, PASSWORD);
    expect((await signIn(passkey)).status).toBe(401);
    const { passkey: next } = await addPasskey(back);
    expect((await root.call('DELETE', path)).status).toBe(200);
    expect((await signIn(next)).status).toBe(401);
    expect(await service.sql`select 1 from passkey where credential_id = ${next.id}`).toHaveLength(0);
  });
});

describe('a sign-in with a passkey is refused', () => {
  it('when the answer is sent a second time, with the cookie that it came with', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor, 'Phone', createSoftPasskey(ORIGIN, 0));
    const browser = createBrowser();
    const credential = passkey.get(await beginSignIn(browser));
    const cookie = browser.cookies.get('postrider_passkey') ?? '';
    const thief = createBrowser();
    thief.cookies.set('postrider_passkey', cookie);
    expect((await browser.call('POST', SIGN_IN, { credential })).status).toBe(200);
    expect((await thief.call('POST', SIGN_IN, { credential })).status).toBe(401);
    // Of two at once, one wins.
    const next = passkey.get(await beginSignIn(browser));
    thief.cookies.set('postrider_passkey', browser.cookies.get('postrider_passkey') ?? '');
    const both = await Promise.all([browser, thief].map((one) => one.call('POST', SIGN_IN, { credential: next })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('for a challenge of another browser, one for adding, and one that has expired', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor);
    const other = passkey.get(await beginSignIn(createBrowser()));
    const browser = createBrowser();
    await beginSignIn(browser);
    expect((await browser.call('POST', SIGN_IN, { credential: other })).status).toBe(401);
    expect((await browser.call('POST', SIGN_IN, { credential: other })).status).toBe(401);
    const adding = passkey.get(await beginAdding(visitor));
    expect((await visitor.call('POST', SIGN_IN, { credential: adding })).status).toBe(401);

    const sealer = createSealer(createHash('sha256').update(SECRET_KEY).digest());
    const context = 'passkey challenge';
    const setExpiry = async (expiresAtMs: number) => {
      const options = await beginSignIn(browser);
      const sealed = Buffer.from(browser.cookies.get('postrider_passkey') ?? '', 'base64url');
      const pending = { ...JSON.parse(sealer.open(sealed, context).toString('utf8')), expiresAtMs };
      const value = sealer.seal(JSON.stringify(pending), context).toString('base64url');
      browser.cookies.set('postrider_passkey', value);
      return (await browser.call('POST', SIGN_IN, { credential: passkey.get(options) })).status;
    };
    expect(await setExpiry(Date.now() - 1)).toBe(401);
    expect(await setExpiry(Date.now() + 60_000)).toBe(200);
  });

  it('for another origin or host, whatever the headers of the request say', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor);
    const evil = { origin: 'https://sms.example.org', host: 'sms.example.org' };
    expect((await signIn(passkey, evil)).status).toBe(401);
    expect((await signIn(passkey, { origin: evil.origin })).status).toBe(401);
    expect((await signIn(passkey, { host: evil.host })).status).toBe(401);
    const proxied = createVisitor(service.url, {
      'x-forwarded-for': '192.0.2.250',
      'x-forwarded-host': 'sms.example.org',
      host: 'sms.example.org',
    });
    expect((await beginSignIn(proxied)).rpId).toBe('sms.example.com');
    expect((await signIn(passkey, evil, proxied)).status).toBe(401);
    expect((await signIn(passkey)).status).toBe(200);
  });

  it('without user verification', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor);
    expect((await signIn(passkey, { isVerified: false })).status).toBe(401);
    expect((await signIn(passkey)).status).toBe(200);
  });

  it('for the credential of another user, by either name', async () => {
    const [mine, theirs] = [await createUser(), await createUser()];
    const { passkey } = await addPasskey(mine.visitor);
    const { passkey: target } = await addPasskey(theirs.visitor);
    expect((await signIn(passkey, { id: target.id })).status).toBe(401);
    const userHandle = Buffer.from(theirs.userNo).toString('base64url');
    expect((await signIn(passkey, { userHandle })).status).toBe(401);
    expect((await signIn(passkey, { id: target.id, userHandle })).status).toBe(401);
    expect((await signIn(passkey)).answer.body.user).toMatchObject({ email: mine.email });
  });

  it('when the count of signatures goes back or stays', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor);
    expect((await signIn(passkey, { count: 10 })).status).toBe(200);
    expect((await signIn(passkey, { count: 9 })).status).toBe(401);
    expect((await signIn(passkey, { count: 10 })).status).toBe(401);
    expect((await signIn(passkey, { count: 0 })).status).toBe(401);
    expect((await signIn(passkey, { count: 11 })).status).toBe(200);
  });

  it('for a disabled user, with the answer that an unknown passkey gets', async () => {
    const { visitor, userNo } = await createUser();
    const { passkey } = await addPasskey(visitor);
    const path = `/operator/v1/customers/${customer.customerNo}/users/${userNo}`;
    await root.call('PATCH', path, { status: 'disabled' });
    const disabled = await signIn(passkey);
    const unknown = await signIn(createSoftPasskey(ORIGIN));
    const wrong = await signIn(passkey, { isVerified: false });
    for (const { answer } of [unknown, wrong]) {
      const { request_id: _one, ...shown } = answer.body;
      const { request_id: _other, ...expected } = disabled.answer.body;
      expect([answer.status, shown]).toEqual([401, expected]);
    }
    await root.call('PATCH', path, { status: 'active' });
    expect((await signIn(passkey)).status).toBe(200);
  });

  it('when wrong, after many, for a while; a right one passes from the same address, and nothing is stored of junk', async () => {
    const { visitor } = await createUser();
    const { passkey } = await addPasskey(visitor);
    const office = createBrowser();
    const before = await service.sql`select 1 from passkey_challenge`;
    const junk = { credential: { id: 'junk' } };
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 60; attempt += 1) {
      statuses.add((await office.call('POST', SIGN_IN, junk)).status);
    }
    expect([...statuses]).toEqual([401, 429]);
    expect(await service.sql`select 1 from passkey_challenge`).toHaveLength(before.length);
    expect((await signIn(passkey, {}, office)).status).toBe(200);
  });

  it('for anything that is no answer of a passkey', async () => {
    const browser = createBrowser();
    for (const credential of [{}, { id: 7 }, { id: 'x', response: null }, { id: 'x', response: { userHandle: [] } }]) {
      await beginSignIn(browser);
      expect((await browser.call('POST', SIGN_IN, { credential })).status).toBe(401);
    }
    const refused = await browser.call('POST', SIGN_IN, { credential: 'text' });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('adding a passkey', () => {
  it('asks for the password, a session and its CSRF token', async () => {
    const { visitor } = await createUser();
    for (const body of [{}, { password: 'not the password' }]) {
      const refused = await visitor.call('POST', '/auth/passkeys/options', body);
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/password']);
    }
    expect((await createBrowser().call('GET', '/auth/passkeys')).status).toBe(401);
    visitor.csrfToken = undefined;
    expect((await visitor.call('POST', '/auth/passkeys/options', { password: PASSWORD })).status).toBe(403);
  });

  it('needs an answer to the challenge of this session, from this origin, with user verification, once', async () => {
    const { visitor } = await createUser();
    const other = await createUser();
    const passkey = createSoftPasskey(ORIGIN);
    const attempt = async (deviations: Deviations, from = visitor) => {
      const credential = passkey.create(await beginAdding(from), deviations);
      return visitor.call('POST', '/auth/passkeys', { name: 'Laptop', credential });
    };
    for (const deviations of [
      { origin: 'https://sms.example.org' },
      { host: 'sms.example.org' },
      { isVerified: false },
    ]) {
      const refused = await attempt(deviations);
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/credential']);
    }
    expect((await attempt({}, other.visitor)).status).toBe(400);
    const credential = passkey.create(await beginAdding(visitor));
    const cookie = visitor.cookies.get('postrider_passkey') ?? '';
    expect((await visitor.call('POST', '/auth/passkeys', { name: 'Laptop', credential })).status).toBe(201);
    visitor.cookies.set('postrider_passkey', cookie);
    expect((await visitor.call('POST', '/auth/passkeys', { name: 'Laptop', credential })).status).toBe(400);
    // A credential has one owner.
    const again = passkey.create(await beginAdding(other.visitor));
    const taken = await other.visitor.call('POST', '/auth/passkeys', { name: 'Laptop', credential: again });
    expect([taken.status, taken.body.code]).toEqual([409, 'already_exists']);
  });

  it('names those that the user has, and ends at twenty', async () => {
    const { visitor, userNo } = await createUser();
    const { passkey } = await addPasskey(visitor);
    const { excludeCredentials } = await beginAdding(visitor);
    expect(excludeCredentials).toEqual([expect.objectContaining({ id: passkey.id })]);
    await service.sql`
      insert into passkey (credential_id, passkey_no, user_id, name, public_key, sign_count, transports)
      select ${userNo} || n, ${userNo} || n, user_id, 'n', '', 0, '{}'
      from console_user, generate_series(2, 20) as n where user_no = ${userNo}`;
    const refused = await visitor.call('POST', '/auth/passkeys/options', { password: PASSWORD });
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'too_many']);
  });
});

describe('removing a passkey', () => {
  it('asks for the password, and touches only those of the user', async () => {
    const [mine, theirs] = [await createUser(), await createUser()];
    const { id } = await addPasskey(theirs.visitor);
    expect((await mine.visitor.call('POST', `/auth/passkeys/${id}/remove`, { password: PASSWORD })).status).toBe(404);
    expect((await theirs.visitor.call('POST', `/auth/passkeys/${id}/remove`, {})).status).toBe(400);
    expect((await theirs.visitor.call('GET', '/auth/passkeys')).body.items).toHaveLength(1);
  });

  it('leaves a user without a password the last one', async () => {
    const { visitor, userNo } = await createUser();
    const [first, last] = [await addPasskey(visitor, 'One'), await addPasskey(visitor, 'Two')];
    await service.sql`update console_user set password_hash = null where user_no = ${userNo}`;
    const remove = (id: string) => visitor.call('POST', `/auth/passkeys/${id}/remove`, {});
    // Of two removals at once, one leaves the other's passkey.
    const both = await Promise.all([remove(first.id), remove(last.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 403]);
    expect((await visitor.call('GET', '/auth/passkeys')).body.items).toHaveLength(1);
  });
});

describe('without a public address', () => {
  it('there are passkeys at localhost only', async () => {
    const local = await startService({ hasCheapPasswords: true });
    try {
      const methodsAt = async (host: string) =>
        (await createVisitor(local.url, { host }).call('GET', '/auth/methods')).body.passkey;
      const { port } = new URL(local.url);
      expect(await methodsAt(`localhost:${port}`)).toBe(true);
      expect(await methodsAt('sms.example.com')).toBe(false);
      expect(await methodsAt(`127.0.0.1:${port}`)).toBe(false);
      const refused = await createVisitor(local.url, { host: 'sms.example.com' }).call('POST', `${SIGN_IN}/options`);
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    } finally {
      await local.stop();
    }
  });

  it('with one, invitation links lead there and passkeys work there', async () => {
    const { invitation } = await createUser();
    expect(invitation).toMatch(/^https:\/\/sms\.example\.com\/console\/invitations\//);
    const there = { host: 'sms.example.com', 'x-forwarded-proto': 'https' };
    expect((await createVisitor(service.url, there).call('GET', '/auth/methods')).body.passkey).toBe(true);
    expect((await createVisitor(service.url).call('GET', '/auth/methods')).body.passkey).toBe(false);
  });
});
