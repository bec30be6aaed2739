// What the service promises of its speed, as ratios of figures of one run wherever that is possible.

import type { Row } from '../bench.js';
import type { FigureName } from '../figures.js';

type Read = (key: string, name: FigureName) => number | undefined;

export interface Target {
  readonly title: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  readonly unit: string;
  readonly measure: (read: Read) => number | undefined;
}

function divide(above: number | undefined, below: number | undefined): number | undefined {
  return above === undefined || !below ? undefined : above / below;
}

/** The worst of what was measured. */
function leastOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const UPSTREAMS = ['simulator', 'smpp'];
const BULK_SIZES = [5000, 500, 50];

const spreadTargets = (kind: 'bulk' | 'single', sizes: readonly number[], counts: readonly number[]): Target[] =>
  counts.map((count) => ({
    title: `${kind}, ${count} customers against one, the worst`,
    bound: { atLeast: 0.8 },
    unit: '×',
    measure: (read) =>
      leastOf(
        UPSTREAMS.flatMap((upstream) => sizes.map((size) => read(`${kind}.${upstream}.${size}.${count}`, 'ratio'))),
      ),
  }));

/** The second database that is given against the first: a cluster against one PostgreSQL. */
const databaseTargets = (kind: 'bulk' | 'single'): Target[] => [
  {
    title: `${kind}, the second database against the first`,
    bound: { atLeast: 0.5 },
    unit: '×',
    measure: (read) => read(`databases.${kind}.1`, 'ratio'),
  },
  {
    title: `${kind}, processor time of the second database against the first`,
    bound: { atMost: 2 },
    unit: '×',
    measure: (read) => divide(read(`databases.${kind}.1`, 'database_us'), read(`databases.${kind}.0`, 'database_us')),
  },
  {
    title: `${kind}, processor time of its busiest machine against the first`,
    bound: { atMost: 0.9 },
    unit: '×',
    measure: (read) => divide(read(`databases.${kind}.1`, 'busiest_us'), read(`databases.${kind}.0`, 'database_us')),
  },
  {
    title: `${kind}, share of the coordinator in the processor time of the second database`,
    bound: { atMost: 0.05 },
    unit: '×',
    measure: (read) =>
      divide(read(`databases.${kind}.1`, 'coordinator_us'), read(`databases.${kind}.1`, 'database_us')),
  },
];

export const TARGETS: readonly Target[] = [
  ...databaseTargets('bulk'),
  ...databaseTargets('single'),
  ...spreadTargets('bulk', BULK_SIZES, [10, 100, 1000]),
  ...spreadTargets('single', [1], [100, 1000]),
  {
    title: 'bulk over SMPP, one customer, against the row writes alone',
    bound: { atLeast: 0.6 },
    unit: '×',
    measure: (read) => divide(read('bulk.smpp.5000.1', 'numbers_per_s'), read('floors.rows', 'numbers_per_s')),
  },
  {
    title: 'bulk over SMPP, one customer, against what Kannel hands over',
    bound: { atLeast: 10 },
    unit: '×',
    measure: (read) => divide(read('bulk.smpp.5000.1', 'numbers_per_s'), read('kannel', 'messages_per_s')),
  },
  {
    title: 'single numbers over SMPP, one customer, against what Kannel hands over',
    bound: { atLeast: 3 },
    unit: '×',
    measure: (read) => divide(read('single.smpp.1.1', 'numbers_per_s'), read('kannel', 'messages_per_s')),
  },
  {
    title: 'accepts alone against those of Kannel',
    bound: { atLeast: 1 },
    unit: '×',
    measure: (read) => divide(read('accept', 'requests_per_s'), read('kannel', 'requests_per_s')),
  },
  {
    title: 'accepts alone against the bare server',
    bound: { atLeast: 0.4 },
    unit: '×',
    measure: (read) => divide(read('accept', 'requests_per_s'), read('floors.http', 'requests_per_s')),
  },
  {
    title: 'bulk until all of it was pushed to a webhook, against bulk without a webhook',
    bound: { atLeast: 0.9 },
    unit: '×',
    measure: (read) => divide(read('push.told', 'numbers_per_s'), read('push.silent', 'numbers_per_s')),
  },
  {
    title: 'bulk with all rules against bulk without, by processor time',
    bound: { atLeast: 0.85 },
    unit: '×',
    measure: (read) => read('rules.all', 'cost_ratio'),
  },
  {
    title: 'bulk over CMPP, SGIP and SMGP against SMPP, by processor time, the worst',
    bound: { atLeast: 0.9 },
    unit: '×',
    measure: (read) => leastOf(['cmpp', 'sgip', 'smgp'].map((kind) => read(`kinds.${kind}`, 'cost_ratio'))),
  },
  {
    title: 'a small customer behind a large backlog, p99',
    bound: { atMost: 100 },
    unit: 'ms',
    measure: (read) => read('backlog', 'p99_ms'),
  },
  {
    title: 'memory, a million numbers queued on ten busy channels, highest',
    bound: { atMost: 400 },
    unit: 'MB',
    measure: (read) => read('memory', 'highest_mb'),
  },
  {
    title: 'idle, service and database together',
    bound: { atMost: 5 },
    unit: '% of a core',
    measure: (read) => read('idle', 'core_percent'),
  },
  {
    title: 'idle, transaction ids',
    bound: { atMost: 5 },
    unit: 'a second',
    measure: (read) => read('idle', 'xids_per_s'),
  },
  {
    title: 'soak, memory in the last quarter against the second',
    bound: { atMost: 1.1 },
    unit: '×',
    measure: (read) => divide(read('soak', 'end_mb'), read('soak', 'settled_mb')),
  },
  {
    title: 'lists that read more of a long history than of a short one',
    bound: { atMost: 0 },
    unit: 'lists',
    measure: (read) => read('lists.grown', 'grown'),
  },
  {
    title: 'soak, seconds to drain after the last request',
    bound: { atMost: 5 },
    unit: 's',
    measure: (read) => read('soak', 'drain_s'),
  },
];

/** A line for each target that this run could judge. */
export function judgeTargets(rows: readonly Row[]): string[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const read: Read = (key, name) => byKey.get(key)?.figures[name];
  return TARGETS.flatMap((target) => {
    const value = target.measure(read);
    if (value === undefined) return [];
    const { bound, unit, title } = target;
    const isMet = 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
    const wanted = 'atLeast' in bound ? `at least ${bound.atLeast} ${unit}` : `at most ${bound.atMost} ${unit}`;
    return [`  ${isMet ? 'met   ' : 'missed'} ${title}: ${value.toFixed(2)} ${unit}, wanted ${wanted}`];
  });
}
