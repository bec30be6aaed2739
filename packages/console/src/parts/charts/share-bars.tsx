// Shares side by side: one line a name, its bar, its figure.

import type { ReactElement, ReactNode } from 'react';
import styles from './charts.module.css';

export interface ShareBar {
  readonly key: string;
  readonly name: string;
  /** Below the name: of how many it is the share. */
  readonly note?: ReactNode;
  /** Between 0 and 1. */
  readonly share: number;
  readonly value: ReactNode;
  readonly color: string;
}

export function ShareBars({ bars }: { readonly bars: readonly ShareBar[] }): ReactElement {
  return (
    <ul className={styles.bars}>
      {bars.map(({ key, name, note, share, value, color }) => (
        <li key={key} className={styles.bar}>
          <span className={styles.barName} title={name}>
            {name}
            {note !== undefined && <span className={styles.barNote}>{note}</span>}
          </span>
          <span className={styles.track} aria-hidden="true">
            <span
              className={styles.fill}
              style={{ display: 'block', width: `${share * 100}%`, backgroundColor: color }}
            />
          </span>
          <span className={styles.barValue}>{value}</span>
        </li>
      ))}
    </ul>
  );
}
