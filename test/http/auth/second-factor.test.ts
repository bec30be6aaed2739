// Two-step sign-in with an authenticator app (RFC 6238) and recovery codes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computeCode, matchTotp, toBase32 } from '../../../src/http/auth/second-factor/totp.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { fromBase32 } from '../../support/sign-in/base32.js';
import { createVisitor, type Visitor } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };
const PASSWORD = 'purple tractors hum at noon';
const STEP_MS = 30_000;

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
async function createUser() {
  count += 1;
  const email = `factor${count}@example.com`;
  const path = `/operator/v1/customers/${customer.customerNo}/users`;
  const { body } = await root.call('POST', path, { email, name: 'F', role: 'viewer' });
  const visitor = createVisitor(service.url);
  await visitor.accept(body.invitation_url, PASSWORD);
  return { email, userNo: body.user_no as string, visitor };
}

/** `ahead` steps from now: each code works once, so that a test that needs several takes the next. */
const codeOf = (secret: Buffer, ahead = 0) => computeCode(secret, Math.floor(Date.now() / STEP_MS) + ahead);

async function enrol({ visitor, userNo }: { readonly visitor: Visitor; readonly userNo: string }) {
  const started = await visitor.call('POST', '/auth/totp', { password: PASSWORD });
  expect(started.status).toBe(201);
  const secret = fromBase32(started.body.secret);
  const confirmed = await visitor.call('POST', '/auth/totp/confirm', { code: codeOf(secret) });
  expect(confirmed.status).toBe(200);
  // As if it had been that of an earlier step: each test may use the one of now. A code of the step before would be refused where
  // the next step begins on the way.
  await service.sql`update console_user set totp_last_step = totp_last_step - 2 where user_no = ${userNo}`;
  return { secret, recoveryCodes: confirmed.body.recovery_codes as string[] };
}

async function startSignIn(email: string) {
  const visitor = createVisitor(service.url);
  const answer = await visitor.signIn(email, PASSWORD);
  return { visitor, answer };
}

/** The pause after the last try begins in an hour, so that it does not end while a busy machine makes the next ones. */
async function delayPause(email: string): Promise<void> {
  await service.sql.unsafe(`
    create or replace function delay_pause() returns trigger language plpgsql as
      $$ begin new.second_factor_tried_at := now() + interval '1 hour'; return new; end $$;
    create trigger delay_pause_of_${email.replace(/\W/g, '_')} before update of second_factor_tries on console_user
      for each row when (new.email = '${email}') execute function delay_pause()`);
}

describe('a code', () => {
  const secret = Buffer.from('12345678901234567890');

  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of RFC 6238 at second %i', (seconds, code) => {
    expect(computeCode(secret, Math.floor(seconds / 30))).toBe(code);
    expect(matchTotp(secret, code, seconds * 1000, 0)).toBe(Math.floor(seconds / 30));
  });

  it('is taken one step early and late, and no further, and not when its step was used', () => {
    const step = 1000;
    const nowMs = step * STEP_MS;
    for (const near of [step - 1, step, step + 1]) {
      expect(matchTotp(secret, computeCode(secret, near), nowMs, 0)).toBe(near);
      expect(matchTotp(secret, computeCode(secret, near), nowMs, near)).toBeUndefined();
    }
    for (const far of [step - 2, step + 2])
      expect(matchTotp(secret, computeCode(secret, far), nowMs, 0)).toBeUndefined();
    expect(matchTotp(secret, '', nowMs, 0)).toBeUndefined();
    expect(matchTotp(secret, `${computeCode(secret, step)}0`, nowMs, 0)).toBeUndefined();
  });

  it('has a secret in base 32 as RFC 4648 writes it', () => {
    expect(toBase32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
    expect(fromBase32(toBase32(secret))).toEqual(secret);
  });
});

