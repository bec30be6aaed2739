import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBuiltConsole } from '../../src/http/console/built-files.js';
import { type HttpService, startHttpService } from '../support/http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.stop());

test('the address that the service prints leads to the console', async () => {
  const { statusCode, headers } = await service.app.inject({ url: '/' });
  expect([statusCode, headers.location]).toEqual([302, '/console/']);
});

test.each([
  '/console/',
  '/console',
  '/console/overview',
  '/console/tasks/T1?tab=receipts',
  '/console/numbers/%2B8613800138000',
  '/console/statements/2026-11',
  '/console/operator/customers/C1',
])('%s is answered with the page', async (url) => {
  const { statusCode, headers, body } = await service.app.inject({ url });
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).toContain('<div id="root">');
});

test('nothing is allowed inline, from elsewhere, or in a frame', async () => {
  const answer = await service.app.inject({ url: '/console/' });
  const policy = String(answer.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  const [, nonce] = /'nonce-([\w-]+)'/.exec(policy) ?? [];
  expect(answer.body).toContain(`nonce="${nonce}"`);
  const again = await service.app.inject({ url: '/console/' });
  expect(again.headers['content-security-policy']).not.toBe(policy);
  expect(answer.headers['cache-control']).toBe('no-store');
});

test('the page names no other host', async () => {
  const built = readBuiltConsole();
  expect(built).toBeDefined();
  expect(built?.page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

describe('files', () => {
  async function findFile(extension: string): Promise<string> {
    const { body } = await service.app.inject({ url: '/console/' });
    const match = new RegExp(`/console/assets/[\\w.-]+\\.${extension}`).exec(body);
    if (match === null) throw new Error(`the page loads no ${extension}`);
    return match[0];
  }

  test('are kept by browsers for good, since their names change with their content', async () => {
    const { statusCode, headers } = await service.app.inject({ url: await findFile('js') });
    expect(statusCode).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  test('are compressed for those who can read it, and the same for those who cannot', async () => {
    const url = await findFile('css');
    const plain = await service.app.inject({ url });
    const small = await service.app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(small.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(small.rawPayload)).toEqual(plain.rawPayload);
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(plain.headers.vary).toBe('accept-encoding');
  });

  test('are not sent again to who has them', async () => {
    const url = await findFile('js');
    const first = await service.app.inject({ url });
    const again = await service.app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('of another build are missing, not the page in disguise', async () => {
    const { statusCode } = await service.app.inject({ url: '/console/assets/index-00000000.js' });
    expect(statusCode).toBe(404);
  });

  test.each(['/console/../package.json', '/console/%2e%2e/%2e%2e/package.json', '/console/..%2fpackage.json'])(
    '%s leads out of nothing',
    async (url) => {
      const { body } = await service.app.inject({ url });
      expect(body).not.toContain('"dependencies"');
    },
  );
});
