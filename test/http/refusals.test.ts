// While the event loop is busy, answers to requests that are one too many wait: a caller that asks again at once then asks less often.

import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { errorText } from '../../src/domain/fault/error-text.js';
import { createErrorHandler } from '../../src/http/error-handler.js';
import { rateLimitHeaders } from '../../src/http/limits/rate-limit.js';
import { Problem } from '../../src/http/problem/problem.js';
import { rateLimited } from '../../src/http/problem/rate-limited.js';

/** Sends requests in this order, and returns their statuses in the order of the answers. */
async function answersOf(load: number, paths: readonly string[]): Promise<number[]> {
  const app = fastify();
  app.setErrorHandler(createErrorHandler(expect.fail, () => load));
  app.get('/refused', async () => {
    throw rateLimited(errorText('calls_open', { max: 3 }), { name: 'open calls', count: 3 }, 1);
  });
  app.get('/invalid', async () => {
    throw new Problem('invalid_request', errorText('not_http_here'));
  });
  await app.ready();
  const statuses: number[] = [];
  await Promise.all(
    paths.map(async (url) => {
      const { statusCode, headers } = await app.inject(url);
      expect(headers['retry-after']).toBe(statusCode === 429 ? '1' : undefined);
      statuses.push(statusCode);
    }),
  );
  await app.close();
  return statuses;
}

test('a refusal says what is limited, unless the answer has the quota of the customer', async () => {
  const app = fastify();
  app.setErrorHandler(createErrorHandler(expect.fail));
  for (const [path, quota] of [
    ['/refused', {}],
    ['/of-customer', rateLimitHeaders({ allowed: true, perSecond: 9, remaining: 8 })],
  ] as const) {
    app.get(path, async (_, reply) => {
      reply.headers(quota);
      throw rateLimited(errorText('calls_open', { max: 3 }), { name: 'open calls', count: 3 }, 2);
    });
  }
  const headersOf = async (path: string) => (await app.inject(path)).headers;
  expect(await headersOf('/refused')).toMatchObject({
    'retry-after': '2',
    'ratelimit-policy': '"open calls";q=3',
    ratelimit: '"open calls";r=0;t=2',
  });
  expect(await headersOf('/of-customer')).toMatchObject({
    'retry-after': '2',
    'ratelimit-policy': '"default";q=9;w=1',
    ratelimit: '"default";r=8;t=1',
  });
  await app.close();
});

test('a refusal is answered at once while the loop has time', async () => {
  expect(await answersOf(0.5, ['/refused', '/invalid'])).toEqual([429, 400]);
});

test('on a busy loop a refusal waits, other answers do not', async () => {
  expect(await answersOf(0.9, ['/refused', '/invalid', '/invalid'])).toEqual([400, 400, 429]);
});

test('no more than a hundred refusals wait', async () => {
  const refused = Array.from({ length: 101 }, () => '/refused');
  const statuses = await answersOf(0.9, [...refused, '/invalid']);
  expect(statuses.indexOf(400)).toBe(1);
  expect(statuses).toHaveLength(102);
});
