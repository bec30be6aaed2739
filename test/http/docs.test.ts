// How the documentation is served: under a strict policy, and with the demo's values for those who may see them only.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedDocumentation, serveDocumentation } from '../support/documentation.js';

const demo = { url: 'http://127.0.0.1:9', api_key: 'pk_demo', api_secret: 'sk_demo<&>', template_no: 'M_DEMO' };
const CALLS = '/docs/api/customer/messages';

let docs: ServedDocumentation;
beforeAll(async () => {
  docs = await serveDocumentation(async () => demo);
});
afterAll(() => docs.stop());

test('the documentation begins with the first message', async () => {
  const page = await docs.app.inject({ url: '/docs' });
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.body).toContain('The first message');
});

test('no page runs or shows what is not ours, and none can be framed', async () => {
  for (const url of ['/docs', CALLS, '/docs/nowhere', '/docs/assets/page.js']) {
    const policy = String((await docs.app.inject({ url })).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
  }
});

test('an address that does not exist is answered with a page that leads on', async () => {
  const answer = await docs.app.inject({ url: '/docs/guides/nothing' });
  expect(answer.statusCode).toBe(404);
  expect(answer.body).toContain('There is no such page');
});

test('other methods are refused', async () => {
  const answer = await docs.app.inject({ method: 'POST', url: '/docs/guides/receipts' });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('a file that has not changed is not sent again', async () => {
  const first = await docs.app.inject({ url: '/docs/assets/style.css' });
  expect(first.headers['content-type']).toBe('text/css; charset=utf-8');
  const headers = { 'if-none-match': String(first.headers.etag) };
  const again = await docs.app.inject({ url: '/docs/assets/style.css', headers });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('a program among the examples is shown as text', async () => {
  const answer = await docs.app.inject({ url: '/docs/files/signing/call.py' });
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(answer.body).toContain('def call(');
});

describe('the key of the demo', () => {
  const read = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    docs.app.inject({ url: CALLS, headers, remoteAddress });

  test('is in the examples that a person at this machine reads', async () => {
    for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080']) {
      const { body, headers } = await read({ host });
      expect(body).toContain('pk_demo');
      expect(body).toContain('sk_demo&lt;&amp;&gt;');
      expect(body).toContain('M_DEMO');
      expect(headers['cache-control']).toBe('no-store');
    }
    expect((await read({ host: 'localhost' }, '::1')).body).toContain('pk_demo');
  });

  test.each([
    ['another machine', { host: '127.0.0.1:8080' }, '192.0.2.7'],
    ['a name that was made to lead here', { host: 'evil.example:8080' }, '127.0.0.1'],
    ['a name that begins like ours', { host: '127.0.0.1.evil.example' }, '127.0.0.1'],
    ['a proxy on this machine', { host: '127.0.0.1:8080', 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1'],
    ['nginx as it comes, which rewrites Host', { host: '127.0.0.1:8080', connection: 'close' }, '127.0.0.1'],
    ['a proxy that only says it is one', { host: '127.0.0.1:8080', via: '1.1 proxy' }, '127.0.0.1'],
  ])('is not shown to %s', async (_, headers, address) => {
    const { body } = await read(headers, address);
    expect(body).not.toMatch(/[ps]k_demo|M_DEMO/);
    expect(body).toContain('YOUR_API_KEY');
  });
});

describe('the language', () => {
  const enter = (headers: Record<string, string>, url = '/docs') => docs.app.inject({ url, headers });

  test.each([
    ['zh-CN,zh;q=0.9,en;q=0.8', '/docs/zh'],
    ['zh', '/docs/zh'],
    ['fr,zh-TW;q=0.5', '/docs/zh'],
    ['en-US,en;q=0.9,zh-CN;q=0.8', undefined],
    ['en;q=0.5,zh;q=0.5', undefined],
    ['zh;q=0', undefined],
    ['fr', undefined],
    ['', undefined],
  ])('of the entrance is that of the browser: %s', async (accepted, location) => {
    const answer = await enter({ 'accept-language': accepted });
    expect([answer.statusCode, answer.headers.location]).toEqual(
      location === undefined ? [200, undefined] : [302, location],
    );
    expect(answer.headers.vary).toBe('accept-language, cookie');
  });

  test('of a page other than the entrance is that of its address', async () => {
    const answer = await enter({ 'accept-language': 'zh-CN' }, '/docs/guides/receipts');
    expect([answer.statusCode, answer.body.includes('<html lang="en">')]).toEqual([200, true]);
  });

  test('that was chosen is remembered, against that of the browser', async () => {
    const browser = { 'accept-language': 'zh-CN' };
    const chosen = await enter(browser, '/docs?lang=en');
    expect(chosen.statusCode).toBe(200);
    const [cookie = ''] = String(chosen.headers['set-cookie']).split(';');
    expect((await enter({ ...browser, cookie: `other=1; ${cookie}` })).statusCode).toBe(200);
    const back = await enter({ cookie }, '/docs/zh/guides/receipts?lang=zh');
    expect(back.body).toContain('<html lang="zh-Hans">');
    const [again = ''] = String(back.headers['set-cookie']).split(';');
    expect((await enter({ cookie: again })).headers.location).toBe('/docs/zh');
  });

  test('cannot be chosen among others than those there are', async () => {
    const answer = await enter({}, '/docs?lang=zh%0d%0aset-cookie:x');
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([200, undefined]);
  });

  test('of a page that does not exist is that of its address', async () => {
    const answer = await enter({}, '/docs/zh/guides/nothing');
    expect([answer.statusCode, answer.body.includes('页面不存在')]).toEqual([404, true]);
  });
});
