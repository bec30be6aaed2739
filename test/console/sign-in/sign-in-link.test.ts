import { randomBytes } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBodies } from '../../../src/http/body/bodies.js';
import { CODE_LIFETIME_MS, createSignInCodes, type SignInCodes } from '../../../src/http/console/sign-in-codes.js';
import { registerSignIn } from '../../../src/http/console/sign-in-route.js';
import { createErrorHandler } from '../../../src/http/error-handler.js';
import { DEFAULT_LIMITS } from '../../../src/http/server.js';

const CUSTOMER = { side: 'customer', userNo: 'N_1' } as const;

let nowMs = 0;
let codes: SignInCodes;
let app: FastifyInstance;
let isKnown = true;

beforeEach(async () => {
  nowMs = 1_000_000;
  isKnown = true;
  codes = createSignInCodes({ now: () => nowMs, randomBytes });
  app = fastify();
  app.setErrorHandler(createErrorHandler(() => {}));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  registerSignIn(app, codes, createBodies(DEFAULT_LIMITS), async (_, grant) => (isKnown ? grant : undefined));
  await app.ready();
});
afterEach(() => app.close());

interface Caller {
  readonly remoteAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function exchange(code: string, { remoteAddress = '127.0.0.1', headers = {} }: Caller = {}) {
  return app.inject({
    method: 'POST',
    url: '/console/sign-in',
    remoteAddress,
    headers: { 'content-type': 'application/json', host: '127.0.0.1:8080', ...headers },
    payload: JSON.stringify({ code }),
  });
}

test('a code signs in the user it stands for', async () => {
  const answer = await exchange(await codes.issue(CUSTOMER));
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual(CUSTOMER);
  const operator = await exchange(await codes.issue({ side: 'operator', userNo: 'N_2' }));
  expect(operator.json()).toEqual({ side: 'operator', userNo: 'N_2' });
});

test('a code works once', async () => {
  const code = await codes.issue(CUSTOMER);
  await exchange(code);
  const again = await exchange(code);
  expect(again.statusCode).toBe(404);
  expect(again.body).not.toContain('N_1');
});

test('a code of a user who may not sign in is refused', async () => {
  isKnown = false;
  expect((await exchange(await codes.issue(CUSTOMER))).statusCode).toBe(404);
});

test('a code expires', async () => {
  const code = await codes.issue(CUSTOMER);
  nowMs += CODE_LIFETIME_MS;
  expect((await exchange(code)).statusCode).toBe(404);
});

test('codes are long, and none is like another', async () => {
  const issued = new Set(await Promise.all(Array.from({ length: 50 }, () => codes.issue(CUSTOMER))));
  expect(issued.size).toBe(50);
  for (const code of issued) expect(code).toMatch(/^[\w-]{43}$/);
});

test.each(['', 'guess', '{}'])('%j is no code', async (code) => {
  await codes.issue(CUSTOMER);
  expect((await exchange(code)).statusCode).toBe(404);
});

describe('only this machine is let in', () => {
  const others: readonly (readonly [string, Caller])[] = [
    ['another machine', { remoteAddress: '192.168.1.20' }],
    ['another machine by IPv6', { remoteAddress: '2001:db8::1' }],
    ['a proxy on this machine', { headers: { 'x-forwarded-for': '203.0.113.9' } }],
    ['a proxy that says so the standard way', { headers: { forwarded: 'for=203.0.113.9' } }],
    ['a foreign name that points here', { headers: { host: 'evil.example:8080' } }],
    ['a page of another origin', { headers: { origin: 'https://evil.example' } }],
    ['a page of another site on this machine', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ];
  test.each(others)('not %s', async (_, caller) => {
    const code = await codes.issue(CUSTOMER);
    const refused = await exchange(code, caller);
    expect(refused.statusCode).toBe(404);
    expect(refused.body).not.toContain('N_1');
    // Who may not use it cannot use it up either.
    expect((await exchange(code)).statusCode).toBe(200);
  });

  test.each(['::1', '127.0.0.1', '::ffff:127.0.0.1'])('%s is this machine', async (remoteAddress) => {
    expect((await exchange(await codes.issue(CUSTOMER), { remoteAddress })).statusCode).toBe(200);
  });

  test.each(['localhost:8080', '[::1]:8080', '127.0.0.1'])('and %s its name', async (host) => {
    expect((await exchange(await codes.issue(CUSTOMER), { headers: { host } })).statusCode).toBe(200);
  });
});

test('a form of another page cannot post a code', async () => {
  const code = await codes.issue(CUSTOMER);
  const answer = await exchange(code, { headers: { 'content-type': 'text/plain' } });
  expect(answer.statusCode).toBe(415);
});
