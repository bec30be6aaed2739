// Behind proxies the caller is who the trusted ones say. Others cannot claim an address.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';

const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;
beforeAll(async () => {
  service = await startHttpService({ trustedProxies: ['10.0.0.0/8', '::1'] });
  ann = await service.addCustomer('ann', { ipAllow: ['192.0.2.7'] });
});
afterAll(() => service.stop());

async function codeOf(remoteAddress: string, forwardedFor?: string): Promise<string> {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const { status, body } = await service.call(ann, TASKS, { remoteAddress, headers });
  return status === 200 ? 'allowed' : String(body.code);
}

describe('a credential allowed from 192.0.2.7', () => {
  it.each([
    ['192.0.2.7', undefined, 'allowed', 'a direct caller'],
    ['10.0.0.1', '192.0.2.7', 'allowed', 'a caller behind a trusted proxy'],
    ['::ffff:10.0.0.1', '192.0.2.7', 'allowed', 'the same over a socket of both families'],
    ['10.0.0.1', '192.0.2.7, 10.0.0.2', 'allowed', 'a chain of trusted proxies'],
    ['10.0.0.1', '192.0.2.7, 198.51.100.9', 'ip_not_allowed', 'a claim left of the rightmost untrusted address'],
    ['198.51.100.9', '192.0.2.7', 'ip_not_allowed', 'a claim from an address that is not trusted'],
    ['192.0.2.7', '198.51.100.9', 'allowed', 'a header from an address that is not trusted is ignored'],
    ['10.0.0.1', undefined, 'ip_not_allowed', 'the proxy itself'],
    ['10.0.0.1', 'nonsense', 'ip_not_allowed', 'a header that is no address'],
  ])(
    'from %s with X-Forwarded-For %s: %s (%s)',
    async (remoteAddress: string, forwardedFor: string | undefined, expected: string, _case: string) => {
      expect(await codeOf(remoteAddress, forwardedFor)).toBe(expected);
    },
  );
});
