// What was sent, charged and paid for, over all customers or for one, from the sums by hour and day. The caller makes sure that the sums
// reach far enough.

import { firstIdAt } from '../../domain/id.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray, textArray, timeArray } from '../array-literal.js';
import { ownRows } from '../condition.js';
import type { AnySql } from '../sql.js';
import { selectTask } from '../task/task-lookup.js';
import { divide, type Period } from './periods.js';

export const TRAFFIC_BREAKDOWNS = ['day', 'customer', 'channel', 'firm', 'class', 'template'] as const;
export type TrafficBreakdown = (typeof TRAFFIC_BREAKDOWNS)[number];

export interface Traffic {
  readonly numbers: number;
  readonly parts: number;
  readonly delivered: number;
  readonly charged: bigint;
  /** Null by template: of those no more is kept than what was charged. */
  readonly refunded: bigint | null;
  readonly cost: bigint | null;
}

export interface TrafficRow extends Traffic {
  /** The day, the id of the customer, channel or template, the firm or the class; empty or zero where there is none. */
  readonly key: string;
  readonly currency: string;
}

/**
 * Amounts of one currency are added up; a key may come once for each billing time zone. Whole days and hours come from the sums, what is
 * left of the first and the last hour from the receipts.
 */
export async function readTraffic(
  sql: AnySql,
  bucket: number,
  by: TrafficBreakdown,
  span: Period,
): Promise<TrafficRow[]> {
  const zones = await readBillingTimeZones(sql, bucket);
  const rows = await Promise.all(
    zones.flatMap((zone) => [
      by === 'template' ? readTemplateSums(sql, bucket, span, zone) : readTrafficSums(sql, bucket, by, span, zone),
      readTrafficOfReceipts(sql, bucket, by, span, zone),
    ]),
  );
  return rows.flat();
}

/** Those of the customers of a bucket, each once. */
export async function readBillingTimeZones(sql: AnySql, bucket: number): Promise<string[]> {
  const rows = await sql<{ zone: string }[]>`
    select distinct c.billing_time_zone as zone
    from account a join customer c on c.customer_id = a.customer_id where a.bucket = ${bucket}`;
  return rows.map(({ zone }) => zone);
}

/** Whole days and hours of a time, as the sums have them. */
function piecesOf(sql: AnySql, span: Period, zone: string) {
  const { days, hours } = divide(span, zone);
  const pieces = [
    ...days.map((day) => ({ grain: 'day', ...day })),
    ...hours.map((hour) => ({ grain: 'hour', ...hour })),
  ];
  if (pieces.length === 0) return undefined;
  return sql`
    unnest(
      ${textArray(pieces.map(({ grain }) => grain))}::text[],
      ${timeArray(pieces.map((piece) => new Date(piece.from)))}::timestamptz[],
      ${timeArray(pieces.map((piece) => new Date(piece.until)))}::timestamptz[]
    ) as p (grain, "from", until)`;
}

async function readTemplateSums(sql: AnySql, bucket: number, span: Period, zone: string): Promise<TrafficRow[]> {
  const pieces = piecesOf(sql, span, zone);
  if (pieces === undefined) return [];
  return await sql<TrafficRow[]>`
    select s.key, c.currency,
      sum(s.delivered + s.undelivered + s.expired + s.rejected + s.cancelled)::float8 as numbers,
      sum(s.parts)::float8 as parts, sum(s.delivered)::float8 as delivered, sum(s.charged)::bigint as charged,
      null::bigint as refunded, null::bigint as cost
    from account a
    join customer c on c.customer_id = a.customer_id and c.billing_time_zone = ${zone}
    cross join ${pieces}
    join receipt_sum s on s.bucket = ${bucket} and s.customer_id = a.customer_id and s.series = 'template'
      and s.grain = p.grain and s.at >= p."from" and s.at < p.until
    where a.bucket = ${bucket}
    group by 1, 2`;
}

