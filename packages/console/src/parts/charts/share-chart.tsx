// A share over time as columns, with the lines from which on it is worth a look, and bad. Read without colour: the lines are
// named, and the same figures stand in a table for who cannot see them.

import type { ReactElement } from 'react';
import { fillOf } from '../../design/outcomes.js';
import { FiguresTable } from '../tables/figures-table.js';
import { ChartColumn } from './chart-column.js';
import styles from './charts.module.css';
import { ColumnLabels } from './stacked-bars.js';

export interface ShareColumn {
  readonly key: string;
  readonly label: string;
  readonly title: string;
  /** Undefined where there is nothing to have a share of. */
  readonly share: number | undefined;
}

interface ShareChartProps {
  readonly label: string;
  readonly columns: readonly ShareColumn[];
  readonly watch: number;
  readonly bad: number;
}

export function showShare(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** A limit is a round figure. */
export function showShareLimit(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function ShareChart({ label, columns, watch, bad }: ShareChartProps): ReactElement {
  // The bad line stands at half the height, so that it is seen while all is well.
  const top = Math.min(1, Math.max(2 * bad, ...columns.map(({ share }) => share ?? 0)));
  const fillFor = (share: number) => fillOf(share >= bad ? 'undelivered' : share >= watch ? 'unknown' : 'delivered');
  return (
    <figure className={styles.figure}>
      <div className={`${styles.plot} ${styles.low}`} aria-hidden="true">
        {[watch, bad].map((limit) => (
          <div
            key={limit}
            className={`${styles.gridline} ${limit === bad ? styles.badLine : styles.watchLine}`}
            style={{ bottom: `${(limit / top) * 100}%` }}
          >
            <span>{showShareLimit(limit)}</span>
          </div>
        ))}
        <div className={styles.columns}>
          {columns.map(({ key, title, share = 0 }) => (
            <ChartColumn key={key} title={title === '' ? '' : `${title} · ${showShare(share)}`} rows={undefined}>
              <div
                className={styles.stack}
                style={{
                  height: `${(share / top) * 100}%`,
                  minHeight: share > 0 ? 2 : 0,
                  backgroundColor: fillFor(share),
                }}
              />
            </ChartColumn>
          ))}
        </div>
      </div>
      <ColumnLabels labels={columns} />
      <FiguresTable
        label={label}
        heads={[label]}
        rows={columns.map(({ key, title, share }) => ({
          key,
          title,
          figures: [share === undefined ? '–' : showShare(share)],
        }))}
      />
    </figure>
  );
}
