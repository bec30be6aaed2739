// Counts over time, stacked by outcome. Drawn with plain boxes; the same figures stand in a table for who cannot see them.

import type { ReactElement, ReactNode } from 'react';
import { fillOf } from '../../design/outcomes.js';
import { showCount } from '../../format/count.js';
import { useWords } from '../../words/say.js';
import { FiguresTable } from '../tables/figures-table.js';
import { OutcomeKey, patternOf } from '../values/outcome-key.js';
import { looksLike, type ShownOutcome } from '../values/outcome-label.js';
import { ChartColumn, type RowsBehind } from './chart-column.js';
import styles from './charts.module.css';

export interface StackedBucket {
  readonly key: string;
  /** Below the column; empty where there is no room for one. */
  readonly label: string;
  readonly title: string;
  readonly counts: Readonly<Partial<Record<ShownOutcome, number>>>;
  /** Where the rows behind the column are. */
  readonly rows?: RowsBehind;
}

interface StackedBarsProps {
  readonly label: string;
  readonly outcomes: readonly ShownOutcome[];
  readonly buckets: readonly StackedBucket[];
  /** Of all columns, beside the name of the outcome. */
  readonly showTotal?: (outcome: ShownOutcome) => ReactNode;
}

/** Tops of an axis, in tenths of a power of ten: close enough to waste little of the plot, and easy to read. */
const TENTHS = [10, 12, 16, 20, 30, 40, 50, 60, 80, 100];

/** The next number that is easy to read, and whose half is a whole number, too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const isTop = (top: number) => top >= value && top % 2 === 0;
  return TENTHS.map((tenths) => (tenths * power) / 10).find(isTop) ?? 10 * power;
}

export function StackedBars({ label, outcomes, buckets, showTotal }: StackedBarsProps): ReactElement {
  const say = useWords();
  const totals = buckets.map(({ counts }) => outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0));
  const top = Math.max(4, roundUp(Math.max(0, ...totals)));
  const labels = [top, top / 2].map((value) => showCount(value));
  return (
    <figure className={styles.figure} style={{ '--axis': widthOfAxis(labels) }}>
      <div className={styles.plot} aria-hidden="true">
        <Gridlines labels={labels} />
        <div className={styles.columns}>
          {buckets.map(({ key, title, counts, rows }, index) => (
            <ChartColumn key={key} title={title} rows={rows}>
              {totals[index] !== 0 && (
                <div className={styles.stack} style={{ height: `${((totals[index] ?? 0) / top) * 100}%` }}>
                  {outcomes.map((outcome) => (
                    <Segment key={outcome} outcome={outcome} count={counts[outcome] ?? 0} />
                  ))}
                </div>
              )}
            </ChartColumn>
          ))}
        </div>
      </div>
      <ColumnLabels labels={buckets} />
      <ul className={styles.legend} aria-hidden={showTotal === undefined}>
        {outcomes.map((outcome) => (
          <li key={outcome}>
            <OutcomeKey outcome={outcome} /> {showTotal?.(outcome)}
          </li>
        ))}
      </ul>
      <FiguresTable
        label={label}
        heads={outcomes.map((outcome) => say(`outcome.${outcome}`))}
        rows={buckets.map(({ key, title, counts }) => ({
          key,
          title,
          figures: outcomes.map((outcome) => counts[outcome] ?? 0),
        }))}
      />
    </figure>
  );
}

function Segment({ outcome, count }: { readonly outcome: ShownOutcome; readonly count: number }): ReactElement | null {
  if (count === 0) return null;
  const look = looksLike(outcome);
  const className = `${styles.segment} ${patternOf(look)}`;
  return <div className={className} style={{ flexGrow: count, backgroundColor: fillOf(look) }} />;
}

/** From the top downwards; the bottom is nothing. */
export function Gridlines({ labels }: { readonly labels: readonly string[] }): ReactElement[] {
  return labels.map((text, index) => (
    <div key={text} className={styles.gridline} style={{ top: `${(index / labels.length) * 100}%` }}>
      <span>{text}</span>
    </div>
  ));
}

/** How much room the labels of an axis take beside the plot: their digits are small and of one width. */
export function widthOfAxis(labels: readonly string[]): string {
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return `${Math.max(3, longest * 0.45 + 0.75)}rem`;
}

/** More than so many labels, side by side, need more room than a phone has. */
const MOST_ON_PHONE = 6;
/** So many columns are each as wide as a label, on any screen. */
const MOST_WIDE = 8;

export function ColumnLabels({ labels }: { readonly labels: readonly { key: string; label: string }[] }): ReactElement {
  const isDense = labels.length > MOST_ON_PHONE && labels.every(({ label }) => label !== '');
  const isTight = labels.length > MOST_WIDE;
  const classes = [styles.labels, isDense && styles.dense, isTight && styles.tight];
  return (
    <div className={classes.filter(Boolean).join(' ')} aria-hidden="true">
      {labels.map(({ key, label }) => (
        <span key={key}>{label}</span>
      ))}
    </div>
  );
}
