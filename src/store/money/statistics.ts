// Counts numbers by their result over a time. Whole days and hours come from the sums; only the rest of the first and the last hour is
// counted from the receipts. The caller makes sure that the sums reach far enough.

import { firstIdAt } from '../../domain/id.js';
import { formatTime } from '../../domain/rfc3339.js';
import type { Tenant } from '../../domain/tenant.js';
import { type Condition, ownRows } from '../condition.js';
import type { AnySql } from '../sql.js';
import { selectTask } from '../task/task-lookup.js';
import { countsOf, hourOf } from './history-sums.js';
import { cutOut, divide, HOUR_MS, type Period } from './periods.js';

export const BREAKDOWNS = ['day', 'hour', 'template', 'firm', 'code'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

export interface Counted {
  /** The day or hour, the id of the template, the firm or the code; empty where there is none. */
  readonly key: string;
  readonly delivered: number;
  readonly undelivered: number;
  readonly expired: number;
  readonly rejected: number;
  readonly cancelled: number;
  readonly handedOver: number;
  readonly parts: number;
  readonly charged: bigint;
}

/** Days and hours are those of its billing time zone. */
export interface CountedTenant extends Tenant {
  readonly billingTimeZone: string;
}

/** `until` is exclusive. One statement, so that it is one view of the database; so is that of the hours. */
export async function readStatistics(
  tx: AnySql,
  tenant: CountedTenant,
  by: Exclude<Breakdown, 'hour'>,
  span: Period,
): Promise<Counted[]> {
  const { days, hours, rest } = divide(span, tenant.billingTimeZone);
  const all = unite(tx, [
    ...days.map((piece) => selectSums(tx, tenant, by, 'day', piece)),
    ...hours.map((piece) => selectSums(tx, tenant, by, 'hour', piece)),
    ...rest.map((piece) => selectReceipts(tx, tenant, by, piece)),
  ]);
  if (all === undefined) return [];
  return await tx<Counted[]>`
    select key, sum(delivered)::float8 as delivered, sum(undelivered)::float8 as undelivered, sum(expired)::float8 as expired,
      sum(rejected)::float8 as rejected, sum(cancelled)::float8 as cancelled, sum(handed_over)::float8 as "handedOver",
      sum(parts)::float8 as parts, sum(charged)::bigint as charged
    from (${all}) as counted
    group by key
    having sum(delivered + undelivered + expired + rejected + cancelled) > 0
    order by ${by === 'day' ? tx`key` : tx`sum(delivered + undelivered + expired + rejected + cancelled) desc, key`}`;
}

/**
 * A year has 8,760 hours, and as rows of seven columns they cost the driver more than the database: so they come as strings of
 * bytes, in the database's own form of its integers, a month in each. While the database is at the next one, `take` is
 * called for those that are there; what it made of them is returned in the order of time.
 */
export async function readHours<Taken>(
  tx: AnySql,
  tenant: CountedTenant,
  span: Period,
  take: (hours: Iterable<Counted>) => Taken,
): Promise<Taken[]> {
  const { hours, rest } = divideByHour(span, tenant.billingTimeZone);
  const pieces = [
    ...hours.map((piece) => ({ from: piece.from, rows: selectSums(tx, tenant, 'hour', 'hour', piece) })),
    ...rest.map((piece) => ({ from: piece.from, rows: selectReceipts(tx, tenant, 'hour', piece) })),
  ].sort((one, other) => one.from - other.from);
  // No two pieces share an hour, so there is nothing to add up; and the index has each of them in its order.
  const packed = pieces.map(
    ({ rows }, nth) => tx`
      select ${nth}::int as nth, string_agg(timestamptz_send(at) || int8send(delivered) || int8send(undelivered) ||
        int8send(expired) || int8send(rejected) || int8send(cancelled) || int8send(handed_over) || int8send(parts) ||
        int8send(charged), '' order by at) as hours
      from (${rows}) as counted`,
  );
  const all = unite(tx, packed);
  const taken: Taken[] = [];
  for (const { nth, hours } of (await all) ?? []) taken[nth] = take(unpackHours(hours ?? Buffer.alloc(0)));
  return taken;
}

function unite(tx: AnySql, pieces: readonly Condition[]): Condition | undefined {
  const [first, ...others] = pieces;
  return first && others.reduce((before, next) => tx`${before} union all ${next}`, first);
}

const BYTES_A_VALUE = 8;
const BYTES_AN_HOUR = 9 * BYTES_A_VALUE;
/** Times of the database are microseconds since then. */
const DATABASE_EPOCH_MS = Date.UTC(2000, 0, 1);

/** A generator: the caller needs each item once, and thousands of live objects are expensive to collect. */
function* unpackHours(packed: Buffer): Iterable<Counted> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const read = (at: number) => view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
  for (let at = 0; at < packed.length; at += BYTES_AN_HOUR) {
    yield {
      key: formatTime(new Date(DATABASE_EPOCH_MS + read(at) / 1000)),
      delivered: read(at + BYTES_A_VALUE),
      undelivered: read(at + 2 * BYTES_A_VALUE),
      expired: read(at + 3 * BYTES_A_VALUE),
      rejected: read(at + 4 * BYTES_A_VALUE),
      cancelled: read(at + 5 * BYTES_A_VALUE),
      handedOver: read(at + 6 * BYTES_A_VALUE),
      parts: read(at + 7 * BYTES_A_VALUE),
      charged: view.getBigInt64(at + 8 * BYTES_A_VALUE),
    };
  }
}

