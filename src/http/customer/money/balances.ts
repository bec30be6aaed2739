// What was available and frozen at the end of each hour or day.

import { Type } from '@sinclair/typebox';
import { errorText } from '../../../domain/fault/error-text.js';
import type { Fault } from '../../../domain/fault/fault.js';
import { dayAt, startOfDay, startOfHour } from '../../../domain/local-time.js';
import { formatMoney, moneyFromMillionths } from '../../../domain/money/money.js';
import { formatTime } from '../../../domain/rfc3339.js';
import { readBalancesAt } from '../../../store/money/balances-over-time.js';
import { examples } from '../../examples.js';
import { oneOf, parseTimedQuery, timeParameters } from '../../query/list-query.js';
import { parameterFault } from '../../query/query-string.js';
import type { Route } from '../../route.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';
import { BalanceAtSchema } from '../schemas/money.js';

const UNITS = ['day', 'hour'] as const;
type Unit = (typeof UNITS)[number];

const UNIT_MS: Readonly<Record<Unit, number>> = { day: 86_400_000, hour: 3_600_000 };
const MAX_ITEMS = 1_000;
const DEFAULT_ITEMS = 30;

const filters = {
  by: { ...oneOf(UNITS, 'Days and hours are those of the billing time zone of the customer.'), default: 'day' },
};

export function balancesRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'GET',
    path: '/openapi/v1/finance/balances/',
    name: 'getBalances',
    tag: 'Finance',
    summary: 'Show the balances over time',
    description:
      'What was available and reserved at the end of each day or hour that the time touches, without gaps; of the one at hand, what is now. Those to come are left out. At most 1,000; without a `start_at`, the last 30 before the end.',
    query: { ...filters, ...timeParameters },
    answer: {
      status: 200,
      description: 'All there are, without pages, in the order of time.',
      schema: Type.Object({ items: Type.Array(BalanceAtSchema) }, { $id: 'BalanceHistory' }),
      example: { items: [examples.balanceAt] },
    },
    problems: [],
    handle: (call) => showBalances(deps, call),
  };
}

async function showBalances({ sql, now }: CustomerDeps, { customer, requestTarget }: CustomerCall) {
  const zone = customer.billingTimeZone;
  const query = await parseTimedQuery(filters, requestTarget, (asked) => checkCount(spanOf(asked, now(), zone)));
  const { unit, first, end } = spanOf(query, now(), zone);
  const starts = Array.from({ length: Math.max(0, end - first + 1) }, (_, nth) => startOf(unit, first + nth, zone));
  const balances = await readBalancesAt(
    sql,
    customer,
    starts.slice(1).map((ms) => new Date(ms)),
  );
  return {
    items: balances.map(({ available, frozen }, nth) => ({
      key: unit === 'day' ? dayOfNumber(first + nth) : formatTime(new Date(starts[nth] as number)),
      available: formatMoney(moneyFromMillionths(available)),
      frozen: formatMoney(moneyFromMillionths(frozen)),
    })),
  };
}

interface Span {
  readonly unit: Unit;
  /** Days or hours since the epoch, by the clock of the time zone. */
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

interface AskedTime {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly filters: { readonly by?: Unit };
}

function spanOf({ startMs, endMs, filters }: AskedTime, nowMs: number, zone: string): Span {
  const unit = filters.by ?? 'day';
  const after = (ms: number) => numberAt(unit, ms - 1, zone) + 1;
  const end = Math.min(endMs === undefined ? Infinity : after(endMs), numberAt(unit, nowMs, zone) + 1);
  const first = startMs === undefined ? Math.max(0, end - DEFAULT_ITEMS) : numberAt(unit, startMs, zone);
  return { unit, first, end };
}

/** Hours are counted as instants: a clock that is set back shows one of them twice. */
function numberAt(unit: Unit, ms: number, zone: string): number {
  if (unit === 'day') return Date.parse(dayAt(zone, ms)) / UNIT_MS.day;
  return Math.floor(startOfHour(zone, ms) / UNIT_MS.hour);
}

function startOf(unit: Unit, number: number, zone: string): number {
  if (unit === 'day') return startOfDay(zone, dayOfNumber(number));
  // The last instant of an hour of UTC lies in the hour of the zone that began within it.
  return startOfHour(zone, (number + 1) * UNIT_MS.hour - 1);
}

function dayOfNumber(number: number): string {
  return new Date(number * UNIT_MS.day).toISOString().slice(0, 10);
}

function checkCount({ unit, first, end }: Span): Fault[] {
  if (end - first <= MAX_ITEMS) return [];
  const text = errorText('span_too_long', { max: MAX_ITEMS, unit: `${unit}s` });
  return [parameterFault('start_at', 'out_of_range', text)];
}
