import type { Listing } from '@postrider/client';
import { formatCsvRow, formatGuardedRow, writeCell } from '../../domain/csv-row.js';
import { escapeControls } from '../../domain/message/outside-text.js';
import type { Invocation, OptionSpec } from '../command.js';
import { UsageError } from '../failure.js';
import { type Output, paint } from '../terminal.js';
import { chainListings } from './chain-listings.js';
import { saveListing } from './save-listing.js';
import { createTable, formatFields, type TableColumn } from './table.js';

/** How things of one kind are shown. Fields are paths into the thing as it came over the wire, such as `counts.total`. */
export interface RecordShape {
  /** Everything there is, in order: the columns of `--csv`. */
  readonly fields: readonly string[];
  /** What people want to see at a glance. */
  readonly columns: readonly (TableColumn & { readonly field: string })[];
}

export const outputOptions: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'boolean', summary: 'print JSON, one object a line' },
  csv: { type: 'boolean', summary: 'print CSV with a header, every field' },
};

export const listOptions: Readonly<Record<string, OptionSpec>> = {
  ...outputOptions,
  limit: { type: 'string', short: 'n', value: 'COUNT', summary: 'how many to show, newest first (20)' },
  all: { type: 'boolean', summary: 'show all of them, as they arrive' },
  output: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    summary: 'write all of them to a file: FILE.csv, FILE.ndjson, or any name with --csv or --json',
  },
  append: { type: 'boolean', summary: 'with --output: add to the file what came since its last row' },
};

function readField(record: unknown, path: string): unknown {
  let value: unknown = record;
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value;
}

/** For eyes: times without the date's `T` and the milliseconds, an en dash for what is not there, and no braces. */
function formatForEyes(value: unknown): string {
  if (Array.isArray(value) && value.some(isObject)) return value.map(formatForEyes).join('; ');
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value)
      .map(([name, one]) => `${name} ${isObject(one) ? writeCell(one) : formatForEyes(one)}`)
      .join(', ');
  }
  const text = writeCell(value);
  const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(text);
  if (time !== null) return `${time[1]} ${time[2]}`;
  return text === '' ? '–' : text;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Format = 'table' | 'json' | 'csv';

export function chooseFormat(invocation: Invocation): Format {
  if (invocation.flag('json') && invocation.flag('csv')) throw new UsageError('--json and --csv exclude each other.');
  return invocation.flag('json') ? 'json' : invocation.flag('csv') ? 'csv' : 'table';
}

/** Numbers and amounts stand at the right. */
function alignColumns(columns: RecordShape['columns'], records: readonly unknown[]): RecordShape['columns'] {
  const isNumeric = (value: unknown) =>
    typeof value === 'number' || (typeof value === 'string' && /^-?\d+\.\d+( %)?$/.test(value));
  return columns.map((column) => {
    const values = records
      .map((record) => readField(record, column.field))
      .filter((value) => value != null && value !== '');
    return values.length > 0 && values.every(isNumeric) ? { align: 'right', ...column } : column;
  });
}

/** Prints records in batches as they come. */
export function createRecordPrinter(output: Output, shape: RecordShape, format: Format) {
  let table: ReturnType<typeof createTable> | undefined;
  let headerPrinted = false;
  return async (records: readonly unknown[]): Promise<void> => {
    if (format === 'table') {
      table ??= createTable(output, alignColumns(shape.columns, records));
      await table.write(
        records.map((record) => shape.columns.map((column) => formatForEyes(readField(record, column.field)))),
      );
      return;
    }
    let text = format === 'csv' && !headerPrinted ? formatCsvRow(shape.fields) : '';
    headerPrinted = true;
    for (const record of records) {
      if (format === 'json') text += `${escapeControls(JSON.stringify(record))}\n`;
      else text += formatGuardedRow(shape.fields.map((field) => writeCell(readField(record, field))));
    }
    if (text !== '') await output.write(text);
  };
}

/** Prints a list: the first page by default, as much as `--limit` or `--all` asks for otherwise, all of it to `--output`. */
export async function printListing<Item>(
  invocation: Invocation,
  listing: Listing<Item> | readonly Listing<Item>[],
  shape: RecordShape,
  noun: string,
): Promise<void> {
  const { out, err } = invocation.terminal;
  const listings = 'pages' in listing ? [listing] : listing;
  if (invocation.text('output') !== undefined) {
    return await saveListing(invocation, listings, (...to) => createRecordPrinter(to[0], shape, to[1]), noun);
  }
  if (invocation.flag('append')) throw new UsageError('--append says how --output writes; give a file with --output.');
  const format = chooseFormat(invocation);
  const askedLimit = invocation.flag('all') ? Number.POSITIVE_INFINITY : invocation.wholeNumber('limit');
  const limit = askedLimit ?? 20;
  const print = createRecordPrinter(out, shape, format);
  let shown = 0;
  let more = false;
  let total = '';
  for await (const page of chainListings(listings).pages()) {
    const items = page.items.slice(0, limit - shown);
    if (items.length === 0 && shown === 0 && format === 'table') {
      await err.write(`No ${noun}.\n`);
      return;
    }
    await print(items);
    shown += items.length;
    total = `${page.total_is_exact ? '' : 'more than '}${page.total.toLocaleString('en')}`;
    more = items.length < page.items.length || page.next_cursor !== null;
    if (shown >= limit) break;
  }
  // A program that reads the output knows the limit that it gave itself.
  if (more && (format === 'table' || askedLimit === undefined))
    await err.write(paint(err, 'dim', `${shown} of ${total} ${noun}; --all shows the rest.\n`));
}

/** Prints one thing, all of it. */
export async function printRecord(invocation: Invocation, record: object, shape: RecordShape): Promise<void> {
  const { out } = invocation.terminal;
  const format = chooseFormat(invocation);
  if (format !== 'table') return createRecordPrinter(out, shape, format)([record]);
  const fields = shape.fields.map((field): [string, string] => [field, formatForEyes(readField(record, field))]);
  await out.write(formatFields(out, fields));
}
