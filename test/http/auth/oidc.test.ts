// Signing in with an OpenID provider: a real one runs here, and a browser without pages walks between the two.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseReturn } from '../../../src/http/auth/oidc-routes.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { type OpenIdProvider, startOpenIdProvider } from '../../support/sign-in/openid-provider.js';
import { createVisitor, type Visitor, type VisitorAnswer } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };

let provider: OpenIdProvider;
let invited: Service;
let provisioned: Service;
let customer: ServiceCustomer;
let root: Visitor;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  const env = {
    POSTRIDER_OIDC_ISSUER: provider.issuer,
    POSTRIDER_OIDC_CLIENT_ID: 'postrider',
    POSTRIDER_OIDC_CLIENT_SECRET: 'secret-of-the-client',
  };
  invited = await startService({ hasCheapPasswords: true, env });
  provisioned = await startService({ hasCheapPasswords: true, env: { ...env, POSTRIDER_OIDC_ROLE_CLAIM: 'roles' } });
  provider.allow(`${invited.url}/auth/oidc/callback`, `${provisioned.url}/auth/oidc/callback`);
  customer = await invited.addCustomer();
  root = createVisitor(invited.url, ROOT);
});
afterAll(async () => {
  await invited.stop();
  await provisioned.stop();
  await provider.stop();
});

let count = 0;
/** Someone whom the provider knows. */
function addPerson(claims: Record<string, unknown> = {}) {
  count += 1;
  const sub = `sub-${count}`;
  const email = `oidc${count}@example.com`;
  provider.people.set(sub, { email, email_verified: true, name: 'Olga', ...claims });
  return { sub, email };
}

const begin = (visitor: Visitor, query = '') => visitor.call('GET', `/auth/oidc/start${query}`);
const locationOf = ({ headers }: VisitorAnswer) => headers.get('location') ?? '';

/** From the button to the page behind the sign-in. */
async function signIn(service: Service, sub: string, query = '') {
  const visitor = createVisitor(service.url);
  const started = await begin(visitor, query);
  expect(started.status).toBe(302);
  const callback = await provider.authorize(locationOf(started), sub);
  const answer = await visitor.call('GET', callback.slice(service.url.length));
  return { visitor, callback, answer, location: locationOf(answer) };
}

async function invite(email: string, role = 'support', path = '/operator/v1/users') {
  expect((await root.call('POST', path, { email, name: 'Olga', role })).status).toBe(201);
}

