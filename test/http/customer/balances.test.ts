// Balances over time against the entries of the ledger.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

const BALANCES = '/openapi/v1/finance/balances/';
const UNIT_MS = { day: 86_400_000, hour: 3_600_000 };
const START_MS = Date.UTC(2025, 10, 1);

interface Entry {
  readonly ms: number;
  readonly available: number;
}

let service: HttpService;
let ann: TestCustomer;
let entries: readonly Entry[];

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
  // Many at one moment, as a batch writes them, and whole days without any.
  const step = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3 * UNIT_MS.day }), fc.constant(UNIT_MS.hour));
  const [steps = []] = fc.sample(fc.array(step, { minLength: 200, maxLength: 200 }), { numRuns: 1, seed: 5 });
  let ms = START_MS;
  entries = steps.map((stepMs, nth) => {
    ms += stepMs;
    return { ms, available: (nth + 1) * 1_000_000 };
  });
  const rows = entries.map(({ ms, available }, nth) => ({
    customer_id: ann.customerId,
    seq: nth + 1,
    type: 'topup',
    amount: 1_000_000,
    available_delta: 1_000_000,
    frozen_delta: 0,
    available_after: available,
    frozen_after: 7,
    created_at: new Date(ms),
  }));
  await service.sql`insert into ledger_entry ${service.sql(rows as never)}`;
});
afterAll(() => service.stop());

it.each(['day', 'hour'] as const)('by %s are what the last entry before each end left', async (by) => {
  const unitMs = UNIT_MS[by];
  const check = fc.asyncProperty(
    fc.integer({ min: START_MS - 5 * unitMs, max: entries.at(-1)?.ms ?? 0 }),
    fc.integer({ min: 0, max: 100 * unitMs }),
    async (from, length) => {
      const { status, body } = await service.call(ann, `${BALANCES}?by=${by}&start_at=${from}&end_at=${from + length}`);
      expect(status).toBe(200);
      const expected = [];
      for (let at = Math.floor(from / unitMs) * unitMs; at < from + length; at += unitMs) {
        const last = entries.findLast(({ ms }) => ms < at + unitMs);
        expected.push({
          key: new Date(at).toISOString().slice(0, by === 'day' ? 10 : undefined),
          available: `${(last?.available ?? 0) / 1_000_000}.000000`,
          frozen: last === undefined ? '0.000000' : '0.000007',
        });
      }
      expect(body.items).toEqual(expected);
    },
  );
  await fc.assert(check, { numRuns: 15 });
});

it('are those of the last 30 days where no time is given, today with what there is now, and none to come', async () => {
  const bob = await service.addCustomer('bob');
  const today = () => new Date().toISOString().slice(0, 10);
  const before = today();
  const { body } = await service.call(bob, BALANCES);
  expect(body.items).toHaveLength(30);
  expect([before, today()]).toContain(body.items.at(-1).key);
  const account = await service.call(bob, '/openapi/v1/finance/account/');
  expect(body.items.at(-1).available).toBe(account.body.available);
  const later = Date.now() + 5 * UNIT_MS.day;
  const upToNow = await service.call(bob, `${BALANCES}?start_at=${later - 10 * UNIT_MS.day}&end_at=${later}`);
  expect([before, today()]).toContain(upToNow.body.items.at(-1).key);
  expect((await service.call(bob, `${BALANCES}?start_at=${later}`)).body.items).toEqual([]);
});

it.each([
  ['by=week', '?by', 'out_of_range'],
  ['by=hour&start_at=2025-11-01T00:00:00Z&end_at=2025-12-20T00:00:00Z', '?start_at', 'out_of_range'],
  ['start_at=0', '?start_at', 'out_of_range'],
  ['page=1', '?page', 'unknown_field'],
  ['start_at=2&end_at=1', '?end_at', 'out_of_range'],
])('refuse %s', async (query, pointer, code) => {
  const { status, body } = await service.call(ann, `${BALANCES}?${query}`);
  expect(status).toBe(400);
  expect(body.errors).toMatchObject([{ pointer, code }]);
});
