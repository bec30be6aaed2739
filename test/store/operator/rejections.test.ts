// Rejected numbers by reason: the hours that are asked for, over all customers, from the sums.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { joinRejections, readRejections } from '../../../src/store/operator/rejection.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const HOUR = new Date('2026-11-14T09:00:00Z');
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`
    insert into receipt_sum (bucket, customer_id, series, grain, at, key, delivered, undelivered, expired, rejected, parts, charged)
    select 0, customer_id, series, grain, at, key, 5, 0, 0, rejected, 0, 0
    from (values
      (1, 'code', 'hour', '2026-11-14T08:00Z'::timestamptz, 'no_route', 100),
      (1, 'code', 'hour', '2026-11-14T09:00Z'::timestamptz, 'no_route', 7),
      (1, 'code', 'hour', '2026-11-14T10:00Z'::timestamptz, 'no_route', 3),
      (2, 'code', 'hour', '2026-11-14T10:00Z'::timestamptz, 'no_route', 20),
      (3, 'code', 'hour', '2026-11-14T10:00Z'::timestamptz, 'no_route', 1),
      (4, 'code', 'hour', '2026-11-14T10:00Z'::timestamptz, 'no_route', 2),
      (4, 'code', 'hour', '2026-11-14T10:00Z'::timestamptz, 'opted_out', 4),
      (4, 'code', 'hour', '2026-11-14T10:00Z'::timestamptz, 'DELIVRD', 0),
      (4, 'code', 'day', '2026-11-14T12:00Z'::timestamptz, 'no_route', 50),
      (4, 'firm', 'hour', '2026-11-14T10:00Z'::timestamptz, 'cmcc', 60)
    ) as rows (customer_id, series, grain, at, key, rejected)`;
});
afterAll(() => database.drop());

it('counts each reason since the hour, with the customers that have the most', async () => {
  const found = joinRejections([await readRejections(database.sql, 0, HOUR)]);
  expect(found).toEqual([
    {
      code: 'no_route',
      count: 33,
      customers: [
        { customerId: 2n, count: 20 },
        { customerId: 1n, count: 10 },
        { customerId: 4n, count: 2 },
      ],
    },
    { code: 'opted_out', count: 4, customers: [{ customerId: 4n, count: 4 }] },
  ]);
});

it('adds the buckets up', () => {
  const one = { code: 'a', count: 2, customers: [{ customerId: 1n, count: 2 }] } as never;
  const other = { code: 'a', count: 5, customers: [{ customerId: 2n, count: 5 }] } as never;
  expect(joinRejections([[one], [other]])).toEqual([
    {
      code: 'a',
      count: 7,
      customers: [
        { customerId: 2n, count: 5 },
        { customerId: 1n, count: 2 },
      ],
    },
  ]);
});

it('reads the sums of those hours alone, whatever is kept', async () => {
  const { sql } = database;
  await sql`
    insert into receipt_sum (bucket, customer_id, series, grain, at, key, delivered, undelivered, expired, rejected, parts, charged)
    select 0, i % 50, 'code', 'hour', timestamptz '2026-01-01Z' + i / 50 * interval '1 hour', 'old', 0, 0, 0, 1, 0, 0
    from generate_series(0, 20000) as i`;
  await sql`analyze receipt_sum`;
  const plan = await sql`
    explain select key from receipt_sum
    where bucket = 0 and series = 'code' and grain = 'hour' and at >= ${HOUR} and rejected > 0`;
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('receipt_sum_hour_code');
});
