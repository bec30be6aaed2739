// How figures are shown.

import type { Row } from '../bench.js';
import type { FigureName, Figures } from '../figures.js';

interface Measure {
  readonly show: (value: number) => string;
  /** Whether more of it is better; what is neither is not compared. */
  readonly better: 'higher' | 'lower';
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const inUnit =
  (unit: string, digits = 0) =>
  (value: number) =>
    `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;

export const MEASURES: Readonly<Record<FigureName, Measure>> = {
  numbers_per_s: { show: (value) => `${whole(value)} numbers/s`, better: 'higher' },
  requests_per_s: { show: (value) => `${whole(value)} accepted/s`, better: 'higher' },
  messages_per_s: { show: (value) => `${whole(value)} handed over/s`, better: 'higher' },
  ratio: { show: (value) => `${value.toFixed(2)} × one customer`, better: 'higher' },
  cost_ratio: { show: (value) => `${value.toFixed(2)} × by processor time`, better: 'higher' },
  p50_ms: { show: (value) => `p50 ${inUnit('ms', 1)(value)}`, better: 'lower' },
  p99_ms: { show: (value) => `p99 ${inUnit('ms', 1)(value)}`, better: 'lower' },
  longest_ms: { show: (value) => `longest ${inUnit('ms', 1)(value)}`, better: 'lower' },
  calls_ms: { show: (value) => `calls ${inUnit('ms', 1)(value)}`, better: 'lower' },
  service_us: { show: (value) => `service ${inUnit('µs')(value)}`, better: 'lower' },
  coordinator_us: { show: (value) => `coordinator ${inUnit('µs')(value)}`, better: 'lower' },
  busiest_us: { show: (value) => `busiest machine ${inUnit('µs')(value)}`, better: 'lower' },
  database_us: { show: (value) => `database ${inUnit('µs')(value)}`, better: 'lower' },
  wal_bytes: { show: (value) => `WAL ${inUnit('B')(value)}`, better: 'lower' },
  transactions: { show: (value) => `${value.toFixed(3)} transactions`, better: 'lower' },
  pages: { show: inUnit('pages'), better: 'lower' },
  total_pages: { show: (value) => `the total ${inUnit('pages')(value)}`, better: 'lower' },
  total_ms: { show: (value) => `in ${inUnit('ms', 1)(value)}`, better: 'lower' },
  grown: { show: whole, better: 'lower' },
  settled_mb: { show: (value) => `settled ${inUnit('MB')(value)}`, better: 'lower' },
  end_mb: { show: (value) => `end ${inUnit('MB')(value)}`, better: 'lower' },
  highest_mb: { show: (value) => `highest ${inUnit('MB')(value)}`, better: 'lower' },
  left_over: { show: (value) => `${whole(value)} numbers behind at the end`, better: 'lower' },
  core_percent: { show: (value) => `${value.toFixed(1)} % of a core`, better: 'lower' },
  service_percent: { show: (value) => `service ${value.toFixed(1)} %`, better: 'lower' },
  database_percent: { show: (value) => `database ${value.toFixed(1)} %`, better: 'lower' },
  xids_per_s: { show: (value) => `${value.toFixed(1)} transaction ids/s`, better: 'lower' },
  drain_s: { show: (value) => `${inUnit('s', 1)(value)} to drain`, better: 'lower' },
};

export function listFigures(figures: Figures): [FigureName, number][] {
  return Object.entries(figures) as [FigureName, number][];
}

/** A line of a run, with what the leading figure was in the last one. */
export function describeRow(row: Row, last: Row | undefined): string {
  const figures = listFigures(row.figures).map(([name, value]) => MEASURES[name].show(value));
  return `  ${row.label}: ${figures.join(', ')}${describeChange(row, last)}`;
}

function describeChange(row: Row, last: Row | undefined): string {
  const [name, value] = listFigures(row.figures)[0] ?? [];
  const before = name === undefined ? undefined : last?.figures[name];
  if (name === undefined || value === undefined || !before) return '';
  const change = (value / before - 1) * 100;
  const isBetter = change > 0 === (MEASURES[name].better === 'higher');
  const judged = Math.abs(change) < 1 ? 'as before' : `${change > 0 ? '+' : ''}${change.toFixed(0)} %`;
  return ` (last run ${MEASURES[name].show(before)}: ${judged}${Math.abs(change) < 1 ? '' : isBetter ? ', better' : ', worse'})`;
}
