// Sums by hour are kept for a year and a month, so that a year by hour can always be asked for. Days stay.

import type { CustomerId } from '../../domain/id.js';
import { numericArray } from '../array-literal.js';
import type { Sql } from '../sql.js';
import { readZones, ZONES } from './history-sums.js';

export const HOURS_KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
const CUSTOMERS_A_STEP = 50;

/** Hours before it must not be asked for. Midnight UTC. */
export function firstHourKept(nowMs: number, keptDays = HOURS_KEPT_DAYS): number {
  return (Math.floor(nowMs / DAY_MS) - keptDays) * DAY_MS;
}

/**
 * One step: deletes old hours of some customers, at most so many rows; true when there may be more. A day is written together with its
 * hours, and an hour is deleted only where its day is there. The last day before the limit stays: clocks of processes differ.
 */
export async function deleteOldHours(
  sql: Sql,
  bucket: number,
  nowMs: number,
  limit: number,
  keptDays = HOURS_KEPT_DAYS,
): Promise<boolean> {
  const before = new Date(firstHourKept(nowMs, keptDays) - DAY_MS);
  const day = before.toISOString().slice(0, 10);
  const customers = await sql<{ customerId: CustomerId }[]>`
    select customer_id as "customerId" from history_reader
    where bucket = ${bucket} and (hours_ended_on is null or hours_ended_on < ${day}::date)
    order by customer_id limit ${CUSTOMERS_A_STEP}`;
  if (customers.length === 0) return false;
  const ids = numericArray(customers.map((row) => row.customerId));
  const zones = await readZones(sql, customers);
  const deleted = await sql`
    delete from receipt_sum s
    using (
      select h.customer_id, h.series, h.at, h.key
      from unnest(${ids}::bigint[]) as k (customer_id)
      cross join (values ('all'), ('template'), ('firm'), ('code')) as n (series)
      cross join lateral (
        select customer_id, series, at, key from receipt_sum
        where bucket = ${bucket} and customer_id = k.customer_id and series = n.series and grain = 'hour' and at < ${before}
      ) as h
      left join ${ZONES.unnest(sql, zones)} on c.customer_id = h.customer_id
      join receipt_sum d on d.bucket = ${bucket} and d.customer_id = h.customer_id and d.series = h.series
        and d.grain = 'day' and d.at = timezone('UTC', date_trunc('day', timezone(coalesce(c.zone, 'UTC'), h.at))) and d.key = h.key
      limit ${limit}
    ) as old
    where s.bucket = ${bucket} and s.customer_id = old.customer_id and s.series = old.series and s.grain = 'hour'
      and s.at = old.at and s.key = old.key`;
  if (deleted.count >= limit) return true;
  await sql`
    delete from traffic_sum
    where bucket = ${bucket} and customer_id = any(${ids}::bigint[]) and grain = 'hour' and at < ${before}`;
  await sql`
    update history_reader set hours_ended_on = ${day}::date
    where bucket = ${bucket} and customer_id = any(${ids}::bigint[])`;
  return customers.length === CUSTOMERS_A_STEP;
}
