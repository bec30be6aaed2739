// The figures of the operators' digest, over all customers. Days come from the sums: the cost follows customers and codes, not numbers.

import type { DayFigures, DayMoney, Digest } from '../../domain/digest.js';
import { shiftDay, startOfDay } from '../../domain/local-time.js';
import { bucketSql } from '../cluster/distribution.js';
import { readTraffic } from '../money/traffic.js';
import type { Sql } from '../sql.js';
import { readChannels } from './channel.js';
import { listPendingReviews } from './templates/template-review.js';
import { listUnknown } from './unknown.js';

const MAX_COUNTED = 10_000;

/** The billing time zone that most active customers have. */
export async function readCommonTimeZone(sql: Sql): Promise<string> {
  const [row] = await sql<{ zone: string }[]>`
    select billing_time_zone as zone from customer where status = 'active' group by 1 order by count(*) desc, 1 limit 1`;
  return row?.zone ?? 'UTC';
}

/** The caller makes sure that the sums reach to the end of the day. */
export async function readDigest(
  sql: Sql,
  buckets: readonly number[],
  { day, timeZone }: Pick<Digest, 'day' | 'timeZone'>,
): Promise<Digest> {
  const readDay = (one: string) =>
    readDayFigures(sql, buckets, startOfDay(timeZone, one), startOfDay(timeZone, shiftDay(one, 1)));
  const [figures, before, unconfirmed, reviews, channels] = await Promise.all([
    readDay(day),
    readDay(shiftDay(day, -1)),
    listUnknown(sql, buckets, {}).count(MAX_COUNTED),
    listPendingReviews(sql, {}).count(MAX_COUNTED),
    readChannels(sql),
  ]);
  const down = channels.filter(({ status, health }) => status === 'active' && health.state === 'down');
  return { day, timeZone, figures, before, unconfirmed, reviews, channelsDown: down.map(({ name }) => name).sort() };
}

async function readDayFigures(sql: Sql, buckets: readonly number[], from: number, until: number): Promise<DayFigures> {
  const counts = await Promise.all(buckets.map((bucket) => readCounts(bucketSql(sql, bucket), bucket, from, until)));
  const traffic = await Promise.all(
    buckets.map((bucket) => readTraffic(bucketSql(sql, bucket), bucket, 'day', { from, until })),
  );
  const money = new Map<string, DayMoney>();
  for (const { currency, charged, refunded, cost } of traffic.flat()) {
    const sum = money.get(currency) ?? { currency, charged: 0n, cost: 0n, margin: 0n };
    const margin = charged - (refunded ?? 0n) - (cost ?? 0n);
    money.set(currency, {
      currency,
      charged: sum.charged + charged,
      cost: sum.cost + (cost ?? 0n),
      margin: sum.margin + margin,
    });
  }
  const rejected = new Map<string, number>();
  for (const { code, rejected: count } of counts.flat()) rejected.set(code, (rejected.get(code) ?? 0) + count);
  return {
    sent: counts.flat().reduce((sum, { sent }) => sum + sent, 0),
    delivered: counts.flat().reduce((sum, { delivered }) => sum + delivered, 0),
    rejections: [...rejected]
      .filter(([, count]) => count > 0)
      .map(([code, count]) => ({ code, count }))
      .sort((one, other) => other.count - one.count || one.code.localeCompare(other.code)),
    money: [...money.values()]
      .filter(({ charged, cost }) => charged !== 0n || cost !== 0n)
      .sort((one, other) => one.currency.localeCompare(other.currency)),
  };
}

function readCounts(sql: Sql, bucket: number, from: number, until: number) {
  return sql<{ code: string; sent: number; delivered: number; rejected: number }[]>`
    select key as code, sum(coalesce(handed_over, delivered + undelivered + expired))::float8 as sent,
      sum(delivered)::float8 as delivered, sum(rejected)::float8 as rejected
    from receipt_sum
    where bucket = ${bucket} and series = 'code' and grain = 'hour' and at >= ${new Date(from)} and at < ${new Date(until)}
    group by 1`;
}
