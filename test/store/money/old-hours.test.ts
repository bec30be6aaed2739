// Sums by hour end after a time, in small steps; the days that they are part of stay.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldHours, firstHourKept } from '../../../src/store/money/old-hours.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';

const DAY_MS = 86_400_000;
let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer();
  const { task_no } = await customer.send(['13800139001', '13800139003']);
  await customer.completed(task_no);
  await customer.client.statistics({ by: 'hour' });
});
afterAll(() => service.stop());

const readSums = (grain: string) => service.sql`select * from receipt_sum where grain = ${grain} order by series, key`;

test('hours older than the age are deleted in steps, and days stay', async () => {
  const { sql } = service;
  const [{ bucket = 0 } = {}] = await sql<{ bucket: number }[]>`select bucket from account`;
  const [hours, days, byDay] = [await readSums('hour'), await readSums('day'), await customer.client.statistics({})];
  expect(hours.length).toBeGreaterThan(2);
  // The day after the last that is kept, and one for clocks that differ.
  expect(await deleteOldHours(sql, bucket, Date.now() + 4 * DAY_MS, 2, 3)).toBe(false);
  expect(await readSums('hour')).toEqual(hours);
  const laterMs = Date.now() + 5 * DAY_MS;
  expect(await deleteOldHours(sql, bucket, laterMs, 2, 3)).toBe(true);
  expect(await readSums('hour')).toHaveLength(hours.length - 2);
  while (await deleteOldHours(sql, bucket, laterMs, 2, 3));
  expect(await readSums('hour')).toEqual([]);
  expect(await readSums('day')).toEqual(days);
  expect(await customer.client.statistics({})).toEqual(byDay);
  // Once a day: the second look finds no customer.
  expect(await sql`select from history_reader where hours_ended_on is null`).toHaveLength(0);
});

test('an hour whose day is missing stays', async () => {
  const { sql } = service;
  const [{ bucket = 0 } = {}] = await sql<{ bucket: number }[]>`select bucket from account`;
  await sql`
    insert into receipt_sum select bucket, customer_id, series, 'hour', at - interval '30 days', key, delivered, undelivered,
      expired, rejected, parts, charged from receipt_sum where grain = 'day' and series = 'all'`;
  await sql`update history_reader set hours_ended_on = null`;
  expect(await deleteOldHours(sql, bucket, Date.now(), 100, 3)).toBe(false);
  expect(await readSums('hour')).toHaveLength(1);
});

test('times whose hours have ended are refused by name', async () => {
  const keptFromMs = firstHourKept(Date.now());
  const at = (ms: number) => new Date(ms).toISOString();
  const ask = (by: 'hour' | 'day' | 'firm', startMs: number | undefined, endMs: number) =>
    customer.client.statistics({ by, ...(startMs !== undefined && { startAt: at(startMs) }), endAt: at(endMs) });
  const refused = (pointer: string) => ({
    status: 400,
    code: 'invalid_request',
    message: expect.stringContaining(pointer),
  });
  await expect(ask('hour', keptFromMs - 1, keptFromMs + DAY_MS)).rejects.toMatchObject(refused('start_at'));
  await expect(ask('hour', undefined, keptFromMs)).rejects.toMatchObject(refused('end_at'));
  await expect(ask('firm', keptFromMs - 1, keptFromMs)).rejects.toMatchObject(refused('start_at'));
  await expect(ask('day', keptFromMs - DAY_MS, keptFromMs - 1)).rejects.toMatchObject(refused('end_at'));
  expect(await ask('hour', keptFromMs, keptFromMs + DAY_MS)).toEqual({ items: [] });
  expect(await ask('hour', undefined, keptFromMs + DAY_MS)).toEqual({ items: [] });
  expect(await ask('firm', keptFromMs - DAY_MS, keptFromMs)).toEqual({ items: [] });
});
