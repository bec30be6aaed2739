// How many numbers came to which end, in a time. Whole days and hours come from the sums; only what is left of the first and
// the last hour is counted from the receipts themselves. The sums must reach far enough: the caller sees to it.

import { firstIdAt } from '../domain/id.js';
import type { Tenant } from '../domain/ledger.js';
import type { AnySql } from './connect.js';
import { countsOf } from './history-sums.js';
import { type Condition, ownRows } from './lists/condition.js';

export const BREAKDOWNS = ['day', 'hour', 'template', 'firm', 'code'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

export interface Counted {
  /** The day or hour, the id of the template, the firm or the code; empty where there is none. */
  readonly key: string;
  readonly delivered: bigint;
  readonly undelivered: bigint;
  readonly expired: bigint;
  readonly rejected: bigint;
  readonly parts: bigint;
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
  return await tx<Counted[]>`
    select key, sum(delivered)::bigint as delivered, sum(undelivered)::bigint as undelivered, sum(expired)::bigint as expired,
      sum(rejected)::bigint as rejected, sum(parts)::bigint as parts, sum(charged)::bigint as charged
    from (${all}) as counted
    group by key
    having sum(delivered + undelivered + expired + rejected) > 0
    order by ${by === 'day' || by === 'hour' ? tx`key` : tx`sum(delivered + undelivered + expired + rejected) desc, key`}`;
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
  return tx`
    select ${by === 'day' || by === 'hour' ? writeTime(tx, by, tx`at`) : tx`key`} as key,
      delivered, undelivered, expired, rejected, parts, charged
    from receipt_sum where ${ownRows(tx, tenant)} and series = ${series} and grain = ${grain}
      and at >= ${new Date(from)} and at < ${new Date(until)}`;
}

function selectReceipts(tx: AnySql, { bucket, customerId }: Tenant, by: Breakdown, { from, until }: Span): Condition {
  const keys = {
    day: () => writeTime(tx, 'day', tx`to_timestamp((r.receipt_id >> 20) / 1000)`),
    hour: () => writeTime(tx, 'hour', tx`to_timestamp((r.receipt_id >> 20) / 1000)`),
    template: () => tx`coalesce(t.template_id, 0)::text`,
    firm: () => tx`coalesce(r.firm, '')`,
    code: () => tx`coalesce(r.code, '')`,
  };
  return tx`
    select ${keys[by]()} as key, ${countsOf(tx)}
    from receipt r left join task t on t.bucket = r.bucket and t.customer_id = r.customer_id and t.task_id = r.task_id
    where r.bucket = ${bucket} and r.customer_id = ${customerId}
      and r.receipt_id >= ${firstIdAt(new Date(from))} and r.receipt_id < ${firstIdAt(new Date(until))}
    group by 1`;
}

function writeTime(tx: AnySql, by: 'day' | 'hour', time: Condition): Condition {
  const format = by === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM-DD"T"HH24":00:00.000Z"';
  return tx`to_char(${time} at time zone 'UTC', ${format})`;
}
