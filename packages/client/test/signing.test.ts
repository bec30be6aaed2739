import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signRequest } from '../src/index.js';

const secret = 'sk_test_0123456789abcdef';

test('a query is signed as the first test vector says', async () => {
  const target = '/openapi/v1/messages/tasks/?page=1&page_size=20';
  expect(await signRequest(secret, { method: 'GET', target, timestampMs: 1794700800000, body: '' })).toBe(
    'bc6e94edc2c845ce7933892f66b007900f6d69ce9aaf6865b014260cb02f290f',
  );
});

test('a send is signed as the second test vector says', async () => {
  const body = '{"template_no":"T1","phones":["13800138000"]}';
  const target = '/openapi/v1/messages/send/';
  expect(await signRequest(secret, { method: 'POST', target, timestampMs: 1794700800000, body })).toBe(
    'b91ba3e84039fca5f35861cd5a4eff2b54c218345a0c4ef72f3d042aff8902cc',
  );
});

test('any body in any script is signed over its UTF-8 bytes', async () => {
  const check = fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), async (body, key) => {
    const hash = createHash('sha256').update(body, 'utf8').digest('hex');
    const expected = createHmac('sha256', key).update(`POST\n/x\n5\n${hash}`, 'utf8').digest('hex');
    expect(await signRequest(key, { method: 'POST', target: '/x', timestampMs: 5, body })).toBe(expected);
  });
  await fc.assert(check, { numRuns: 100 });
});