const HOURS_A_PIECE = 30 * 24;
const MAX_PIECES = 13;

/** A span as whole hours, a month of them in each piece and all beyond a year in the last one, and what is left. */
function divideByHour(span: Period, timeZone: string): { hours: Period[]; rest: Period[] } {
  const { within, rest } = cutOut(span, timeZone);
  if (within === undefined) return { hours: [], rest };
  const { from, until } = within;
  const pieceMs = HOURS_A_PIECE * HOUR_MS;
  const count = Math.min(Math.ceil((until - from) / pieceMs), MAX_PIECES);
  const hours = Array.from({ length: count }, (_, nth) => ({
    from: from + nth * pieceMs,
    until: nth + 1 === count ? until : from + (nth + 1) * pieceMs,
  }));
  return { hours, rest };
}

function selectSums(
  tx: AnySql,
  tenant: CountedTenant,
  by: Breakdown,
  grain: 'day' | 'hour',
  { from, until }: Period,
): Condition {
  const series = by === 'day' || by === 'hour' ? 'all' : by;
  const keys = {
    day: () => tx`${writeDay(tx, tx`at`, grain === 'day' ? 'UTC' : tenant.billingTimeZone)} as key`,
    hour: () => tx`at`,
    other: () => tx`key`,
  };
  return tx`
    select ${keys[by === 'day' || by === 'hour' ? by : 'other']()},
      delivered, undelivered, expired, rejected, cancelled,
      coalesce(handed_over, delivered + undelivered + expired) as handed_over, parts, charged
    from receipt_sum where ${ownRows(tx, tenant)} and series = ${series} and grain = ${grain}
      and at >= ${new Date(from)} and at < ${new Date(until)}`;
}

function selectReceipts(tx: AnySql, tenant: CountedTenant, by: Breakdown, { from, until }: Period): Condition {
  const { bucket, customerId, billingTimeZone } = tenant;
  const at = tx`to_timestamp((r.receipt_id >> 20) / 1000)`;
  const keys = {
    day: () => tx`${writeDay(tx, at, billingTimeZone)} as key`,
    hour: () => tx`${hourOf(tx, at, tx`timezone(${billingTimeZone}::text, ${at})`)} as at`,
    template: () => tx`coalesce(t.template_id, 0)::text as key`,
    firm: () => tx`coalesce(r.firm, '') as key`,
    code: () => tx`coalesce(r.code, '') as key`,
  };
  return tx`
    select ${keys[by]()}, ${countsOf(tx)}
    from receipt r left join lateral (${selectTask(tx, bucket, { customerId: tx`r.customer_id`, taskId: tx`r.task_id` })}) as t on true
    where r.bucket = ${bucket} and r.customer_id = ${customerId}
      and r.receipt_id >= ${firstIdAt(new Date(from))} and r.receipt_id < ${firstIdAt(new Date(until))}
    group by 1`;
}

function writeDay(tx: AnySql, time: Condition, timeZone: string): Condition {
  return tx`to_char(timezone(${timeZone}::text, ${time}), 'YYYY-MM-DD')`;
}
