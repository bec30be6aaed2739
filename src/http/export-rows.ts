// The two forms of an export. A row is an item of the list with its cursor; in CSV, members of members are columns of their
// own, named as a path.

import type { TSchema } from '@sinclair/typebox';
import { formatCsvRow, formatGuardedRow, writeCell } from '../domain/csv-row.js';
import { CSV_MEDIA_TYPE, type FileType } from './media-type.js';

/** The last column and field of every export: where to go on behind this row. */
export const CURSOR_FIELD = 'cursor';

export interface RowFormat {
  /** What comes before the first row. */
  readonly head: string;
  write(item: Readonly<Record<string, unknown>>, cursor: string): string;
}

export function makeRowFormat(type: FileType, columns: readonly string[]): RowFormat {
  if (type !== CSV_MEDIA_TYPE) {
    return { head: '', write: (item, cursor) => `${JSON.stringify({ ...item, [CURSOR_FIELD]: cursor })}\n` };
  }
  const paths = columns.slice(0, -1).map((column) => column.split('.'));
  return {
    head: formatCsvRow(columns),
    write(item, cursor) {
      const cells = paths.map((path) => writeCell(readMember(item, path)));
      cells.push(cursor);
      return formatGuardedRow(cells);
    },
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

function readMember(item: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
  return value;
}
