// What was sent and earned in a period and in the one before it, as long and cut at the same hour.

import type { OperatorClient, OperatorStatistic } from '@postrider/client';
import { queryOptions } from '@tanstack/react-query';
import { showCount } from '../../../format/count.js';
import { shiftDay } from '../../../format/local-day.js';
import { isZero, showAmount, toMillionths } from '../../../format/money.js';
import type { Range } from '../../overview/period.js';

export const BREAKDOWNS = ['day', 'customer', 'channel', 'firm', 'class', 'template'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

export const MEASURES = ['numbers', 'charged', 'margin'] as const;
export type Measure = (typeof MEASURES)[number];

const HOUR_MS = 3_600_000;
const DAYS: Readonly<Record<Range, number>> = { '24h': 1, '7d': 7, '30d': 30 };
const PAGE = { pageSize: 100 } as const;

/** One key in one currency, now and before. */
export interface Compared {
  readonly item: OperatorStatistic;
  readonly before: OperatorStatistic | undefined;
}

export interface Traffic {
  readonly compared: readonly Compared[];
  /** Channels that messages went through and that have no costs, by number. */
  readonly lacking: ReadonlyMap<string, string>;
}

function pair(
  now: readonly OperatorStatistic[],
  before: readonly OperatorStatistic[],
  by: Breakdown,
  days: number,
): readonly Compared[] {
  // A day is compared with that of the period before which has its place.
  const keyOf = ({ key }: OperatorStatistic) => (by === 'day' && key !== null ? shiftDay(key, days) : key);
  const nameOf = (key: string | null, currency: string) => `${currency} ${key ?? ''}`;
  const old = new Map(before.map((item) => [nameOf(keyOf(item), item.currency), item]));
  const known = new Set(now.map((item) => nameOf(item.key, item.currency)));
  // Who sent then and nothing now is worth a look, too.
  const gone = before
    .map((item) => ({ ...item, ...NOTHING, key: keyOf(item) }))
    .filter((item) => !known.has(nameOf(item.key, item.currency)));
  const all = by === 'day' ? fillDays([...now, ...gone]) : [...now, ...gone];
  return all.map((item) => ({ item, before: old.get(nameOf(item.key, item.currency)) }));
}

const ZERO = '0.000000';
const NOTHING = {
  numbers: 0,
  parts: 0,
  delivered: 0,
  charged: ZERO,
  refunded: ZERO,
  cost: ZERO,
  margin: ZERO,
} as const;

/** Each day of each currency from the first that is known, so that equal distances are equal times. */
function fillDays(items: readonly OperatorStatistic[]): readonly OperatorStatistic[] {
  const days = items.flatMap(({ key }) => (key === null ? [] : [key])).toSorted();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return items;
  return [...new Set(items.map(({ currency }) => currency))].flatMap((currency) => {
    const known = new Map(items.filter((item) => item.currency === currency).map((item) => [item.key, item]));
    const filled: OperatorStatistic[] = [];
    for (let day = first; day <= last; day = shiftDay(day, 1)) {
      filled.push(known.get(day) ?? { ...NOTHING, key: day, name: null, currency });
    }
    return filled;
  });
}

/** Channels without costs among those that carried something. */
async function findLacking(
  operator: OperatorClient,
  carried: readonly OperatorStatistic[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const paid = carried.filter(({ cost, charged }) => cost !== null && isZero(cost) && !isZero(charged));
  const channels = new Map(paid.flatMap(({ key, name }) => (key === null ? [] : [[key, name ?? key] as const])));
  const found = await Promise.all(
    [...channels].map(async ([no, name]) => {
      const { total } = await operator.costs(no, { ...PAGE, pageSize: 1, signal }).page();
      return total === 0 ? [[no, name] as const] : [];
    }),
  );
  return new Map(found.flat());
}

export function trafficQuery(operator: OperatorClient, by: Breakdown, range: Range) {
  const endMs = (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
  const lengthMs = DAYS[range] * 24 * HOUR_MS;
  const period = (untilMs: number) => ({ startAt: new Date(untilMs - lengthMs), endAt: new Date(untilMs) });
  return queryOptions({
    queryKey: ['margins', by, range, endMs],
    queryFn: async ({ signal }): Promise<Traffic> => {
      const [now, before, carried] = await Promise.all([
        operator.statistics({ by, ...period(endMs), signal }),
        operator.statistics({ by, ...period(endMs - lengthMs), signal }),
        operator.statistics({ by: 'channel', ...period(endMs), signal }),
      ]);
      return {
        compared: pair(now.items, before.items, by, DAYS[range]),
        lacking: await findLacking(operator, carried.items, signal),
      };
    },
  });
}

/** Whether its margin is not known: something was earned on channels without a cost. */
export function lacksCosts({ key, cost, charged }: OperatorStatistic, by: Breakdown, { lacking }: Traffic): boolean {
  if (cost === null || !isZero(cost) || isZero(charged)) return false;
  return by === 'channel' ? lacking.has(key ?? '') : lacking.size > 0;
}

/** In millionths, or a count; undefined where it is not kept. */
export function measureOf(item: OperatorStatistic | undefined, measure: Measure): bigint | undefined {
  if (item === undefined) return undefined;
  if (measure === 'numbers') return BigInt(item.numbers);
  const amount = item[measure];
  return amount === null ? undefined : toMillionths(amount);
}

export function showValue(item: OperatorStatistic, measure: Measure): string {
  if (measure === 'numbers') return showCount(item.numbers);
  const amount = item[measure];
  return amount === null ? '–' : showAmount(amount);
}

/** Of what there was; nothing is said where there was nothing. */
export function showChange(now: bigint, before: bigint | undefined): string | undefined {
  if (before === undefined || before <= 0n) return undefined;
  const tenths = Number(((now - before) * 1_000n) / before) / 10;
  return `${tenths > 0 ? '+' : tenths < 0 ? '−' : '±'}${showCount(Math.abs(tenths))} %`;
}
