// Sums of what was sent, and of its outcomes.

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
  readonly cancelled: number;
  /** Given to a carrier, whatever came of it. */
  readonly handed_over: number;
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

/** The share that arrived of what was handed over, in tenths of a percent; undefined where nothing was. */
export function deliveryRate({ delivered, handed_over }: Pick<StatisticsRow, 'delivered' | 'handed_over'>) {
  return handed_over === 0 ? undefined : Math.floor((delivered * 1_000) / handed_over) / 10;
}

const COUNTED = ['total', 'delivered', 'undelivered', 'expired', 'rejected', 'cancelled', 'handed_over'] as const;

export function sumCounts(rows: readonly StatisticsRow[]): Pick<StatisticsRow, (typeof COUNTED)[number]> {
  const sum = { total: 0, delivered: 0, undelivered: 0, expired: 0, rejected: 0, cancelled: 0, handed_over: 0 };
  for (const row of rows) for (const name of COUNTED) sum[name] += row[name];
  return sum;
}
