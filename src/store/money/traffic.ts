// What was sent, charged and paid for, over all customers or of one, from the sums by hour and day.

import type { Tenant } from '../../domain/tenant.js';
import { textArray, timeArray } from '../array-literal.js';
import { ownRows } from '../condition.js';
import type { AnySql } from '../sql.js';
import { divide, HOUR_MS, type Period } from './periods.js';

export const TRAFFIC_BREAKDOWNS = ['day', 'customer', 'channel', 'firm', 'class'] as const;
export type TrafficBreakdown = (typeof TRAFFIC_BREAKDOWNS)[number];

export interface Traffic {
  readonly numbers: number;
  readonly parts: number;
  readonly delivered: number;
  readonly charged: bigint;
  readonly refunded: bigint;
  readonly cost: bigint;
}

export interface TrafficRow extends Traffic {
  /** The day, the id of the customer or channel, the firm or the class; empty or zero where there is none. */
  readonly key: string;
  readonly currency: string;
}

/** Whole hours: the hour of the start and the hour before the end count in full. Amounts of one currency are added up. */
export async function readTraffic(
  sql: AnySql,
  bucket: number,
  by: TrafficBreakdown,
  { from, until }: Period,
): Promise<TrafficRow[]> {
  const keys = {
    // A day is a date, written as midnight UTC.
    day: sql`to_char(timezone(case when s.grain = 'hour' then c.billing_time_zone else 'UTC' end, s.at), 'YYYY-MM-DD')`,
    customer: sql`s.customer_id::text`,
    channel: sql`s.channel_id::text`,
    firm: sql`s.firm`,
    class: sql`s.class`,
  };
  const wholeHours = { from: Math.floor(from / HOUR_MS) * HOUR_MS, until: Math.ceil(until / HOUR_MS) * HOUR_MS };
  const { days, hours } = divide(wholeHours, 'UTC');
  const pieces = [
    ...days.map((day) => ({ grain: 'day', ...day })),
    ...hours.map((hour) => ({ grain: 'hour', ...hour })),
  ];
  if (pieces.length === 0) return [];
  return await sql<TrafficRow[]>`
    select ${keys[by]} as key, c.currency, ${sumsOf(sql)}
    from account a
    join customer c on c.customer_id = a.customer_id
    cross join unnest(
      ${textArray(pieces.map(({ grain }) => grain))}::text[],
      ${timeArray(pieces.map((piece) => new Date(piece.from)))}::timestamptz[],
      ${timeArray(pieces.map((piece) => new Date(piece.until)))}::timestamptz[]
    ) as p (grain, "from", until)
    join traffic_sum s on s.bucket = ${bucket} and s.customer_id = a.customer_id and s.grain = p.grain
      and s.at >= p."from" and s.at < p.until
    where a.bucket = ${bucket}
    group by 1, 2`;
}

export interface AppliedPrice extends Traffic {
  readonly firm: string;
  readonly class: string;
  readonly unitPrice: bigint;
}

/** Which prices applied to a customer's numbers, from the first day until before the end. */
export async function readAppliedPrices(
  tx: AnySql,
  tenant: Tenant,
  { first, end }: { readonly first: string; readonly end: string },
): Promise<AppliedPrice[]> {
  return await tx<AppliedPrice[]>`
    select s.firm, s.class, s.unit_price as "unitPrice", ${sumsOf(tx)}
    from traffic_sum s
    where ${ownRows(tx, tenant)} and s.grain = 'day' and s.at >= ${new Date(first)} and s.at < ${new Date(end)}
      and s.firm <> ''
    group by 1, 2, 3 order by 1, 2, 3`;
}

function sumsOf(sql: AnySql) {
  return sql`
    sum(s.numbers)::float8 as numbers, sum(s.parts)::float8 as parts, sum(s.delivered)::float8 as delivered,
    sum(s.charged)::bigint as charged, sum(s.refunded)::bigint as refunded, sum(s.cost)::bigint as cost`;
}
