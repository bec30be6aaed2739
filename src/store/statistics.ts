// How many numbers came to which end, in a time. Whole days and hours come from the sums; only what is left of the first and
// the last hour is counted from the receipts themselves. The sums must reach far enough: the caller sees to it.

import { firstIdAt } from '../domain/id.js';
import type { Tenant } from '../domain/ledger.js';
import { formatTime } from '../domain/rfc3339.js';
import type { AnySql } from './connect.js';
import { countsOf } from './history-sums.js';
import { type Condition, ownRows } from './lists/condition.js';
import { selectTask } from './task-lookup.js';

export const BREAKDOWNS = ['day', 'hour', 'template', 'firm', 'code'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

export interface Counted {
  /** The day or hour, the id of the template, the firm or the code; empty where there is none. */
  readonly key: string;
  readonly delivered: number;
  readonly undelivered: number;
  readonly expired: number;
  readonly rejected: number;
  readonly parts: number;
  readonly charged: bigint;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

interface Span {
  readonly from: number;
  readonly until: number;
}

/** `until` is exclusive. */
export async function readStatistics(tx: AnySql, tenant: Tenant, by: Breakdown, span: Span): Promise<Counted[]> {
  const { days, hours, rest } = divide(span, by === 'hour');
  const pieces = [
    ...days.map((piece) => selectSums(tx, tenant, by, 'day', piece)),
    ...hours.map((piece) => selectSums(tx, tenant, by, 'hour', piece)),
    ...rest.map((piece) => selectReceipts(tx, tenant, by, piece)),
  ];
  const [first, ...others] = pieces;
  if (first === undefined) return [];
  const all = others.reduce((before, next) => tx`${before} union all ${next}`, first);
  if (by === 'hour') return await readHours(tx, all);
  return await tx<Counted[]>`
    select key, sum(delivered)::float8 as delivered, sum(undelivered)::float8 as undelivered, sum(expired)::float8 as expired,
      sum(rejected)::float8 as rejected, sum(parts)::float8 as parts, sum(charged)::bigint as charged
    from (${all}) as counted
    group by key
    having sum(delivered + undelivered + expired + rejected) > 0
    order by ${by === 'day' ? tx`key` : tx`sum(delivered + undelivered + expired + rejected) desc, key`}`;
}

/** No two pieces share an hour, so there is nothing to add up; a year has 8,760 of them, and grouping took half the time. */
async function readHours(tx: AnySql, pieces: Condition): Promise<Counted[]> {
  const rows = await tx<(Omit<Counted, 'key'> & { hour: number })[]>`
    select hour::float8, delivered::float8, undelivered::float8, expired::float8, rejected::float8, parts::float8, charged
    from (${pieces}) as counted
    where delivered + undelivered + expired + rejected > 0
    order by hour`;
  return rows.map(({ hour, ...counts }) => ({ key: formatTime(new Date(hour * HOUR_MS)), ...counts }));
}

/** A span as whole days, the whole hours around them, and what is left. */
function divide({ from, until }: Span, isHourly: boolean): { days: Span[]; hours: Span[]; rest: Span[] } {
  const keep = (spans: Span[]) => spans.filter((piece) => piece.from < piece.until);
  const firstHour = Math.ceil(from / HOUR_MS) * HOUR_MS;
  const lastHour = Math.floor(until / HOUR_MS) * HOUR_MS;
  if (firstHour >= lastHour) return { days: [], hours: [], rest: keep([{ from, until }]) };
  const rest = keep([
    { from, until: firstHour },
    { from: lastHour, until },
  ]);
  const firstDay = Math.ceil(firstHour / DAY_MS) * DAY_MS;
  const lastDay = Math.floor(lastHour / DAY_MS) * DAY_MS;
  if (isHourly || firstDay >= lastDay) return { days: [], hours: [{ from: firstHour, until: lastHour }], rest };
  const hours = keep([
    { from: firstHour, until: firstDay },
    { from: lastDay, until: lastHour },
  ]);
  return { days: [{ from: firstDay, until: lastDay }], hours, rest };
}

function selectSums(
  tx: AnySql,
  tenant: Tenant,
  by: Breakdown,
  grain: 'day' | 'hour',
  { from, until }: Span,
): Condition {
  const series = by === 'day' || by === 'hour' ? 'all' : by;
  const keys = {
    day: () => tx`${writeDay(tx, tx`at`)} as key`,
    hour: () => tx`(date_part('epoch', at) / 3600)::bigint as hour`,
    other: () => tx`key`,
  };
  return tx`
    select ${keys[by === 'day' || by === 'hour' ? by : 'other']()},
      delivered, undelivered, expired, rejected, parts, charged
    from receipt_sum where ${ownRows(tx, tenant)} and series = ${series} and grain = ${grain}
      and at >= ${new Date(from)} and at < ${new Date(until)}`;
}

function selectReceipts(tx: AnySql, tenant: Tenant, by: Breakdown, { from, until }: Span): Condition {
  const { bucket, customerId } = tenant;
  const keys = {
    day: () => tx`${writeDay(tx, tx`to_timestamp((r.receipt_id >> 20) / 1000)`)} as key`,
    hour: () => tx`(r.receipt_id >> 20) / 3600000 as hour`,
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

function writeDay(tx: AnySql, time: Condition): Condition {
  return tx`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;
}
