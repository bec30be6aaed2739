// The first visible sheet of an .xlsx workbook, as CSV. An .xlsx file is a zip archive of XML files (ECMA-376); this reads the
// cells alone: no formulas, no merged cells, no charts.

import { createCellFormatter, type FormatCell } from './cell-format.js';
import { NumberFileError } from './number-file-error.js';
import { openZip } from './zip.js';

type ReadXml = (path: string) => Promise<string>;

export async function readWorkbook(bytes: Uint8Array, maxBytes: number): Promise<string> {
  try {
    const zip = openZip(bytes, maxBytes);
    const readXml: ReadXml = async (path) => new TextDecoder().decode((await zip.read(path)) ?? new Uint8Array());
    const workbook = await readXml('xl/workbook.xml');
    const sheet = await readXml(await findSheet(workbook, readXml));
    const formatCell = createCellFormatter(await readXml('xl/styles.xml'), /date1904="(?:1|true)"/.test(workbook));
    const strings = matchElements(await readXml('xl/sharedStrings.xml'), 'si').map(({ content }) => readText(content));
    return writeCsv(readRows(sheet, strings, formatCell));
  } catch (error) {
    if (error instanceof NumberFileError) throw error;
    throw new NumberFileError('unreadable_workbook');
  }
}

async function findSheet(workbook: string, readXml: ReadXml): Promise<string> {
  const sheets = matchElements(workbook, 'sheet');
  const sheet = sheets.find(({ attributes }) => (attributes.state ?? 'visible') === 'visible') ?? sheets[0];
  const relations = matchElements(await readXml('xl/_rels/workbook.xml.rels'), 'Relationship');
  const target = relations.find(({ attributes }) => attributes.Id === sheet?.attributes['r:id'])?.attributes.Target;
  if (target === undefined) throw new NumberFileError('unreadable_workbook');
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

interface XmlElement {
  readonly attributes: Readonly<Partial<Record<string, string>>>;
  readonly content: string;
}

/** The elements of a name that does not nest. Some writers put a prefix before names. */
function matchElements(xml: string, name: string): XmlElement[] {
  const pattern = new RegExp(`<(?:\\w+:)?${name}((?:\\s[^>]*?)?)(?:/>|>([\\s\\S]*?)</(?:\\w+:)?${name}>)`, 'g');
  return Array.from(xml.matchAll(pattern), ([, attributes = '', content = '']) => ({
    attributes: readAttributes(attributes),
    content,
  }));
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/([\w:]+)="([^"]*)"/g), ([, name, value]) => [name, unescapeXml(value ?? '')]),
  );
}

/** The runs of a text. Phonetic hints beside Chinese and Japanese text are no part of it. */
function readText(xml: string): string {
  const runs = xml.replaceAll(/<(?:\w+:)?rPh\b[\s\S]*?<\/(?:\w+:)?rPh>/g, '');
  return matchElements(runs, 't')
    .map(({ content }) => unescapeXml(content))
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text
    .replaceAll(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
    })
    .replaceAll(/_x([\da-fA-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

function readRows(sheet: string, strings: readonly string[], formatCell: FormatCell): string[][] {
  return matchElements(sheet, 'row').map(({ content }) => {
    const row: string[] = [];
    for (const { attributes, content: cell } of matchElements(content, 'c')) {
      const column = attributes.r === undefined ? row.length : readColumn(attributes.r);
      while (row.length < column) row.push('');
      row[column] = readCell(attributes, cell, strings, formatCell);
    }
    return row;
  });
}

/** A workbook has at most 16,384 columns. */
function readColumn(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  if (column === 0) throw new NumberFileError('unreadable_workbook');
  return column - 1;
}

function readCell(
  attributes: XmlElement['attributes'],
  cell: string,
  strings: readonly string[],
  formatCell: FormatCell,
): string {
  const value = unescapeXml(matchElements(cell, 'v')[0]?.content ?? '');
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
function writeCsv(rows: readonly (readonly string[])[]): string {
  const filled = rows
    .map((row) => row.slice(0, row.findLastIndex((cell) => cell !== '') + 1))
    .filter(({ length }) => length > 0);
  const width = filled.reduce((widest, { length }) => Math.max(widest, length), 0);
  const quote = (cell: string) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return filled
    .map((row) => `${Array.from({ length: width }, (_, index) => quote(row[index] ?? '')).join(',')}\n`)
    .join('');
}
