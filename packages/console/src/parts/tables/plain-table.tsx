// A small table with the fields of its rows: numbers right-aligned, amounts aligned at the decimal point.

import { isValidElement, type ReactElement, type ReactNode } from 'react';
import { showCount } from '../../format/count.js';
import { sayValue, useWords } from '../../words/say.js';
import { ScrollBox } from '../layout/scroll-box.js';
import { Amount } from '../values/amount.js';
import styles from './plain-table.module.css';

export type PlainRow = Readonly<Record<string, unknown>>;

const AMOUNT = /^-?\d+\.\d{6}$/;

function isFigure(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && AMOUNT.test(value));
}

function showValue(value: unknown): ReactNode {
  if (typeof value === 'number') return showCount(value);
  if (typeof value === 'string') return AMOUNT.test(value) ? <Amount value={value} /> : value;
  if (isValidElement(value)) return value;
  if (value === false) return null;
  if (value === null || value === undefined) return <span className="soft">–</span>;
  return <code>{JSON.stringify(value)}</code>;
}

/** Values that are objects are spread into columns of their own. */
function flatten(row: PlainRow): PlainRow {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isValidElement(value)) {
      for (const [inner, one] of Object.entries(flatten(value as PlainRow))) flat[`${name}.${inner}`] = one;
    } else flat[name] = value;
  }
  return flat;
}

interface PlainTableProps {
  readonly rows: readonly PlainRow[];
  readonly label: string;
  /** Columns of figures that come as words, such as those with a unit. */
  readonly figures?: readonly string[];
  /** What it means that there are no rows. */
  readonly none?: string;
}

export function PlainTable({ rows, label, figures = [], none }: PlainTableProps): ReactElement {
  const say = useWords();
  const flat = rows.map(flatten);
  // A column in which no row offers anything is none.
  const given = flat.flatMap((row) => Object.keys(row).filter((name) => row[name] !== false));
  const names = [...new Set(given)];
  // The whole column, also where a row has none: a dash stands where the figures end.
  const ofFigures = new Set([...figures, ...names.filter((name) => flat.some((row) => isFigure(row[name])))]);
  // Two rows may be called the same.
  const keys = flat.map((row, index) => `${String(row[names[0] ?? ''])} ${index}`);
  const classOf = (name: string) => (ofFigures.has(name) ? styles.figure : '');
  if (flat.length === 0) return <p className="soft">{none ?? say('state.none')}</p>;
  return (
    <ScrollBox className={`shaded ${styles.scroll}`} label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" className={classOf(name)}>
                {sayValue(say, 'field', name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {flat.map((row, index) => (
            <tr key={keys[index]}>
              {names.map((name) => (
                <td key={name} className={classOf(name)}>
                  {showValue(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
