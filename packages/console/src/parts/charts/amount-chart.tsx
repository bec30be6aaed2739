// Amounts over time: columns for what was spent, steps for what there was. Heights come from whole millionths.

import type { ReactElement } from 'react';
import { shareOf, showAmount, toDecimal, toMillionths } from '../../format/money.js';
import { FiguresTable } from '../tables/figures-table.js';
import { ChartColumn, type RowsBehind } from './chart-column.js';
import styles from './charts.module.css';
import { ColumnLabels, Gridlines, widthOfAxis } from './stacked-bars.js';

export interface AmountPoint {
  readonly key: string;
  readonly label: string;
  readonly title: string;
  readonly value: string;
  /** Where the rows behind the point are. */
  readonly rows?: RowsBehind;
}

interface AmountChartProps {
  readonly label: string;
  readonly points: readonly AmountPoint[];
  readonly shape: 'columns' | 'steps';
  readonly currency: string;
}

/** Whole numbers of any size have no Math.max. */
function findLargest(points: readonly AmountPoint[]): bigint {
  let largest = 0n;
  for (const { value } of points) {
    const millionths = toMillionths(value);
    if (millionths > largest) largest = millionths;
  }
  return largest;
}

/** Tops of an axis, in tenths of a power of ten. */
const TENTHS = [10n, 12n, 16n, 20n, 30n, 40n, 50n, 60n, 80n];

/** The next amount that is easy to read, in millionths. */
export function roundUpAmount(millionths: bigint): bigint {
  let power = 10_000n;
  while (power * 10n < millionths) power *= 10n;
  const tenths = TENTHS.find((one) => one * power >= millionths * 10n) ?? 100n;
  return (tenths * power) / 10n;
}

export function AmountChart({ label, points, shape, currency }: AmountChartProps): ReactElement {
  const largest = findLargest(points);
  const top = roundUpAmount(largest);
  // A top is a round amount: where it has no cents, none are shown.
  const labels = [top, top / 2n].map((amount) => showAmount(toDecimal(amount)).replace(/\.00$/, ''));
  return (
    <figure className={styles.figure} style={{ '--axis': widthOfAxis(labels) }}>
      <div className={styles.plot} style={{ '--plot-height': '8rem' }} aria-hidden="true">
        <Gridlines labels={labels} />
        {shape === 'steps' && <BalanceSteps points={points} top={top} />}
        <div className={styles.columns}>
          {points.map(({ key, title, value, rows }) => (
            <ChartColumn key={key} title={`${title}: ${showAmount(value, currency)}`} rows={rows}>
              {shape === 'columns' && (
                <div
                  className={styles.stack}
                  style={{ height: `${shareOf(value, top) * 100}%`, backgroundColor: 'var(--accent)' }}
                />
              )}
            </ChartColumn>
          ))}
        </div>
      </div>
      <ColumnLabels labels={points} />
      <FiguresTable
        label={label}
        rows={points.map(({ key, title, value }) => ({ key, title, figures: [showAmount(value, currency)] }))}
      />
    </figure>
  );
}

/**
 * In a box of 100 by 100 that is stretched over the plot; the pen is not stretched with it. A balance stays until it changes: a slope
 * between two of them would show amounts that there never were.
 */
function BalanceSteps({
  points,
  top,
}: {
  readonly points: readonly AmountPoint[];
  readonly top: bigint;
}): ReactElement {
  const step = 100 / Math.max(points.length, 1);
  const path = points
    .map(({ value }, index) => {
      const height = Math.max(0, shareOf(value, top)) * 100;
      const y = (100 - height).toFixed(2);
      return `${index === 0 ? `M0 ${y}` : `V${y}`}H${((index + 1) * step).toFixed(2)}`;
    })
    .join('');
  return (
    <svg className={styles.line} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={path} fill="none" stroke="var(--accent)" strokeWidth="2" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
