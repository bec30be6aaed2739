// What a key may be used for.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { credentialContext } from '../../src/store/secrets/seal.js';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';

let service: HttpService;
let ann: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
});
afterAll(() => service.stop());

async function addKey(...scopes: string[]): Promise<TestCustomer> {
  const apiKey = `pk_${scopes.join('_')}`;
  const sealed = service.sealer.seal(ann.secret, credentialContext(ann.customerId, apiKey));
  await service.change(
    (sql, version) => sql`
      insert into credential (api_key, customer_id, secret_sealed, scopes, status, version)
      values (${apiKey}, ${ann.customerId}, ${sealed}, ${scopes}, 'active', ${version})`,
  );
  return { ...ann, apiKey };
}

/** As the contract has it, written anew: the table of the code must not be its own judge. */
function scopeFor(method: string, path: string): string {
  const [, , , area] = path.split('/');
  if (area === 'finance' || area === 'webhooks') return area;
  if (area === 'credentials' || area === 'users') return 'admin';
  return method === 'GET' ? 'read' : 'send';
}

it.each(['send', 'read', 'finance', 'webhooks', 'admin'])(
  'a key for %s is let in to that and nothing else',
  async (scope) => {
    const key = await addKey(scope);
    const { operations } = createCustomerApi({} as never);
    expect(operations.length).toBeGreaterThan(15);
    for (const { method, path } of operations) {
      const target = path.replaceAll(/\{\w+\}/g, 'T0000000000000');
      const { status, body } = await service.call(key, target, method === 'GET' ? {} : { method, body: {} });
      const isRefused = body.code === 'not_permitted';
      expect({ call: `${method} ${path}`, isRefused }).toEqual({
        call: `${method} ${path}`,
        isRefused: scopeFor(method, path) !== scope,
      });
      if (isRefused) expect(status).toBe(403);
    }
  },
);

it('a key for several does each of them, and the refusal says what is missing', async () => {
  const key = await addKey('read', 'finance');
  expect((await service.call(key, '/openapi/v1/finance/account/')).status).toBe(200);
  expect((await service.call(key, '/openapi/v1/messages/tasks/')).status).toBe(200);
  const { body } = await service.call(key, '/openapi/v1/messages/send/', { body: {} });
  expect(body.detail).toBe('This takes a credential with the scope send; this one has read, finance.');
});

it('a key that was made before there were scopes may do everything', async () => {
  const body = { template_no: ann.templateNo, phones: ['13800138000'] };
  expect((await service.call(ann, '/openapi/v1/messages/send/', { body })).status).toBe(200);
  expect((await service.call(ann, '/openapi/v1/finance/account/')).status).toBe(200);
});

it('whose signature is wrong learns nothing of the scopes', async () => {
  const key = await addKey('webhooks', 'send');
  const { status } = await service.call(key, '/openapi/v1/finance/account/', { secret: 'wrong' });
  expect(status).toBe(401);
});
