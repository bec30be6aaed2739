// How many numbers came to which end, by day or hour, template, firm or code.

import { Type } from '@sinclair/typebox';
import { errorText } from '../../../domain/fault/error-text.js';
import type { Fault } from '../../../domain/fault/fault.js';
import { startOfHour } from '../../../domain/local-time.js';
import { formatTime, MAX_TIME_MS } from '../../../domain/rfc3339.js';
import { firstHourKept, HOURS_KEPT_DAYS } from '../../../store/money/old-hours.js';
import {
  BREAKDOWNS,
  type Breakdown,
  type Counted,
  readHours,
  readStatistics,
} from '../../../store/money/statistics.js';
import { examples } from '../../examples.js';
import { JSON_MEDIA_TYPE } from '../../media-type.js';
import { type AskedTimes, checkKeptTimes } from '../../query/kept-times.js';
import { oneOf, parseTimedQuery, timeParameters } from '../../query/list-query.js';
import { parameterFault } from '../../query/query-string.js';
import type { Route } from '../../route.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';
import { StatisticSchema } from '../schemas/statistics.js';
import { bringUpToDate, renderOutcomes } from './outcome-view.js';

const filters = {
  by: {
    ...oneOf(BREAKDOWNS, 'What to count by. Days and hours are those of the billing time zone of the customer.'),
    default: 'day',
  },
};
const MAX_HOURS = 366 * 24;
const HOUR_MS = 3_600_000;

export function statisticsRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'GET',
    path: '/openapi/v1/messages/statistics/',
    name: 'getStatistics',
    tag: 'Messages',
    summary: 'Count numbers by result',
    description:
      'A number is counted when its receipt is made. Days and hours come in their order and without gaps being filled, others with the most numbers first. Exact at the moment of the answer, whatever the time; a time of whole hours costs least. `by=hour` covers 366 days at most: without a `start_at`, the last ones before the end. Hours are kept for 400 days: before that, `by=hour` is refused, and `start_at` and `end_at` must be midnight in the billing time zone; where retention has deleted the receipts, whole hours. Numbers that were cancelled or whose time ran out before they were sent are `cancelled`, all others without delivery `rejected`, `undelivered` or `expired`. The delivery rate is `delivered` of `handed_over`.',
    query: { ...filters, ...timeParameters },
    answer: {
      status: 200,
      description: 'All there are, without pages.',
      schema: Type.Object({ items: Type.Array(StatisticSchema) }, { $id: 'Statistics' }),
      example: { items: [examples.statistic] },
    },
    problems: [],
    handle: (call) => showStatistics(deps, call),
  };
}

async function showStatistics(deps: CustomerDeps, { customer, requestTarget, reply }: CustomerCall) {
  const { sql, snapshot, now } = deps;
  const query = await parseTimedQuery(filters, requestTarget, (asked) =>
    checkTimes(deps, asked, customer.billingTimeZone),
  );
  const by: Breakdown = query.filters.by ?? 'day';
  const firstMs =
    by === 'hour' ? Math.max(firstHourKept(now()), firstHourBefore(query.endMs ?? now(), customer.billingTimeZone)) : 0;
  const span = { from: query.startMs ?? firstMs, until: query.endMs ?? MAX_TIME_MS };
  await bringUpToDate(sql, customer);
  reply.type(`${JSON_MEDIA_TYPE}; charset=utf-8`);
  if (by === 'hour') return writeAnswer(await readHours(sql, customer, span, (hours) => writeItems(hours, writeTime)));
  const keyOf = (key: string) => (by === 'template' ? snapshot.current().templateById(BigInt(key))?.templateNo : key);
  const rows = await readStatistics(sql, customer, by, span);
  return writeAnswer([writeItems(rows, (key) => JSON.stringify(keyOf(key) || null))]);
}

/** Nothing in it that JSON escapes. */
const writeTime = (time: string) => `"${time}"`;

/**
 * What `JSON.stringify` makes of the items, without the brackets around them. It takes twice as long, and needs all items at
 * once, which are then dear to collect.
 */
function writeItems(rows: Iterable<Counted>, writeKey: (key: string) => string): Buffer {
  let text = '';
  for (const row of rows) {
    const { total, delivered, undelivered, expired, rejected, cancelled, handed_over, parts, charged } =
      renderOutcomes(row);
    text += `${text === '' ? '' : ','}{"key":${writeKey(row.key)},"total":${total},"delivered":${delivered},"undelivered":${undelivered},"expired":${expired},"rejected":${rejected},"cancelled":${cancelled},"handed_over":${handed_over},"parts":${parts},"charged":"${charged}"}`;
  }
  return Buffer.from(text);
}

const BEGIN = Buffer.from('{"items":[');
const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

function writeAnswer(pieces: readonly Buffer[]): Buffer {
  const filled = pieces.filter((piece) => piece.length > 0);
  return Buffer.concat([BEGIN, ...filled.flatMap((piece, nth) => (nth === 0 ? [piece] : [COMMA, piece])), END]);
}

/** A whole hour: those cost least. */
function firstHourBefore(endMs: number, timeZone: string): number {
  return Math.max(0, startOfHour(timeZone, endMs) - MAX_HOURS * HOUR_MS);
}

/** Hours that are asked for by name, and then times that cut what is kept. */
async function checkTimes(
  { sql, now }: CustomerDeps,
  query: AskedTimes & { readonly filters: { readonly by?: Breakdown } },
  timeZone: string,
): Promise<readonly Fault[]> {
  const faults = query.filters.by === 'hour' ? checkHours(query, now()) : [];
  return faults.length > 0 ? faults : checkKeptTimes(sql, query, [timeZone], now());
}

function checkHours({ startMs, endMs }: AskedTimes, nowMs: number): Fault[] {
  if (startMs !== undefined && (endMs ?? nowMs) - startMs > MAX_HOURS * HOUR_MS) {
    return [parameterFault('start_at', 'out_of_range', errorText('hours_too_long'))];
  }
  const keptFromMs = firstHourKept(nowMs);
  const kept = { days: HOURS_KEPT_DAYS, from: formatTime(new Date(keptFromMs)) };
  if (startMs !== undefined && startMs < keptFromMs) {
    return [parameterFault('start_at', 'out_of_range', errorText('hours_start_too_old', kept))];
  }
  if (startMs === undefined && endMs !== undefined && endMs <= keptFromMs) {
    return [parameterFault('end_at', 'out_of_range', errorText('hours_end_too_old', kept))];
  }
  return [];
}
