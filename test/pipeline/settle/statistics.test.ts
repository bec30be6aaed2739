// What the statistics say was charged, held against the ledger, under all terms there are and all ends that numbers come to.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOf, type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_UNKNOWN_TIMEOUT: '1s', POSTRIDER_RECEIPT_TIMEOUT: '3s' } });
});
afterAll(() => service.stop());

const millionths = (amount: string) => BigInt(amount.replace('.', ''));

test.each([
  { charge_on: 'submit', refund_on_failure: false },
  { charge_on: 'submit', refund_on_failure: true },
  { charge_on: 'delivery', refund_on_failure: false },
] as const)('%o', async (terms) => {
  const customer = await service.addCustomer(terms);
  const { client } = customer;
  // Every fate of the simulator that ends, a number that is none and one that comes twice.
  const phones = [1, 2, 3, 4, 5, 6, 7].map((fate) => `1381111900${fate}`);
  const tasks = [
    await customer.send([...phones, 'nobody', '13811119001']),
    await customer.send(['13811119001', '13811119002']),
  ];
  for (const { task_no } of tasks) await customer.completed(task_no);

  const entries = await allOf(client.ledgers());
  const charged = entries
    .filter(({ type }) => type === 'charge')
    .reduce((sum, { amount }) => sum + millionths(amount), 0n);
  const receipts = await allOf(client.receipts());
  for (const by of ['day', 'template', 'firm', 'code'] as const) {
    const { items } = await client.statistics({ by });
    expect(
      items.reduce((sum, item) => sum + millionths(item.charged), 0n),
      by,
    ).toBe(charged);
    expect(
      items.reduce((sum, { total }) => sum + total, 0),
      by,
    ).toBe(receipts.length);
  }
  const byCode = (await client.statistics({ by: 'code' })).items;
  for (const { key, total } of byCode) expect(total).toBe(receipts.filter(({ code }) => code === key).length);

  const month = new Date().toISOString().slice(0, 7);
  const statement = await client.statement(month);
  const { available, frozen } = await client.account();
  expect(statement.closing).toEqual({ available, frozen });
  expect(millionths(statement.entries.charge.amount)).toBe(charged);
  expect(statement.firms.reduce((sum, item) => sum + millionths(item.charged), 0n)).toBe(charged);
});

test('the worker updates the sums', async () => {
  const customer = await service.addCustomer();
  const { task_no } = await customer.send(['13811119001']);
  await customer.completed(task_no);
  await until(async () => {
    const rows = await service.sql`
      select from receipt_sum s join customer c on c.customer_id = s.customer_id
      where c.customer_no = ${customer.customerNo} and series = 'all' and grain = 'hour'`;
    return rows.length > 0;
  });
});
