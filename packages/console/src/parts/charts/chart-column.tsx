import type { ReactElement, ReactNode } from 'react';
import { RowLink } from '../tables/row-link.js';
import styles from './charts.module.css';

/** An address in the console. */
export interface RowsBehind {
  readonly to: '/receipts' | '/ledger';
  readonly search: Readonly<Record<string, string>>;
}

interface ChartColumnProps {
  readonly title: string;
  readonly rows: RowsBehind | undefined;
  readonly children: ReactNode;
}

/** Leads to its rows by the mouse; who cannot use one has the table, the totals and the filters of the list. */
export function ChartColumn({ title, rows, children }: ChartColumnProps): ReactElement {
  if (rows === undefined) {
    return (
      <div className={styles.column} title={title}>
        {children}
      </div>
    );
  }
  return (
    <RowLink to={rows.to} search={rows.search} className={styles.column} title={title} tabIndex={-1}>
      {children}
    </RowLink>
  );
}
