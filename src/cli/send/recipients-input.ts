import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NumberFileError, readNumberFile, type VariableName } from '@postrider/client';
import { UsageError } from '../failure.js';
import type { Terminal } from '../terminal.js';
import { CsvError, type CsvRow, parseCsv } from './csv.js';
import { findSeparator, holdFirstLine } from './csv-separator.js';

export type Variables = { [Name in VariableName]?: string };

/** One number to send to, with its own variables where the input has columns for them. */
export interface InputNumber {
  readonly phone: string;
  readonly variables: Variables | null;
}

type InputFormat = 'lines' | 'csv';

export interface InputOptions {
  /** Undefined: judged by the name of the file and its first line. */
  readonly format: InputFormat | undefined;
  /** Names of columns that are not `p1` to `p18`: `name` → `p1`. */
  readonly columnVariables: ReadonlyMap<string, VariableName>;
  /** Columns that are not sent. */
  readonly ignoredColumns: ReadonlySet<string>;
}

export const phoneTitles: ReadonlySet<string> = new Set([
  'phone',
  'phones',
  'number',
  'mobile',
  'msisdn',
  'tel',
  'telephone',
  '手机',
  '手机号',
  '手机号码',
  '号码',
]);

export function isVariableName(text: string): text is VariableName {
  return /^p([1-9]|1[0-8])$/.test(text);
}

/** Text of a file or of standard input. All of it is read before the first number is sent: only the whole shows its encoding. */
export async function* readInput(terminal: Terminal, path: string): AsyncGenerator<string> {
  try {
    const bytes = path === '-' ? await readAll(terminal.input) : await readFile(resolve(terminal.folder, path));
    const { text, encoding } = await readNumberFile(bytes);
    if (encoding === 'gb18030') await terminal.err.write(`${path} is read as GB18030, since it is not UTF-8.\n`);
    yield text;
  } catch (error) {
    if (error instanceof NumberFileError) throw new UsageError(`${path}: ${error.message}`);
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new UsageError(`There is no file ${path}.`);
    if (code === 'EISDIR') throw new UsageError(`${path} is a folder.`);
    throw error;
  }
}

async function readAll(input: Terminal['input']): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of input) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces);
}

/** Reads numbers one a line, or CSV. Blank lines and, without CSV, lines that start with # are passed over. */
export async function* readNumbers(
  pieces: AsyncIterable<string>,
  path: string,
  options: InputOptions,
): AsyncGenerator<InputNumber> {
  try {
    let columns: Column[] | null = null;
    let isFirst = true;
    let format = options.format;
    const { firstLine, all } = await holdFirstLine(pieces);
    const separator = findSeparator(firstLine, phoneTitles);
    for await (const row of parseCsv(all, separator)) {
      format ??= judgeFormat(path, row);
      if (format === 'lines') {
        const phone = row.cells.join(separator).trim();
        if (phone === '' || phone.startsWith('#')) continue;
        checkPhone(phone, row.line);
        yield { phone, variables: null };
        continue;
      }
      if (isFirst) {
        isFirst = false;
        const titles = readTitles(row, options);
        columns = titles ?? row.cells.map((_, index) => (index === 0 ? 'phone' : nameVariable(index, row)));
        if (titles !== null) continue;
        if (options.format === undefined) refuseRowOfNumbers(row);
      }
      if (columns !== null) yield readRow(row, columns);
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

function judgeFormat(path: string, row: CsvRow): InputFormat {
  const first = row.cells[0]?.trim().toLowerCase() ?? '';
  if (first.startsWith('#')) return 'lines';
  return path.toLowerCase().endsWith('.csv') || row.cells.length > 1 || phoneTitles.has(first) ? 'csv' : 'lines';
}

type Column = 'phone' | 'ignored' | VariableName;

function nameVariable(index: number, row: CsvRow): VariableName {
  const name = `p${index}`;
  if (!isVariableName(name)) throw new UsageError(`Line ${row.line} has more columns than a phone and p1 to p18.`);
  return name;
}

/** The first row as names of columns; null when it is a number already. */
function readTitles(row: CsvRow, options: InputOptions): Column[] | null {
  const titles = row.cells.map((cell) => cell.trim());
  const phoneAt = titles.findIndex((title) => phoneTitles.has(title.toLowerCase()));
  if (phoneAt === -1) {
    if (/\d{5}/.test(titles[0] ?? '')) return null;
    throw new UsageError(
      `Line ${row.line}: no column is called "phone".`,
      'The first line names the columns: phone, and p1 to p18 for variables. Without names, the phone comes first.',
    );
  }
  const columns = titles.map((title, index): Column => {
    if (index === phoneAt) return 'phone';
    if (options.ignoredColumns.has(title)) return 'ignored';
    const variable = options.columnVariables.get(title) ?? title;
    if (isVariableName(variable)) return variable;
    throw new UsageError(
      `Column "${title}" is no variable.`,
      `Variables are p1 to p18. Say which one it is (--map ${title}=p1) or leave it out (--ignore ${title}).`,
    );
  });
  const twice = columns.find((column, index) => column !== 'ignored' && columns.indexOf(column) < index);
  if (twice !== undefined) throw new UsageError(`Two columns are ${twice}.`, 'Leave one of them out with --ignore.');
  return columns;
}

/** What is plainly no phone number, and would be taken for one: as receipts, the mistake would come too late. */
export function checkPhone(phone: string, line?: number): void {
  const where = line === undefined ? '' : `Line ${line}: `;
  if (/^\d+([.,]\d+)?e\+?\d+$/i.test(phone)) {
    throw new UsageError(
      `${where}"${phone}" is a number as a spreadsheet shortens it; its last digits are lost.`,
      'Format the column as text in the spreadsheet, enter the numbers again, and export it again.',
    );
  }
  if (/[;,\t]/.test(phone)) {
    throw new UsageError(
      `${where}"${phone}" is more than one number.`,
      'Give one number a line, or columns: --format csv, and phone in the first line.',
    );
  }
}

/**
 * Columns without names are a phone and its variables. A row of phones alone would go to the first, with the others in its
 * text.
 */
function refuseRowOfNumbers({ line, cells }: CsvRow): void {
  const given = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const isNumber = (cell: string) => /^\+?[\d ()./-]+$/.test(cell) && cell.replace(/\D/g, '').length >= 10;
  if (given.length < 2 || !given.every(isNumber)) return;
  throw new UsageError(
    `Line ${line} has several numbers.`,
    'Give one number a line. Where the others are variables, name the columns in the first line: phone,p1.',
  );
}

function readRow(row: CsvRow, columns: readonly Column[]): InputNumber {
  if (row.cells.length !== columns.length) {
    throw new UsageError(`Line ${row.line} has ${row.cells.length} columns where ${columns.length} are expected.`);
  }
  let phone = '';
  const variables: Variables = {};
  columns.forEach((column, index) => {
    const cell = row.cells[index] ?? '';
    if (column === 'phone') {
      phone = cell.trim();
      checkPhone(phone, row.line);
    } else if (column !== 'ignored') variables[column] = cell;
  });
  return { phone, variables: columns.some((column) => isVariableName(column)) ? variables : null };
}
