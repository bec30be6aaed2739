// Customers are found by the beginning of their name among any number of them, at the cost of a page.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { listCustomers } from '../../../src/store/operator/customer.js';
import { connectExplainer, type Explainer } from '../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const SMALL = 3_000;
const LARGE = 15_000;

let database: TestDatabase;
let explainer: Explainer;
beforeAll(async () => {
  database = await createTestDatabase();
  explainer = connectExplainer(database.address);
});
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

let count = 0;
async function addCustomers(names: readonly string[]): Promise<void> {
  const { sql } = explainer;
  const first = count + 1;
  count += names.length;
  await sql`
    insert into customer (customer_id, customer_no, name, status, currency, billing_mode, credit_limit, charge_on,
      refund_on_failure, unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version)
    overriding system value
    select ${first} + i - 1, 'C' || (${first} + i - 1), name, case i % 5 when 0 then 'suspended' else 'active' end, 'CNY',
      'prepaid', 0, 'submit', false, 0, 'always', 'always', 'always', 1, 1
    from unnest(${names as string[]}::text[]) with ordinality as given (name, i)`;
  await sql`
    insert into account (customer_id, bucket)
    select customer_id, bucket from customer where customer_id >= ${first}`;
  await sql.unsafe('vacuum analyze');
}

const shops = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => `${index % 2 === 0 ? 'Shop' : 'shop'} ${from + index}`);

async function readAll(nameStart: string, status?: string): Promise<string[]> {
  const list = listCustomers(explainer.sql, { nameStart, status });
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const rows = await list.rows({ after, offset: 0, limit: 100 });
    names.push(...rows.map(({ terms }) => terms.name));
    const last = rows.at(-1);
    if (last === undefined) return names;
    after = list.keyOf(last);
  }
}

it('reads as many pages of a large table as of a small one', { timeout: 120_000 }, async () => {
  const measure = async () => {
    const list = listCustomers(explainer.sql, { nameStart: 'SHOP' });
    const first = await explainer.explain(() => list.rows({ after: undefined, offset: 0, limit: 21 }));
    const deep = await explainer.explain(() => list.rows({ after: '1500', offset: 0, limit: 21 }));
    const rare = await explainer.explain(() => listCustomers(explainer.sql, { nameStart: 'none' }).count(10_001));
    return [first.pages, deep.pages, rare.pages];
  };
  await addCustomers(shops(0, SMALL));
  const small = await measure();
  await addCustomers(shops(SMALL, LARGE));
  const large = await measure();
  for (const [at, pages] of large.entries()) expect(pages).toBeLessThan((small[at] ?? 0) * 1.5 + 40);
});

it('finds every name that begins so, once, in order, whatever its case and signs', { timeout: 60_000 }, async () => {
  const names = ['Ärzte', 'ärger', '北京短信', '北京', '100% fair', '100', '1000', 'a_b', 'acb', 'A_C'];
  await addCustomers(names);
  expect(await readAll('北京')).toEqual(['北京', '北京短信']);
  expect(await readAll('100%')).toEqual(['100% fair']);
  expect(await readAll('a_')).toEqual(['a_b', 'A_C']);
  expect(await readAll('SHOP 12')).toHaveLength(1 + 10 + 100 + 1000);
  const all = await readAll('shop');
  expect(new Set(all).size).toBe(LARGE);
  const lower = all.map((name) => name.toLowerCase());
  expect(lower).toEqual([...lower].sort());
  expect(await readAll('shop 1', 'suspended')).not.toHaveLength(0);
  expect(await listCustomers(explainer.sql, { nameStart: 'shop' }).count(100)).toBe(100);
});
