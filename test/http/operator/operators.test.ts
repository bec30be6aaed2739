// Operators by name: who they are, what they may do, and that their tokens cannot be guessed.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuessGuard, FREE_FAILURES } from '../../../src/http/limits/guess-guard.js';
import { createOperatorApi } from '../../../src/http/operator/routes.js';
import {
  type Answer,
  faultsOf,
  OPERATOR_TOKEN,
  type OperatorApi,
  startOperatorApi,
} from '../../support/operator-api.js';

let api: OperatorApi;
beforeAll(async () => {
  api = await startOperatorApi();
});
afterAll(() => api.close());
// A caller that one test slowed down is not slowed down in the next.
beforeEach(() => {
  api.clock.nowMs += 24 * 3_600_000;
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const createOperator = async (name: string, role: string) =>
  (await api.call('POST', '/operators', { name, role })).body as { operator_no: string; token: string };

describe('an operator', () => {
  it('gets a token that is shown once and stored as a hash', async () => {
    const { status, body } = await api.call('POST', '/operators', { name: 'Ann', role: 'support' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Ann', role: 'support', status: 'active' });
    expect(body.operator_no).toMatch(/^P[0-9A-Z]{13}$/);
    expect(body.token).toMatch(/^op_[A-Za-z0-9_-]{43}$/);
    const { token, ...shown } = body;
    expect((await api.call('GET', `/operators/${body.operator_no}`)).body).toEqual(shown);
    const everything = JSON.stringify([
      (await api.call('GET', '/operators')).body,
      (await api.call('GET', '/audit')).body,
      (await api.database.sql`select operator::text as row from operator`)[0]?.row,
    ]);
    expect(everything).not.toContain(token);
    expect(api.logged()).not.toContain(token);
  });

  it('is named in the audit log, beside root', async () => {
    const { token, operator_no } = await createOperator('Carl', 'admin');
    await api.call('POST', '/firms', { firm: 'carls' }, bearer(token));
    expect((await api.call('GET', '/audit?actor=Carl')).body.items).toMatchObject([
      { actor: 'Carl', action: 'firm.create', subject: 'carls' },
    ]);
    expect((await api.call('GET', `/audit?subject=${operator_no}`)).body.items).toMatchObject([
      { actor: 'root', action: 'operator.create', change: { name: 'Carl', role: 'admin' } },
    ]);
  });

  it('can see who they are, and so can root', async () => {
    const { token } = await createOperator('Dora', 'finance');
    expect((await api.call('GET', '/me', undefined, bearer(token))).body).toEqual({
      name: 'Dora',
      role: 'finance',
      permissions: ['read', 'credit'],
    });
    expect((await api.call('GET', '/me')).body).toMatchObject({ name: 'root', role: 'admin' });
  });

  it('has another role from the moment it is changed', async () => {
    const { token, operator_no } = await createOperator('Emil', 'viewer');
    const create = () => api.call('POST', '/firms', { firm: 'emils' }, bearer(token));
    expect((await create()).body.code).toBe('not_permitted');
    expect((await api.call('PATCH', `/operators/${operator_no}`, { role: 'admin' })).body.role).toBe('admin');
    expect((await create()).status).toBe(201);
    expect(faultsOf(await api.call('PATCH', `/operators/${operator_no}`, { name: 'Else' }))).toEqual([
      '/name out_of_range',
    ]);
  });

  it('is refused permanently after the removal', async () => {
    const { token, operator_no } = await createOperator('Fred', 'admin');
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await api.call('DELETE', `/operators/${operator_no}`);
      expect([status, body.status]).toEqual([200, 'removed']);
    }
    const refused = await api.call('GET', '/me', undefined, bearer(token));
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_signature']);
    expect((await api.call('PATCH', `/operators/${operator_no}`, { role: 'viewer' })).status).toBe(404);
    const again = await api.call('POST', '/operators', { name: 'Fred', role: 'viewer' });
    expect([again.status, again.body.code]).toEqual([409, 'already_exists']);
    const names = (await api.call('GET', '/operators?status=removed')).body.items.map(
      (item: { name: string }) => item.name,
    );
    expect(names).toEqual(['Fred']);
  });

  it('needs a name that is free and a role that exists', async () => {
    expect(faultsOf(await api.call('POST', '/operators', { name: 'root', role: 'king', token: 'x' }))).toEqual([
      '/name out_of_range',
      '/role out_of_range',
      '/token unknown_field',
    ]);
    expect(faultsOf(await api.call('POST', '/operators', {}))).toEqual(['/name required', '/role required']);
    expect((await api.call('GET', '/operators/P0000000000000')).status).toBe(404);
    expect((await api.call('DELETE', '/operators/P0000000000000')).status).toBe(404);
  });
});

describe('the roles', () => {
  /** As the contract has it, written anew: the table of the code must not be its own judge. */
  const isAllowed = (role: string, method: string, path: string): boolean => {
    if (role === 'admin' || method === 'GET') return true;
    // Reads what it is sent, and stores nothing.
    if (path === '/templates/preview') return true;
    if (role === 'support')
      return /\/(resolve|views|reveal)$/.test(path) || `${method} ${path}` === 'PATCH /customers/{customer_no}';
    if (role === 'finance') return path.endsWith('/topups') || path.endsWith('/adjustments');
    return false;
  };

  it.each(['admin', 'support', 'finance', 'viewer'])('let %s make every call of theirs and no other', async (role) => {
    const { token } = await createOperator(`the ${role}`, role);
    const { operations } = createOperatorApi(api.deps);
    expect(operations.length).toBeGreaterThan(40);
    for (const { method, path } of operations) {
      const short = path.replace('/operator/v1', '');
      // Nothing is named that exists, so that calls which are let in do nothing.
      const url = short.replaceAll(/\{\w+\}/g, 'X0000000000000');
      const answer = await api.call(
        method,
        url,
        method === 'GET' || method === 'DELETE' ? undefined : {},
        bearer(token),
      );
      const isRefused = answer.body.code === 'not_permitted';
      expect({ call: `${method} ${short}`, isRefused }).toEqual({
        call: `${method} ${short}`,
        isRefused: !isAllowed(role, method, short),
      });
      if (isRefused) expect(answer.status).toBe(403);
    }
  });

  it('let support suspend a customer, and change nothing else of it', async () => {
    const { customer_no } = (await api.call('POST', '/customers', { name: 'Shop', unit_price: '1' })).body;
    const { token } = await createOperator('Gina', 'support');
    const change = (body: object) => api.call('PATCH', `/customers/${customer_no}`, body, bearer(token));
    expect((await change({ status: 'suspended' })).body.status).toBe('suspended');
    const more = await change({ status: 'active', unit_price: '0' });
    expect([more.status, more.body.code]).toEqual([403, 'not_permitted']);
    expect((await api.call('GET', `/customers/${customer_no}`)).body).toMatchObject({
      status: 'suspended',
      unit_price: '1.000000',
    });
    expect((await change({ status: 'active' })).body.status).toBe('active');
  });

  it('are in the reference, for every call', async () => {
    const document = (await api.app.inject({ url: '/openapi.json' })).json();
    for (const [path, methods] of Object.entries<Record<string, { 'x-roles'?: string[] }>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const short = path.replace('/operator/v1', '');
        const expected = ['admin', 'support', 'finance', 'viewer'].filter((role) =>
          isAllowed(role, method.toUpperCase(), short),
        );
        expect({ call: `${method} ${short}`, roles: operation['x-roles'] }).toEqual({
          call: `${method} ${short}`,
          roles: expected,
        });
      }
    }
  });
});

describe('guessing tokens', () => {
  const guess = async (token: string, remoteAddress: string): Promise<Answer> => {
    const answer = await api.app.inject({ url: '/operator/v1/me', headers: bearer(token), remoteAddress });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };

  it('is slowed down after many, ever more, and only where it comes from', async () => {
    const address = '192.0.2.7';
    for (let time = 0; time < FREE_FAILURES; time += 1) {
      expect((await guess(`wrong-${time}`, address)).status).toBe(401);
    }
    const slowed = await guess('wrong', address);
    expect([slowed.status, slowed.body.code, slowed.headers['retry-after']]).toEqual([429, 'rate_limited', '1']);
    expect(slowed.headers['ratelimit-policy']).toBe(`"wrong tokens";q=${FREE_FAILURES};w=3600`);
    // The right token passes: wrong ones from a shared address lock nobody out.
    expect((await guess(OPERATOR_TOKEN, address)).status).toBe(200);
    expect((await guess('wrong', address)).status).toBe(429);
    expect((await guess(OPERATOR_TOKEN, '192.0.2.8')).status).toBe(200);
    api.clock.nowMs += 1_000;
    expect((await guess('wrong', address)).status).toBe(401);
    expect((await guess('wrong', address)).headers['retry-after']).toBe('2');
    api.clock.nowMs += 2_000;
    expect((await guess(OPERATOR_TOKEN, address)).status).toBe(200);
  });

  it('waits at most a quarter of an hour, and is forgotten after an hour of silence', () => {
    let nowMs = 0;
    const guard = createGuessGuard(() => nowMs);
    const waits: number[] = [];
    for (let time = 0; time < FREE_FAILURES + 15; time += 1) {
      guard.fail('a');
      waits.push(guard.waitMs('a'));
      nowMs += guard.waitMs('a');
    }
    expect(waits.slice(0, FREE_FAILURES - 1).every((wait) => wait === 0)).toBe(true);
    expect(waits.slice(FREE_FAILURES - 1, FREE_FAILURES + 3)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(Math.max(...waits)).toBe(900_000);
    nowMs += 3_600_000;
    guard.fail('a');
    expect(guard.waitMs('a')).toBe(0);
  });

  it('counts a whole network of IPv6 as one address, and remembers a bounded number of them', () => {
    const guard = createGuessGuard(() => 0);
    for (let host = 1; host <= FREE_FAILURES; host += 1) guard.fail(`2001:db8:1:2::${host}`);
    expect(guard.waitMs('2001:db8:1:2:3:4:5:6')).toBe(1_000);
    expect(guard.waitMs('2001:db8:1:3::1')).toBe(0);
    for (let network = 0; network < 10_000; network += 1) guard.fail(`10.0.${network >> 8}.${network & 255}`);
    expect(guard.waitMs('2001:db8:1:2::1')).toBe(0);
  });
});