async function readTrafficSums(
  sql: AnySql,
  bucket: number,
  by: Exclude<TrafficBreakdown, 'template'>,
  span: Period,
  zone: string,
): Promise<TrafficRow[]> {
  const keys = {
    // A day is a date, written as midnight UTC.
    day: sql`to_char(timezone(case when s.grain = 'hour' then ${zone}::text else 'UTC' end, s.at), 'YYYY-MM-DD')`,
    customer: sql`s.customer_id::text`,
    channel: sql`s.channel_id::text`,
    firm: sql`s.firm`,
    class: sql`s.class`,
  };
  const pieces = piecesOf(sql, span, zone);
  if (pieces === undefined) return [];
  return await sql<TrafficRow[]>`
    select ${keys[by]} as key, c.currency, ${sumsOf(sql)}
    from account a
    join customer c on c.customer_id = a.customer_id and c.billing_time_zone = ${zone}
    cross join ${pieces}
    join traffic_sum s on s.bucket = ${bucket} and s.customer_id = a.customer_id and s.grain = p.grain
      and s.at >= p."from" and s.at < p.until
    where a.bucket = ${bucket}
    group by 1, 2`;
}

/** What the sums have of receipts, for those of a part of an hour. */
async function readTrafficOfReceipts(
  sql: AnySql,
  bucket: number,
  by: TrafficBreakdown,
  span: Period,
  zone: string,
): Promise<TrafficRow[]> {
  const keys = {
    day: sql`to_char(timezone(${zone}::text, to_timestamp((r.receipt_id >> 20) / 1000)), 'YYYY-MM-DD')`,
    customer: sql`r.customer_id::text`,
    channel: sql`coalesce(r.channel_id, 0)::text`,
    firm: sql`coalesce(r.firm, '')`,
    class: sql`coalesce(m.class, 'notice')`,
    template: sql`coalesce(t.template_id, 0)::text`,
  };
  const { rest } = divide(span, zone);
  if (rest.length === 0) return [];
  return await sql<TrafficRow[]>`
    select ${keys[by]} as key, c.currency, count(*)::float8 as numbers, sum(r.parts)::float8 as parts,
      count(*) filter (where r.result = 'delivered')::float8 as delivered,
      coalesce(sum(r.price) filter (where r.is_charged), 0)::bigint as charged,
      ${
        by === 'template'
          ? sql`null::bigint as refunded, null::bigint as cost`
          : sql`
      coalesce(sum(r.price) filter (where r.is_charged and r.result <> 'delivered' and t.refund_on_failure
        and t.charge_on = 'submit'), 0)::bigint as refunded,
      coalesce(sum(r.cost), 0)::bigint as cost`
      }
    from account a
    join customer c on c.customer_id = a.customer_id and c.billing_time_zone = ${zone}
    cross join unnest(
      ${numericArray(rest.map((piece) => firstIdAt(new Date(piece.from))))}::bigint[],
      ${numericArray(rest.map((piece) => firstIdAt(new Date(piece.until))))}::bigint[]
    ) as p ("from", until)
    cross join lateral (
      select * from receipt
      where bucket = ${bucket} and customer_id = a.customer_id and receipt_id >= p."from" and receipt_id < p.until
    ) as r
    left join lateral (
      ${selectTask(sql, bucket, { customerId: sql`r.customer_id`, taskId: sql`r.task_id` })}
    ) as t on true
    left join template m on m.template_id = t.template_id
    where a.bucket = ${bucket}
    group by 1, 2`;
}

export interface AppliedPrice {
  readonly firm: string;
  readonly class: string;
  readonly unitPrice: bigint;
  readonly numbers: number;
  readonly parts: number;
  readonly charged: bigint;
}

/** Which prices a customer's numbers were charged, from the first day until before the end. */
export async function readAppliedPrices(
  tx: AnySql,
  tenant: Tenant,
  { first, end }: { readonly first: string; readonly end: string },
): Promise<AppliedPrice[]> {
  return await tx<AppliedPrice[]>`
    select s.firm, s.class, s.unit_price as "unitPrice", sum(s.charged_numbers)::float8 as numbers,
      sum(s.charged_parts)::float8 as parts, sum(s.charged)::bigint as charged
    from traffic_sum s
    where ${ownRows(tx, tenant)} and s.grain = 'day' and s.at >= ${new Date(first)} and s.at < ${new Date(end)}
      and s.firm <> ''
    group by 1, 2, 3 having sum(s.charged_numbers) > 0 order by 1, 2, 3`;
}

function sumsOf(sql: AnySql) {
  return sql`
    sum(s.numbers)::float8 as numbers, sum(s.parts)::float8 as parts, sum(s.delivered)::float8 as delivered,
    sum(s.charged)::bigint as charged, sum(s.refunded)::bigint as refunded, sum(s.cost)::bigint as cost`;
}
