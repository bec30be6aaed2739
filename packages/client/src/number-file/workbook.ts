// The first visible sheet of an .xlsx workbook, as CSV. An .xlsx file is a zip archive of XML files (ECMA-376); this reads the
// cells alone: no formulas, no merged cells, no charts.

import { createCellFormatter, type FormatCell } from './cell-format.js';
import { NumberFileError } from './number-file-error.js';
import { findElements, removeElements, unescapeXml, type XmlElement } from './xml.js';
import { openZip } from './zip.js';

/** Of a sheet, by its format. */
const MAX_COLUMNS = 16_384;
/** Rows times columns. */
const MAX_CELLS = 32_000_000;

type ReadXml = (path: string) => Promise<string>;

export async function readWorkbook(bytes: Uint8Array, maxBytes: number): Promise<string> {
  try {
    const zip = openZip(bytes, maxBytes);
    const readXml: ReadXml = async (path) => new TextDecoder().decode((await zip.read(path)) ?? new Uint8Array());
    const workbook = await readXml('xl/workbook.xml');
    const sheet = await readXml(await findSheet(workbook, readXml));
    const formatCell = createCellFormatter(await readXml('xl/styles.xml'), /date1904="(?:1|true)"/.test(workbook));
    const shared = [...findElements(await readXml('xl/sharedStrings.xml'), 'si')];
    const strings = shared.map(({ content }) => readText(content));
    return writeCsv(readRows(sheet, strings, formatCell), maxBytes);
  } catch (error) {
    if (error instanceof NumberFileError) throw error;
    throw new NumberFileError('unreadable_workbook');
  }
}

async function findSheet(workbook: string, readXml: ReadXml): Promise<string> {
  const sheets = [...findElements(workbook, 'sheet')];
  const sheet = sheets.find(({ attributes }) => (attributes.state ?? 'visible') === 'visible') ?? sheets[0];
  const relations = [...findElements(await readXml('xl/_rels/workbook.xml.rels'), 'Relationship')];
  const target = relations.find(({ attributes }) => attributes.Id === sheet?.attributes['r:id'])?.attributes.Target;
  if (target === undefined) throw new NumberFileError('unreadable_workbook');
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function firstOf(xml: string, name: string): XmlElement | undefined {
  for (const element of findElements(xml, name)) return element;
  return undefined;
}

/** The runs of a text. Phonetic hints beside Chinese and Japanese text are no part of it. */
function readText(xml: string): string {
  let text = '';
  for (const { content } of findElements(removeElements(xml, 'rPh'), 't')) text += unescapeXml(content);
  return text;
}

/** A cell that is not empty. */
interface Cell {
  readonly column: number;
  readonly text: string;
}

function readRows(sheet: string, strings: readonly string[], formatCell: FormatCell): Cell[][] {
  const rows: Cell[][] = [];
  for (const { content } of findElements(sheet, 'row')) {
    const row: Cell[] = [];
    let next = 0;
    for (const { attributes, content: cell } of findElements(content, 'c')) {
      const column = attributes.r === undefined ? next : readColumn(attributes.r);
      next = column + 1;
      const text = readCell(attributes, cell, strings, formatCell);
      if (text !== '') row.push({ column, text });
    }
    if (row.length > 0) rows.push(row);
  }
  return rows;
}

function readColumn(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  if (column === 0 || column > MAX_COLUMNS) throw new NumberFileError('unreadable_workbook');
  return column - 1;
}

function readCell(
  attributes: XmlElement['attributes'],
  cell: string,
  strings: readonly string[],
  formatCell: FormatCell,
): string {
  const value = unescapeXml(firstOf(cell, 'v')?.content ?? '');
  switch (attributes.t ?? 'n') {
    case 's':
      return strings[Number(value)] ?? '';
    case 'inlineStr':
      return readText(cell);
    case 'n':
      return value === '' ? '' : formatCell(Number(value), Number(attributes.s ?? 0));
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    default:
      return value;
  }
}

/** Every row as wide as the widest, without columns that are empty to the end. */
function writeCsv(rows: readonly (readonly Cell[])[], maxBytes: number): string {
  let width = 0;
  for (const row of rows) for (const { column } of row) width = Math.max(width, column + 1);
  // A few cells far to the right would make a text of nothing but commas.
  if (rows.length * width > MAX_CELLS) throw new NumberFileError('too_large');
  const quote = (cell: string) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines: string[] = [];
  let length = 0;
  for (const row of rows) {
    const cells = Array<string>(width).fill('');
    for (const { column, text } of row) cells[column] = quote(text);
    const line = `${cells.join(',')}\n`;
    // A shared text costs the workbook its number alone.
    length += line.length;
    if (length > maxBytes) throw new NumberFileError('too_large');
    lines.push(line);
  }
  return lines.join('');
}
