// What there was over time, each column with that of the period before beside it.

import type { ReactElement } from 'react';
import { useWords } from '../../words/say.js';
import { FiguresTable } from '../tables/figures-table.js';
import { ChartColumn } from './chart-column.js';
import styles from './charts.module.css';
import { ComparedKey } from './compared-bars.js';
import { ColumnLabels, Gridlines, widthOfAxis } from './stacked-bars.js';

export interface ComparedColumn {
  readonly key: string;
  readonly label: string;
  readonly title: string;
  /** Of the axis, between 0 and 1. */
  readonly now: number;
  readonly before: number;
  readonly shownNow: string;
  readonly shownBefore: string;
}

interface ComparedColumnsProps {
  readonly label: string;
  readonly columns: readonly ComparedColumn[];
  /** At the top of the axis and at its middle. */
  readonly axis: readonly string[];
}

export function ComparedColumns({ label, columns, axis }: ComparedColumnsProps): ReactElement {
  const say = useWords();
  const height = (share: number) => ({ height: `${Math.max(0, share) * 100}%` });
  return (
    <figure className={styles.figure} style={{ '--axis': widthOfAxis(axis) }}>
      <div className={styles.plot} aria-hidden="true">
        <Gridlines labels={axis} />
        <div className={styles.columns}>
          {columns.map(({ key, title, now, before, shownNow, shownBefore }) => (
            <ChartColumn
              key={key}
              title={`${title}: ${shownNow} (${say('compared.was', { value: shownBefore })})`}
              rows={undefined}
            >
              <span className={styles.pair}>
                <span className={`${styles.one} ${styles.before}`} style={height(before)} />
                <span className={`${styles.one} ${styles.now}`} style={height(now)} />
              </span>
            </ChartColumn>
          ))}
        </div>
      </div>
      <ColumnLabels labels={columns} />
      <ComparedKey />
      <FiguresTable
        label={label}
        heads={[say('compared.now'), say('compared.periodBefore')]}
        rows={columns.map(({ key, title, shownNow, shownBefore }) => ({
          key,
          title,
          figures: [shownNow, shownBefore],
        }))}
      />
    </figure>
  );
}
