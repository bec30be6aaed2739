// Times that cut a day whose hours have ended, or an hour whose receipts have ended, are refused: they would be answered with too little.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstHourKept } from '../../../src/store/money/old-hours.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Shanghai is ahead by so many hours, without daylight saving. */
const AHEAD_MS = 8 * HOUR_MS;
let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer({ billing_time_zone: 'Asia/Shanghai' });
});
afterAll(() => service.stop());

const span = (startMs: number, endMs: number) => ({ startAt: new Date(startMs), endAt: new Date(endMs) });
const askOperator = (startMs: number, endMs: number) => service.operator.statistics(span(startMs, endMs));
const askCustomer = (startMs: number, endMs: number) => customer.client.statistics(span(startMs, endMs));

async function keysOf(asked: Promise<unknown>): Promise<readonly unknown[]> {
  const refusal = await asked.then(
    () => ({ errors: [] }),
    (error) => error,
  );
  return refusal.errors.map(({ pointer, code, key, params }: Record<string, unknown>) => {
    expect(code).toBe('out_of_range');
    return [pointer, key, (params as { readonly zones: string }).zones];
  });
}

test.each([
  ['operators', askOperator],
  ['customers', askCustomer],
])('%s ask for old days by midnights of the billing time zone', async (_, ask) => {
  const keptMs = firstHourKept(Date.now());
  const [start, end] = [keptMs - 10 * DAY_MS, keptMs - 5 * DAY_MS];
  expect(await keysOf(ask(start, end))).toEqual(
    ['?start_at', '?end_at'].map((pointer) => [pointer, 'hours_not_midnight', 'Asia/Shanghai']),
  );
  expect(await keysOf(ask(start - AHEAD_MS, end - AHEAD_MS))).toEqual([]);
  expect(await keysOf(ask(keptMs, keptMs + 1))).toEqual([]);
});

test.each([
  ['operators', askOperator],
  ['customers', askCustomer],
])('%s ask for whole hours of a month whose receipts have ended', async (_, ask) => {
  const now = new Date();
  const [monthMs, endMs] = [-2, -1].map((ago) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ago, 1));
  if (monthMs === undefined || endMs === undefined) throw new Error('two months were asked for');
  await service.sql`insert into retention_month (month) values (${new Date(monthMs)}::timestamptz::date)`;
  try {
    expect(await keysOf(ask(endMs - 1.5 * HOUR_MS, endMs + 1.5 * HOUR_MS))).toEqual([
      ['?start_at', 'receipts_not_whole_hour', 'Asia/Shanghai'],
    ]);
    expect(await keysOf(ask(monthMs - DAY_MS, endMs - 1))).toEqual([
      ['?end_at', 'receipts_not_whole_hour', 'Asia/Shanghai'],
    ]);
    expect(await keysOf(ask(endMs - HOUR_MS, endMs))).toEqual([]);
  } finally {
    await service.sql`delete from retention_month`;
  }
  expect(await keysOf(ask(endMs - 1.5 * HOUR_MS, endMs))).toEqual([]);
});

test('an answer over customers of several billing time zones has midnights of all of them', async () => {
  await service.addCustomer({ billing_time_zone: 'Asia/Singapore' });
  const oldMs = firstHourKept(Date.now()) - 5 * DAY_MS;
  expect(await keysOf(askOperator(oldMs - AHEAD_MS, oldMs))).toEqual([
    ['?end_at', 'hours_not_midnight', 'Asia/Shanghai, Asia/Singapore'],
  ]);
  await service.addCustomer();
  expect(await keysOf(askOperator(oldMs - AHEAD_MS, Date.now()))).toEqual([
    ['?start_at', 'hours_not_midnight', 'Asia/Shanghai, Asia/Singapore, UTC'],
  ]);
  expect(await keysOf(askCustomer(oldMs - AHEAD_MS, Date.now()))).toEqual([]);
});