describe('a sign-in with an authenticator app', () => {
  it('asks for a code after the password, and takes each once', async () => {
    const { email, visitor, userNo } = await createUser();
    const { secret, recoveryCodes } = await enrol({ visitor, userNo });
    expect(recoveryCodes).toHaveLength(10);
    expect((await visitor.call('GET', '/auth/second-factors')).body).toEqual({ totp: true, recovery_codes_left: 10 });

    const first = await startSignIn(email);
    expect([first.answer.status, first.answer.body]).toEqual([200, { second_factor: ['totp'] }]);
    expect(first.visitor.cookies.has('postrider_customer')).toBe(false);
    expect((await first.visitor.call('GET', '/auth/session')).status).toBe(401);
    const code = codeOf(secret);
    const wrong = await first.visitor.call('POST', '/auth/second-factor', {
      code: code === '000000' ? '1'.repeat(6) : '000000',
    });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials']);
    const done = await first.visitor.call('POST', '/auth/second-factor', { code });
    expect(done.body.user).toMatchObject({ email });
    expect((await first.visitor.call('GET', '/auth/session')).status).toBe(200);
    expect(first.visitor.cookies.has('postrider_pending')).toBe(false);

    const second = await startSignIn(email);
    expect((await second.visitor.call('POST', '/auth/second-factor', { code })).status).toBe(401);
    // Of two at once, one wins.
    const next = codeOf(secret, 1);
    const others = await Promise.all([startSignIn(email), startSignIn(email)]);
    const both = await Promise.all(
      others.map((one) => one.visitor.call('POST', '/auth/second-factor', { code: next })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);

    const { items } = (await root.call('GET', `/operator/v1/audit?subject=${customer.customerNo}&page_size=50`)).body;
    const own = items.filter(({ change }: { change: { user_no?: string } }) => change.user_no === userNo);
    expect(own.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['second_factor.add', 'session.refuse', 'session.create']),
    );
    const stored = JSON.stringify((await service.sql`select u::text as row from console_user u`).map(({ row }) => row));
    expect(stored).not.toContain(secret.toString('hex'));
    for (const recovery of recoveryCodes) expect(stored).not.toContain(recovery.replace('-', ''));
  });

  it('takes a recovery code once, in any spelling', async () => {
    const { email, visitor, userNo } = await createUser();
    const { recoveryCodes } = await enrol({ visitor, userNo });
    const typed = (recoveryCodes[3] ?? '').toLowerCase().replace('-', ' ');
    const first = await startSignIn(email);
    expect((await first.visitor.call('POST', '/auth/second-factor', { code: typed })).status).toBe(200);
    expect((await visitor.call('GET', '/auth/second-factors')).body).toMatchObject({ recovery_codes_left: 9 });
    const again = await startSignIn(email);
    expect((await again.visitor.call('POST', '/auth/second-factor', { code: typed })).status).toBe(401);
  });

  it('needs the password of this browser first, and the same password still', async () => {
    const { email, visitor, userNo } = await createUser();
    const { secret } = await enrol({ visitor, userNo });
    const stranger = createVisitor(service.url);
    const refused = await stranger.call('POST', '/auth/second-factor', { code: codeOf(secret) });
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials']);
    stranger.cookies.set('postrider_pending', 'A'.repeat(80));
    expect((await stranger.call('POST', '/auth/second-factor', { code: codeOf(secret) })).status).toBe(401);
    const started = await startSignIn(email);
    await service.sql`update console_user set password_hash = 'changed' where user_no = ${userNo}`;
    expect((await started.visitor.call('POST', '/auth/second-factor', { code: codeOf(secret) })).status).toBe(401);
  });

  it('slows guessing down for the account, from whatever browser', async () => {
    const { email, visitor, userNo } = await createUser();
    const { secret } = await enrol({ visitor, userNo });
    await delayPause(email);
    const { visitor: guesser } = await startSignIn(email);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      statuses.push((await guesser.call('POST', '/auth/second-factor', { code: 'abcdef' })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const elsewhere = await startSignIn(email);
    const refused = await elsewhere.visitor.call('POST', '/auth/second-factor', { code: codeOf(secret) });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // After the pause the right code passes, and clears the count.
    await service.sql`update console_user set second_factor_tried_at = now() - interval '10 s' where email = ${email}`;
    const done = await elsewhere.visitor.call('POST', '/auth/second-factor', { code: codeOf(secret) });
    expect(done.status).toBe(200);
    expect((await service.sql`select second_factor_tries from console_user where email = ${email}`)[0]).toEqual({
      second_factor_tries: 0,
    });
  });

  it('compares ten of the codes that come at once, whichever process they reach', async () => {
    const { email, visitor, userNo } = await createUser();
    await enrol({ visitor, userNo });
    await delayPause(email);
    const { visitor: guesser } = await startSignIn(email);
    const guess = () => guesser.call('POST', '/auth/second-factor', { code: 'abcdef' });
    const answers = await Promise.all(Array.from({ length: 60 }, guess));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(50);
    // In the row of the user, where every process sees them.
    expect((await service.sql`select second_factor_tries from console_user where email = ${email}`)[0]).toEqual({
      second_factor_tries: 10,
    });
  });
});

describe('setting up an authenticator app', () => {
  it('asks for the password, and changes nothing until a code confirms it', async () => {
    const { email, visitor } = await createUser();
    const refused = await visitor.call('POST', '/auth/totp', { password: 'not the password' });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/password']);
    const started = await visitor.call('POST', '/auth/totp', { password: PASSWORD });
    expect(started.body.otpauth_url).toBe(
      `otpauth://totp/Postrider%3A${encodeURIComponent(email)}?secret=${started.body.secret}&issuer=Postrider`,
    );
    expect((await startSignIn(email)).answer.body.user).toMatchObject({ email });
    const wrong = await visitor.call('POST', '/auth/totp/confirm', { code: '00000a' });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/code']);
    expect((await startSignIn(email)).answer.body.user).toMatchObject({ email });
  });

  it('is refused while one is set up; removing asks for the password and ends the second step', async () => {
    const { email, visitor, userNo } = await createUser();
    await enrol({ visitor, userNo });
    const again = await visitor.call('POST', '/auth/totp', { password: PASSWORD });
    expect([again.status, again.body.code]).toEqual([409, 'already_exists']);
    expect((await visitor.call('POST', '/auth/totp/remove', { password: 'not the password' })).status).toBe(400);
    expect((await startSignIn(email)).answer.body).toEqual({ second_factor: ['totp'] });
    expect((await visitor.call('POST', '/auth/totp/remove', { password: PASSWORD })).status).toBe(204);
    expect((await visitor.call('POST', '/auth/totp/remove', { password: PASSWORD })).status).toBe(404);
    expect((await startSignIn(email)).answer.body.user).toMatchObject({ email });
  });

  it('is undone by a new invitation: the way back for a lost phone', async () => {
    const { email, visitor, userNo } = await createUser();
    await enrol({ visitor, userNo });
    const path = `/operator/v1/customers/${customer.customerNo}/users/${userNo}/invitation`;
    const { invitation_url } = (await root.call('POST', path)).body;
    expect((await startSignIn(email)).answer.body).toEqual({ second_factor: ['totp'] });
    expect((await createVisitor(service.url).accept(invitation_url, PASSWORD)).status).toBe(200);
    expect((await startSignIn(email)).answer.body.user).toMatchObject({ email });
  });

  it('needs a session and its CSRF token', async () => {
    const { visitor } = await createUser();
    expect((await createVisitor(service.url).call('GET', '/auth/second-factors')).status).toBe(401);
    visitor.csrfToken = undefined;
    for (const path of ['/auth/totp', '/auth/totp/remove']) {
      expect((await visitor.call('POST', path, { password: PASSWORD })).status).toBe(403);
    }
  });
});
