// A table of any length. Only the rows in sight exist in the page, so ten thousand scroll as smoothly as ten.

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Rows } from '../api/rows.js';
import { useWords } from '../words/say.js';
import styles from './rows-table.module.css';
import { FailureState, LoadingState } from './states.js';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** A track of a CSS grid, such as `8rem` or `minmax(0, 1fr)`. */
  readonly width: string;
  /** Its track where the page is narrow; an equal share unless given. */
  readonly narrowWidth?: string;
  readonly isEnd?: boolean;
  /** Left out where the page is narrow; the row leads to a page that has it. */
  readonly isWideOnly?: boolean;
  readonly render: (row: Row) => ReactNode;
}

interface RowsTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly source: Rows<Row>;
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly rowHeight?: number;
  readonly mayBeMissing?: boolean;
}

export function RowsTable<Row>(props: RowsTableProps<Row>): ReactElement {
  const { source, empty, mayBeMissing = false } = props;
  if (source.error !== null) return <FailureState error={source.error} mayBeMissing={mayBeMissing} />;
  if (source.isLoading) return <LoadingState lines={8} />;
  if (source.rows.length === 0) return <>{empty}</>;
  return <FilledTable {...props} />;
}

function FilledTable<Row>({ label, columns, source, keyOf, rowHeight = 44 }: RowsTableProps<Row>): ReactElement {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useEffect(() => {
    setScrollMargin((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const { rows, hasMore, loadMore } = source;
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 16,
    scrollMargin,
  });
  const shown = virtualizer.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= rows.length - 10) loadMore();
  });
  const tracks = {
    '--wide': columns.map(({ width }) => width).join(' '),
    '--narrow': columns
      .filter(({ isWideOnly }) => isWideOnly !== true)
      .map(({ narrowWidth }) => narrowWidth ?? 'minmax(0, 1fr)')
      .join(' '),
    '--row-height': `${rowHeight}px`,
  };
  return (
    <>
      <table className={styles.table} aria-label={label} aria-rowcount={source.total ?? -1} style={tracks}>
        <thead className={styles.top}>
          <tr className={styles.head}>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const place = { transform: `translateY(${start - scrollMargin}px)` };
            return (
              <tr key={keyOf(row)} className={styles.row} aria-rowindex={index + 2} style={place}>
                {columns.map((column) => (
                  <td key={column.id} className={classOf(column)}>
                    {column.render(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <TableFoot source={source} />
    </>
  );
}

function classOf<Row>({ isEnd, isWideOnly }: Column<Row>): string {
  return [styles.cell, isEnd === true && styles.end, isWideOnly === true && styles.wideOnly].filter(Boolean).join(' ');
}

function TableFoot<Row>({ source }: { readonly source: Rows<Row> }): ReactElement {
  const say = useWords();
  const count = source.total ?? source.rows.length;
  return (
    <div className={styles.foot} aria-live="polite">
      {say(source.isTotalExact ? 'state.total' : 'state.totalAtLeast', { count })}
    </div>
  );
}
