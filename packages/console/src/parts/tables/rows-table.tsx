// A table of any length. Only the rows in sight exist in the page, so ten thousand scroll as smoothly as ten.

import { useMediaQuery } from '@mantine/hooks';
import { memo, type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import type { Rows } from '../../api/rows.js';
import { nameZone } from '../../format/moment.js';
import { usePreferences } from '../../preferences.js';
import { useWords } from '../../words/say.js';
import { useDrawn } from '../layout/deferred-render.js';
import { ScrollBox } from '../layout/scroll-box.js';
import { FailureState, LoadingState } from '../layout/states.js';
import { useRowsInSight } from './rows-in-sight.js';
import styles from './rows-table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** A track of a CSS grid, such as `8rem` or `minmax(0, 1fr)`. */
  readonly width: string;
  /** Its track where the page is narrow; an equal share unless given. */
  readonly narrowWidth?: string;
  readonly isEnd?: boolean;
  /** Left out where the page is narrow; another column has it as its note there, or the page that the row leads to. */
  readonly isWideOnly?: boolean;
  /** Shown only where the viewer has chosen it. */
  readonly isOptional?: boolean;
  readonly render: (row: Row) => ReactNode;
  /** A second line where the page is narrow. */
  readonly renderNote?: (row: Row) => ReactNode;
}

interface RowsTableProps<Row> {
  readonly label: string;
  /** The same ones from one look to the next, or every row is drawn anew each time. */
  readonly columns: readonly Column<Row>[];
  readonly source: Rows<Row>;
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly rowHeight?: number;
  readonly mayBeMissing?: boolean;
  /** What stands above it takes so many pixels at the least: no more rows are drawn at first than fit below. */
  readonly leastTop?: number;
}

export function RowsTable<Row>(props: RowsTableProps<Row>): ReactElement {
  const { source, empty, mayBeMissing = false } = props;
  if (source.error !== null) return <FailureState error={source.error} mayBeMissing={mayBeMissing} />;
  if (source.isLoading || (source.isChanging && source.rows.length === 0)) return <LoadingState lines={8} />;
  if (source.rows.length === 0) return source.hasMore ? <SearchingState source={source} /> : <>{empty}</>;
  return <FilledTable {...props} />;
}

/** A page may be empty although the list continues: the next pages are read until there is a row, or the end. */
function SearchingState<Row>({ source: { loadMore } }: Pick<RowsTableProps<Row>, 'source'>): ReactElement {
  useEffect(loadMore);
  return <LoadingState lines={8} />;
}

/** As in the style sheet: above it, every list fits with all of its columns. */
const NARROW = '(max-width: 64em)';
/** The frame, the title of the page and that of the table. */
const BELOW_TITLE = 180;
/** And the fields of a filter, or the button that unfolds them. */
export const BELOW_FILTERS = 236;
/** Of a second line, in pixels. */
const NOTE_HEIGHT = 18;
/** Of a column that takes what is left, where the table is scrolled. */
const LEAST_WIDTH = '9rem';

function FilledTable<Row>(props: RowsTableProps<Row>): ReactElement {
  const { label, columns, source, keyOf, leastTop = BELOW_TITLE } = props;
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const hasNotes = isNarrow === true && columns.some(({ renderNote }) => renderNote !== undefined);
  const rowHeight = (props.rowHeight ?? 44) + (hasNotes ? NOTE_HEIGHT : 0);
  const body = useRef<HTMLTableSectionElement>(null);
  const isDrawn = useDrawn(source.isChanging);
  const { rows, hasMore, loadMore } = source;
  const [from, until] = useRowsInSight({ body, count: rows.length, rowHeight, isDrawn, leastTop });
  useEffect(() => {
    if (hasMore && until > rows.length - 10) loadMore();
  });
  // More columns than the list comes with may not fit: the table is scrolled then, and none shrinks to nothing.
  const isScrolled = isNarrow !== true && columns.some(({ isOptional }) => isOptional === true);
  const tracks = {
    '--wide': columns
      .map(({ width }) => (isScrolled ? width.replace('minmax(0,', `minmax(${LEAST_WIDTH},`) : width))
      .join(' '),
    '--narrow': columns
      .filter(({ isWideOnly }) => isWideOnly !== true)
      .map(({ narrowWidth }) => narrowWidth ?? 'minmax(0, 1fr)')
      .join(' '),
    '--row-height': `${rowHeight}px`,
  };
  const table = (
    <table
      className={source.isChanging ? `${styles.table} ${styles.changing}` : styles.table}
      aria-label={label}
      aria-busy={source.isChanging}
      aria-rowcount={source.total ?? -1}
      style={tracks}
    >
      <thead className={styles.top}>
        <tr className={styles.head}>
          {columns.map((column) => (
            <th key={column.id} scope="col" className={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} className={styles.body} style={{ height: rows.length * rowHeight }}>
        {rows.slice(from, until).map((row, place) => (
          <TableRow
            key={keyOf(row)}
            row={row}
            index={from + place}
            top={(from + place) * rowHeight}
            columns={columns}
            hasNotes={hasNotes}
          />
        ))}
      </tbody>
    </table>
  );
  return (
    <>
      {isScrolled ? (
        <ScrollBox className={`shaded ${styles.scroll}`} label={label}>
          {table}
        </ScrollBox>
      ) : (
        table
      )}
      <TableFoot source={source} />
    </>
  );
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly columns: readonly Column<Row>[];
  readonly hasNotes: boolean;
}

/** Drawn once, however often the table is looked at again: while it is scrolled, or when a poll brings nothing new. */
const TableRow = memo(function TableRow<Row>({ row, index, top, columns, hasNotes }: TableRowProps<Row>): ReactElement {
  return (
    <tr className={styles.row} aria-rowindex={index + 2} style={{ top }}>
      {columns.map((column) => (
        <td key={column.id} className={classOf(column)}>
          {column.render(row)}
          {hasNotes && column.renderNote !== undefined && <span className={styles.note}>{column.renderNote(row)}</span>}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: TableRowProps<Row>) => ReactElement;

function classOf<Row>({ isEnd, isWideOnly }: Column<Row>): string {
  return [styles.cell, isEnd === true && styles.end, isWideOnly === true && styles.wideOnly].filter(Boolean).join(' ');
}

function TableFoot<Row>({ source }: { readonly source: Rows<Row> }): ReactElement {
  const say = useWords();
  const { zone } = usePreferences();
  const count = source.total ?? source.rows.length;
  return (
    <div className={styles.foot}>
      <span aria-live="polite">{say(source.isTotalExact ? 'state.total' : 'state.totalAtLeast', { count })}</span>
      <span>{say('state.zone', { zone: nameZone(zone, Date.now()) })}</span>
    </div>
  );
}
