// What was available and frozen at the end of each hour or day.

import { Type } from '@sinclair/typebox';
import { formatMoney, moneyFromMillionths } from '../../domain/money/money.js';
import { errorText } from '../../domain/request/error-text.js';
import type { Fault } from '../../domain/request/fault.js';
import { formatTime } from '../../domain/rfc3339.js';
import { readBalancesAt } from '../../store/money/balances-over-time.js';
import { oneOf, parseTimedQuery, timeParameters } from '../list-query.js';
import { parameterFault } from '../query-string.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './admit.js';
import type { CustomerDeps } from './deps.js';
import { examples } from './examples.js';
import { BalanceAtSchema } from './schemas.js';

const UNITS = ['day', 'hour'] as const;
type Unit = (typeof UNITS)[number];

const UNIT_MS: Readonly<Record<Unit, number>> = { day: 86_400_000, hour: 3_600_000 };
const MAX_ITEMS = 1_000;
const DEFAULT_ITEMS = 30;

const filters = { by: { ...oneOf(UNITS, 'Days and hours are in UTC.'), default: 'day' } };

export function balancesRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'GET',
    path: '/openapi/v1/finance/balances/',
    name: 'getBalances',
    tag: 'Finance',
    summary: 'Show the balances over time',
    description:
      'What was available and frozen at the end of each day or hour that the time touches, without gaps; of the one at hand, what is now. Those to come are left out. At most 1,000; without a `start_at`, the last 30 before the end.',
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
  const nowMs = now();
  const query = parseTimedQuery(filters, requestTarget, (asked) => checkCount(spanOf(asked, nowMs)));
  const { unit, first, end } = spanOf(query, nowMs);
  const starts = Array.from({ length: Math.max(0, end - first) }, (_, nth) => (first + nth) * UNIT_MS[unit]);
  const ends = starts.map((startMs) => new Date(startMs + UNIT_MS[unit]));
  const balances = await readBalancesAt(sql, customer, ends);
  return {
    items: balances.map(({ available, frozen }, nth) => ({
      key: writeKey(starts[nth] as number, unit),
      available: formatMoney(moneyFromMillionths(available)),
      frozen: formatMoney(moneyFromMillionths(frozen)),
    })),
  };
}

interface Span {
  readonly unit: Unit;
  /** Days or hours since the epoch. */
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

interface AskedTime {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly filters: { readonly by?: Unit };
}

function spanOf({ startMs, endMs, filters }: AskedTime, nowMs: number): Span {
  const unit = filters.by ?? 'day';
  const ofNow = Math.floor(nowMs / UNIT_MS[unit]);
  const end = Math.min(endMs === undefined ? Infinity : Math.ceil(endMs / UNIT_MS[unit]), ofNow + 1);
  const first = startMs === undefined ? Math.max(0, end - DEFAULT_ITEMS) : Math.floor(startMs / UNIT_MS[unit]);
  return { unit, first, end };
}

function checkCount({ unit, first, end }: Span): Fault[] {
  if (end - first <= MAX_ITEMS) return [];
  const text = errorText('span_too_long', { max: MAX_ITEMS, unit: `${unit}s` });
  return [parameterFault('start_at', 'out_of_range', text)];
}

/** As statistics write it. */
function writeKey(startMs: number, unit: Unit): string {
  const time = formatTime(new Date(startMs));
  return unit === 'day' ? time.slice(0, 10) : time;
}
