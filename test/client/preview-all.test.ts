// What several requests come to together, through the client, from a real service.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';

let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer({ body: 'Hello' });
});
afterAll(() => service.stop());

const of = (...phones: string[]) => ({ template_no: customer.templateNo, phones });

test('positions go on from request to request, and everything adds up', async () => {
  const requests = [of('13900000010', 'nonsense'), of('13900000020'), of('13900000030', '13900000040', 'x')];
  const sum = await customer.client.previewAll(requests);
  const whole = await customer.client.preview(of(...requests.flatMap(({ phones }) => phones)));
  expect(sum).toEqual(whole);
  expect(sum).toMatchObject({ total: 6, sendable: 4, rejected: 2, price: '0.200000', affordable: true });
});

test('what the balance covers one by one and not together waits for money', async () => {
  const poor = await service.addCustomer({ body: 'Hello', balance: '0.1' });
  const requests = [1, 2, 3].map((at) => ({ template_no: poor.templateNo, phones: [`139000000${at}0`] }));
  const [first] = requests;
  if (first === undefined) throw new Error('there are three');
  expect(await poor.client.preview(first)).toMatchObject({ affordable: true });
  expect(await poor.client.previewAll(requests)).toMatchObject({ affordable: false, waits_for: 'funds' });
});

test('one request is its preview, and none is nothing', async () => {
  const request = of('13900000010');
  expect(await customer.client.previewAll([request])).toEqual(await customer.client.preview(request));
  expect(await customer.client.previewAll([])).toBeNull();
});
