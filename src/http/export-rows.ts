// The two forms of an export. A row is an item of the list with its cursor; in CSV, members of members are columns of their
// own, named as a path.

import type { TSchema } from '@sinclair/typebox';
import { formatCsvRow, formatGuardedCell, writeCell } from '../domain/csv-row.js';
import { CSV_MEDIA_TYPE, type FileType } from './media-type.js';

/** The last column and field of every export: where to go on behind this row. */
export const CURSOR_FIELD = 'cursor';

type Item = Readonly<Record<string, unknown>>;

export interface RowFormat {
  /** What comes before the first row. */
  readonly head: string;
  write(item: Item, cursor: string): string;
}

/** `show` says what the caller may see of an item. */
export function createRowFormat(
  type: FileType,
  columns: readonly string[],
  show: (item: Item) => Item = (item) => item,
): RowFormat {
  const { head, write } = type === CSV_MEDIA_TYPE ? createCsvFormat(columns) : createNdjsonFormat();
  return { head, write: (item, cursor) => write(show(item), cursor) };
}

function createCsvFormat(columns: readonly string[]): RowFormat {
  const fields = columns.slice(0, -1).map((column) => {
    const path = column.split('.');
    const [only = column] = path;
    return {
      read: path.length === 1 ? (item: Item) => item[only] : (item: Item) => readMember(item, path),
      write: rememberLast((value) => formatGuardedCell(writeCell(value))),
    };
  });
  return {
    head: formatCsvRow(columns),
    write(item, cursor) {
      let row = '';
      for (const { read, write } of fields) row += `${write(read(item))},`;
      return `${row}${cursor}\r\n`;
    },
  };
}

/** What `JSON.stringify` makes of an item and its cursor. */
function createNdjsonFormat(): RowFormat {
  const writers = new Map<string, (value: unknown) => string>();
  const addWriter = (name: string) => {
    const label = JSON.stringify(name);
    const write = rememberLast((value) => (value === undefined ? '' : `${label}:${JSON.stringify(value)},`));
    writers.set(name, write);
    return write;
  };
  return {
    head: '',
    write(item, cursor) {
      let row = '{';
      for (const name of Object.keys(item)) row += (writers.get(name) ?? addWriter(name))(item[name]);
      // No cursor has a character that JSON escapes.
      return `${row}"${CURSOR_FIELD}":"${cursor}"}\n`;
    },
  };
}

/** Most cells are those of the row before, such as the task, its firm and its price: their text is made once for all. */
function rememberLast(write: (value: unknown) => string): (value: unknown) => string {
  let last: unknown;
  let text = write(undefined);
  return (value) => {
    if (value === last && (typeof value !== 'object' || value === null)) return text;
    last = value;
    text = write(value);
    return text;
  };
}

/** The columns of a list, from the description of its items. */
export function columnsOf(item: TSchema): string[] {
  return [...flatten(item, ''), CURSOR_FIELD];
}

function flatten(schema: TSchema, prefix: string): string[] {
  const members: Readonly<Record<string, TSchema>> = schema.properties ?? {};
  return Object.entries(members).flatMap(([name, member]) =>
    member.properties === undefined ? [prefix + name] : flatten(member, `${prefix}${name}.`),
  );
}

function readMember(item: Item, path: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of path) value = (value as Item | null)?.[name];
  return value;
}
