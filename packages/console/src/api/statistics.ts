// What was sent and what became of it, in sums that the service keeps.

import type { PostriderClient } from '@postrider/client';

export type StatisticsBy = 'day' | 'hour' | 'template' | 'firm' | 'code';

export interface StatisticsRow {
  /** Null for what has none, such as numbers that no firm serves. */
  readonly key: string | null;
  readonly total: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly expired: number;
  readonly rejected: number;
  readonly parts: number;
  readonly charged: string;
}

export interface Period {
  readonly startAt: Date;
  readonly endAt: Date;
}

export async function readStatistics(
  client: PostriderClient,
  by: StatisticsBy,
  { startAt, endAt }: Period,
  signal: AbortSignal,
): Promise<readonly StatisticsRow[]> {
  const query = { start_at: startAt, end_at: endAt, by };
  const path = '/openapi/v1/messages/statistics/';
  return (await client.request<{ items: StatisticsRow[] }>({ method: 'GET', path, query, signal })).items;
}

/** The share that arrived of what has an outcome, in tenths of a percent; undefined where nothing has one. */
export function deliveryRate({ delivered, total }: Pick<StatisticsRow, 'delivered' | 'total'>): number | undefined {
  return total === 0 ? undefined : Math.floor((delivered * 1_000) / total) / 10;
}

const COUNTED = ['total', 'delivered', 'undelivered', 'expired', 'rejected', 'parts'] as const;

export function sumCounts(rows: readonly StatisticsRow[]): Pick<StatisticsRow, (typeof COUNTED)[number]> {
  const sum = { total: 0, delivered: 0, undelivered: 0, expired: 0, rejected: 0, parts: 0 };
  for (const row of rows) for (const name of COUNTED) sum[name] += row[name];
  return sum;
}
