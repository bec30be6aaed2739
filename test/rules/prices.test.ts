// Price lists and costs, from the operator's call to the ledger, the statement and the margin.

import { PostriderError } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

async function faultsOf(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PostriderError)) throw new Error('the call was not refused');
  return [error.code, ...error.errors.map(({ pointer, code }) => `${pointer} ${code}`)];
}

async function pricesOf(customer: ServiceCustomer, phones: readonly string[]): Promise<Record<string, string | null>> {
  const { task_no: taskNo } = await customer.send(phones);
  await customer.completed(taskNo);
  const { items } = await customer.client.receipts({ taskNo }).page();
  return Object.fromEntries(items.map(({ phone, price }) => [phone, price]));
}

describe('a price list', () => {
  it('chooses by prefix and date, in the preview as when preparing', async () => {
    const customer = await service.addCustomer();
    const { operator } = service;
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', unit_price: '0.04' });
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', prefix: '86138', unit_price: '0.03' });
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', prefix: '861390', unit_price: '0.02' });
    const upcoming = { firm: 'cmcc', unit_price: '0.5', valid_from: inSeconds(3600) };
    await operator.createPrice(customer.customerNo, upcoming);
    const phones = ['13800138000', '13900138000', '13700138000'];
    const preview = await customer.client.preview({ template_no: customer.templateNo, phones });
    expect(preview.firms.map(({ unit_price, numbers, price }) => [unit_price, numbers, price])).toEqual([
      ['0.030000', 1, '0.030000'],
      ['0.020000', 1, '0.020000'],
      ['0.040000', 1, '0.040000'],
    ]);
    expect(preview.price).toBe('0.090000');
    expect(await pricesOf(customer, phones)).toEqual({
      '13800138000': '0.030000',
      '13900138000': '0.020000',
      '13700138000': '0.040000',
    });
    const { items } = await operator.prices(customer.customerNo).page();
    expect(items.map(({ prefix, unit_price }) => [prefix, unit_price])).toEqual([
      [null, '0.040000'],
      [null, '0.500000'],
      ['86138', '0.030000'],
      ['861390', '0.020000'],
    ]);
    const statement = await customer.client.statement(new Date().toISOString().slice(0, 7));
    expect(statement.prices.map(({ unit_price, numbers, charged }) => [unit_price, numbers, charged])).toEqual([
      ['0.020000', 1, '0.020000'],
      ['0.030000', 1, '0.030000'],
      ['0.040000', 1, '0.040000'],
    ]);
  });

  it('prices one-time passwords by their class', async () => {
    const customer = await service.addCustomer();
    const { operator } = service;
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', unit_price: '0.04' });
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', class: 'otp', unit_price: '0.07' });
    const { template_no } = await operator.createTemplate(customer.customerNo, {
      name: 'Code',
      body: 'Code 1234',
      class: 'otp',
      service_account_no: customer.serviceAccountNo,
    });
    const phones = ['13800138000'];
    expect((await customer.client.preview({ template_no, phones })).price).toBe('0.070000');
    expect(await pricesOf(customer, phones)).toEqual({ '13800138000': '0.040000' });
    const { task_no: taskNo } = await customer.send(phones, { template_no });
    expect((await customer.completed(taskNo)).amounts.charged).toBe('0.070000');
    const { items } = await operator.statistics({ by: 'class' });
    expect(items.find(({ key }) => key === 'otp')).toMatchObject({ numbers: 1, charged: '0.070000' });
  });

  it('takes a new price from its moment on, and shows only what holds', async () => {
    const customer = await service.addCustomer();
    const { operator } = service;
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', unit_price: '0.04' });
    expect(await faultsOf(operator.createPrice(customer.customerNo, { firm: 'cmcc', unit_price: '0.04' }))).toEqual([
      'already_exists',
    ]);
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', unit_price: '0.05' });
    expect(await pricesOf(customer, ['13800138000'])).toEqual({ '13800138000': '0.050000' });
    await operator.createPrice(customer.customerNo, { firm: 'cmcc', unit_price: '0.06', valid_from: inSeconds(0) });
    expect(await pricesOf(customer, ['13800138000'])).toEqual({ '13800138000': '0.060000' });
    const { items } = await operator.prices(customer.customerNo).page();
    expect(items.map(({ unit_price }) => unit_price)).toEqual(['0.060000']);
  });

  it('names every fault at once', async () => {
    const customer = await service.addCustomer();
    const wrong = { firm: 'cmcc', class: 'spam', prefix: '0x', unit_price: '-1', valid_from: '2020-01-01T00:00:00Z' };
    expect(await faultsOf(service.operator.createPrice(customer.customerNo, wrong as never))).toEqual([
      'invalid_request',
      '/class out_of_range',
      '/prefix format',
      '/unit_price out_of_range',
      '/valid_from out_of_range',
    ]);
  });
});

describe('costs', () => {
  it('make the margin by day, customer, channel, firm and class', async () => {
    const { operator } = service;
    const channelNo = await service.addChannel(['cmcc']);
    const customer = await service.addCustomer({ channelNos: [channelNo], refund_on_failure: true });
    await operator.createCost(channelNo, { firm: 'cmcc', unit_price: '0.01' });
    await operator.createCost(channelNo, { firm: 'cmcc', prefix: '86139', unit_price: '0.02' });
    // The second is undelivered and refunded; the third is refused by the upstream and costs nothing.
    const { task_no: taskNo } = await customer.send(['13900138000', '13800139002', '13800139003', 'nonsense']);
    await customer.completed(taskNo);
    const sums = {
      currency: 'CNY',
      delivered: 1,
      charged: '0.100000',
      refunded: '0.050000',
      cost: '0.030000',
      margin: '0.020000',
    };
    const of = async (by: 'customer' | 'channel') => (await operator.statistics({ by })).items;
    expect((await of('customer')).find(({ key }) => key === customer.customerNo)).toMatchObject({
      ...sums,
      numbers: 4,
    });
    expect((await of('channel')).find(({ key }) => key === channelNo)).toMatchObject({ ...sums, numbers: 3, parts: 3 });
    const [byTemplate] = (await operator.statistics({ by: 'template' })).items.filter(
      ({ key }) => key === customer.templateNo,
    );
    // Of templates no more is kept than what was charged.
    expect(byTemplate).toMatchObject({ numbers: 4, charged: '0.100000', refunded: null, cost: null, margin: null });
    for (const by of ['day', 'firm', 'class', 'template'] as const) {
      const { items } = await operator.statistics({ by });
      const numbers = items.reduce((sum, item) => sum + item.numbers, 0);
      const all = (await of('customer')).reduce((sum, item) => sum + item.numbers, 0);
      expect([by, numbers]).toEqual([by, all]);
    }
    const before = { startAt: new Date(0), endAt: new Date(Date.UTC(2020, 0)) };
    expect((await operator.statistics({ by: 'firm', ...before })).items).toEqual([]);
    const { items } = await operator.costs(channelNo).page();
    expect(items.map(({ unit_price }) => unit_price)).toEqual(['0.010000', '0.020000']);
  });
});