describe('a sign-in with the OpenID provider', () => {
  it('signs in a user who was invited, by the verified email', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    const { visitor, location, answer } = await signIn(invited, sub);
    expect([answer.status, location]).toEqual([302, '/console/#signed-in=operator']);
    const session = await visitor.call('GET', '/auth/session');
    expect(session.body.user).toMatchObject({ email, role: 'support', side: 'operator' });
    const [cookie = ''] = answer.headers.getSetCookie().filter((line) => line.startsWith('postrider_operator='));
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    const { items } = (await visitor.call('GET', '/auth/sessions')).body;
    expect(items[0]).toMatchObject({ method: 'oidc' });
  });

  it('keeps to the side that was asked for', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    await invite(email, 'sender', `/operator/v1/customers/${customer.customerNo}/users`);
    const { visitor } = await signIn(invited, sub, '?side=customer');
    expect((await visitor.call('GET', '/auth/session')).body.user).toMatchObject({ side: 'customer', role: 'sender' });
  });

  it('asks for a code with PKCE, state and nonce', async () => {
    const url = new URL(locationOf(await begin(createVisitor(invited.url))));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${invited.url}/auth/oidc/callback`,
      scope: 'openid email profile',
    });
    for (const name of ['code_challenge', 'state', 'nonce']) {
      expect(url.searchParams.get(name)?.length).toBeGreaterThanOrEqual(43);
    }
  });

  it.each([
    ['nobody invited', {}, false],
    ['has an email that is not verified', { email_verified: false }, true],
  ])('refuses a person who %s', async (_, claims, isInvited) => {
    const { sub, email } = addPerson(claims);
    if (isInvited) await invite(email);
    const { visitor, location } = await signIn(invited, sub);
    expect(location).toBe('/console/#sign-in-failed=refused');
    expect((await visitor.call('GET', '/auth/session')).status).toBe(401);
    const { items } = (await root.call('GET', '/operator/v1/audit?action=session.refuse')).body;
    expect(items[0]).toMatchObject({ actor: 'anonymous', change: { email, method: 'oidc' } });
  });

  it('refuses a disabled user, and another subject with the same email', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    await signIn(invited, sub);
    const taken = addPerson({ email });
    expect((await signIn(invited, taken.sub)).location).toBe('/console/#sign-in-failed=refused');
    expect((await signIn(invited, sub)).location).toBe('/console/#signed-in=operator');
    const { items } = (await root.call('GET', '/operator/v1/users')).body;
    const { user_no: userNo } = items.find((user: { email: string }) => user.email === email);
    await root.call('PATCH', `/operator/v1/users/${userNo}`, { status: 'disabled' });
    expect((await signIn(invited, sub)).location).toBe('/console/#sign-in-failed=refused');
  });
});

describe('linking a user', () => {
  it('ends what opened the account before: a password of who had the invitation, and its sessions', async () => {
    const { sub, email } = addPerson();
    const { body } = await root.call('POST', '/operator/v1/users', { email, name: 'Olga', role: 'admin' });
    const squatter = createVisitor(invited.url);
    expect((await squatter.accept(body.invitation_url, 'purple tractors hum at noon')).status).toBe(200);
    expect((await signIn(invited, sub)).location).toBe('/console/#signed-in=operator');
    expect((await squatter.call('GET', '/auth/session')).status).toBe(401);
    expect((await squatter.signIn(email, 'purple tractors hum at noon')).status).toBe(401);
    expect((await signIn(invited, sub)).location).toBe('/console/#signed-in=operator');
  });

  it('compares emails letter by letter beyond ASCII', async () => {
    const { email } = addPerson();
    const name = `mark${email}`;
    await invite(name);
    const { sub } = addPerson({ email: name.replace('k', '\u212a') });
    expect((await signIn(invited, sub)).location).toBe('/console/#sign-in-failed=refused');
  });

  it('takes no ID token whose signature is wrong', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    provider.damageSignatures(true);
    try {
      expect((await signIn(invited, sub)).location).toBe('/console/#sign-in-failed=failed');
    } finally {
      provider.damageSignatures(false);
    }
    expect((await signIn(invited, sub)).location).toBe('/console/#signed-in=operator');
  });
});

describe('a role claim', () => {
  it('lets the provider decide who is an operator, with which role', async () => {
    const { sub, email } = addPerson({ roles: ['staff', 'finance'] });
    const first = await signIn(provisioned, sub);
    expect((await first.visitor.call('GET', '/operator/v1/me')).body).toMatchObject({ role: 'finance' });
    provider.people.set(sub, { email, email_verified: true, roles: 'viewer' });
    const second = await signIn(provisioned, sub);
    expect((await second.visitor.call('GET', '/operator/v1/me')).body).toMatchObject({ role: 'viewer' });
    provider.people.set(sub, { email, email_verified: true, roles: ['staff'] });
    expect((await second.visitor.call('GET', '/operator/v1/me')).status).toBe(200);
    expect((await signIn(provisioned, sub)).location).toBe('/console/#sign-in-failed=refused');
    // What was begun with the role ends with it.
    expect((await second.visitor.call('GET', '/operator/v1/me')).status).toBe(401);
  });

  it('names a customer and the role there', async () => {
    const other = await provisioned.addCustomer();
    const { sub } = addPerson({ roles: [`${other.customerNo}:sender`] });
    const { visitor } = await signIn(provisioned, sub);
    expect((await visitor.call('GET', '/auth/session')).body.user).toMatchObject({
      side: 'customer',
      customer_no: other.customerNo,
      role: 'sender',
    });
    const stranger = addPerson({ roles: ['C00000000000000:admin', 'root', ':admin'] });
    expect((await signIn(provisioned, stranger.sub)).location).toBe('/console/#sign-in-failed=refused');
  });
});

describe('the doors', () => {
  it('take no answer of another browser (CSRF on the callback)', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    const attacker = createVisitor(invited.url);
    const callback = await provider.authorize(locationOf(await begin(attacker)), sub);
    const victim = createVisitor(invited.url);
    const path = callback.slice(invited.url.length);
    expect(locationOf(await victim.call('GET', path))).toBe('/console/#sign-in-failed=failed');
    await begin(victim);
    expect(locationOf(await victim.call('GET', path))).toBe('/console/#sign-in-failed=failed');
    expect((await victim.call('GET', '/auth/session')).status).toBe(401);
  });

  it('take no answer of another issuer (mix-up)', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    for (const iss of ['https://evil.example', undefined]) {
      const visitor = createVisitor(invited.url);
      const callback = new URL(await provider.authorize(locationOf(await begin(visitor)), sub));
      expect(callback.searchParams.get('iss')).toBe(provider.issuer);
      if (iss === undefined) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', iss);
      const answer = await visitor.call('GET', callback.pathname + callback.search);
      expect(locationOf(answer)).toBe('/console/#sign-in-failed=failed');
    }
  });

  it('take no ID token that was made for another sign-in (nonce)', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    const visitor = createVisitor(invited.url);
    const url = new URL(locationOf(await begin(visitor)));
    url.searchParams.set('nonce', 'n'.repeat(43));
    const callback = await provider.authorize(url.href, sub);
    const answer = await visitor.call('GET', callback.slice(invited.url.length));
    expect(locationOf(answer)).toBe('/console/#sign-in-failed=failed');
  });

  it('take no code without the verifier of this browser (PKCE)', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    const visitor = createVisitor(invited.url);
    const url = new URL(locationOf(await begin(visitor)));
    url.searchParams.set('code_challenge', 'c'.repeat(43));
    const callback = await provider.authorize(url.href, sub);
    const answer = await visitor.call('GET', callback.slice(invited.url.length));
    expect(locationOf(answer)).toBe('/console/#sign-in-failed=failed');
  });

  it('take each answer once', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    const visitor = createVisitor(invited.url);
    const started = await begin(visitor);
    const pending = visitor.cookies.get('postrider_oidc') ?? '';
    const path = (await provider.authorize(locationOf(started), sub)).slice(invited.url.length);
    expect(locationOf(await visitor.call('GET', path))).toBe('/console/#signed-in=operator');
    expect(visitor.cookies.has('postrider_oidc')).toBe(false);
    const again = createVisitor(invited.url);
    again.cookies.set('postrider_oidc', pending);
    expect(locationOf(await again.call('GET', path))).toBe('/console/#sign-in-failed=failed');
  });

  it('lead back to pages of the console alone', async () => {
    const { sub, email } = addPerson();
    await invite(email);
    const good = await signIn(invited, sub, `?return_to=${encodeURIComponent('/console/operator/audit?actor=root')}`);
    expect(good.location).toBe('/console/operator/audit?actor=root#signed-in=operator');
    for (const bad of [
      'https://evil.example/',
      '//evil.example/console/',
      '/console/../../evil',
      '/\\evil.example',
      '/console/\\evil',
      'javascript:alert(1)',
      '/console/%0d%0aset-cookie:x',
      '/operator/v1/users',
      '/console/@evil.example:',
    ]) {
      expect(chooseReturn(bad), bad).toMatch(/^\/console\/(%0d%0aset-cookie:x)?$/);
    }
  });

  it('take no start from a page of another site', async () => {
    const visitor = createVisitor(invited.url, { 'sec-fetch-site': 'cross-site' });
    const answer = await begin(visitor);
    expect(locationOf(answer)).toBe('/console/#sign-in-failed=failed');
    expect(visitor.cookies.size).toBe(0);
  });
});

it('a service without a provider has no such pages', async () => {
  const plain = await startService({ hasCheapPasswords: true });
  try {
    const visitor = createVisitor(plain.url);
    expect((await visitor.call('GET', '/auth/oidc/start')).status).toBe(404);
    expect((await visitor.call('GET', '/auth/methods')).body).toMatchObject({ oidc: false });
  } finally {
    await plain.stop();
  }
});
