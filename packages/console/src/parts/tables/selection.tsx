// Rows that are marked to act on them together. Nothing is marked beforehand, and another choice of rows begins with none.

import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { type Say, useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';
import type { Column } from './rows-table.js';
import styles from './selection.module.css';

export interface Selection<Row> {
  readonly rows: readonly Row[];
  has(row: Row): boolean;
  toggle(row: Row): void;
  replace(rows: readonly Row[]): void;
}

/** Of the rows of one choice of filters: what is marked must not stay so where it is no longer listed. Takes the same `keyOf` each time. */
export function useSelection<Row>(keyOf: (row: Row) => string, choice: unknown): Selection<Row> {
  const name = JSON.stringify(choice);
  const [kept, setKept] = useState<{ readonly name: string; readonly rows: ReadonlyMap<string, Row> }>();
  const marked = kept?.name === name ? kept.rows : undefined;
  // The same one until it changes: the rows are drawn anew with another.
  return useMemo(() => {
    const rows = marked ?? new Map<string, Row>();
    const keep = (next: ReadonlyMap<string, Row>) => setKept({ name, rows: next });
    return {
      rows: [...rows.values()],
      has: (row: Row) => rows.has(keyOf(row)),
      toggle: (row: Row) => {
        const next = new Map(rows);
        if (!next.delete(keyOf(row))) next.set(keyOf(row), row);
        keep(next);
      },
      replace: (next: readonly Row[]) => keep(new Map(next.map((row) => [keyOf(row), row]))),
    };
  }, [marked, name, keyOf]);
}

interface SelectionColumn<Row> {
  readonly nameOf: (row: Row) => string;
  /** On a phone the rows need its room: there all are marked, or none. */
  readonly isWideOnly?: boolean;
}

export function selectionColumn<Row>(
  say: Say,
  selection: Selection<Row>,
  { nameOf, isWideOnly = false }: SelectionColumn<Row>,
): Column<Row> {
  return {
    id: 'selection',
    title: '',
    width: '1.25rem',
    narrowWidth: '1.25rem',
    isWideOnly,
    render: (row) => (
      <input
        type="checkbox"
        className={styles.box}
        aria-label={say('selection.row', { name: nameOf(row) })}
        checked={selection.has(row)}
        onChange={() => selection.toggle(row)}
      />
    ),
  };
}

interface SelectionBarProps<Row> {
  readonly selection: Selection<Row>;
  /** What is marked, in words. */
  readonly marked: ReactNode;
  /** How many there are in all, as the button says it. */
  readonly total: ReactNode;
  readonly isReading: boolean;
  readonly onSelectAll: () => void;
  /** What can be done with what is marked. */
  readonly children: ReactNode;
}

/** Above the rows, always there: nothing moves when the first is marked. */
export function SelectionBar<Row>(props: SelectionBarProps<Row>): ReactElement {
  const { selection, marked, total, isReading, onSelectAll, children } = props;
  const say = useWords();
  const isNone = selection.rows.length === 0;
  return (
    <div className={styles.bar}>
      <span aria-live="polite" className={isNone ? 'soft' : styles.marked}>
        {isNone ? say('selection.none') : marked}
      </span>
      <span className={styles.actions}>
        <Button size="small" look="bordered" isBusy={isReading} onClick={onSelectAll}>
          {total}
        </Button>
        {!isNone && (
          <Button size="small" look="words" onClick={() => selection.replace([])}>
            {say('selection.clear')}
          </Button>
        )}
        {children}
      </span>
    </div>
  );
}
