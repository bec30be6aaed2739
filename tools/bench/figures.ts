// What a scenario measures.

/** Everything that is measured, with its unit in the name. */
export type FigureName =
  | 'numbers_per_s'
  | 'requests_per_s'
  | 'messages_per_s'
  | 'ratio'
  | 'cost_ratio'
  | 'p50_ms'
  | 'p99_ms'
  | 'longest_ms'
  | 'calls_ms'
  | 'service_us'
  | 'database_us'
  | 'coordinator_us'
  | 'busiest_us'
  | 'wal_bytes'
  | 'transactions'
  | 'pages'
  | 'total_pages'
  | 'total_ms'
  | 'grown'
  | 'settled_mb'
  | 'end_mb'
  | 'highest_mb'
  | 'left_over'
  | 'drain_s'
  | 'core_percent'
  | 'service_percent'
  | 'database_percent'
  | 'xids_per_s';

export type Figures = Partial<Record<FigureName, number>>;

/** Of an even number of values, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
