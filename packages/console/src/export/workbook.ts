// An Excel workbook of one sheet. Numbers of phones are texts, which Excel does not round; amounts and times are what they are.

import { writeZip } from './write-zip.js';

/** Rows that a browser holds without trouble; more are for a CSV file. */
export const MAX_WORKBOOK_ROWS = 300_000;

export type Cell =
  | string
  | null
  | { readonly kind: 'count'; readonly value: number }
  | { readonly kind: 'amount'; readonly value: string }
  | { readonly kind: 'moment'; readonly atMs: number };

const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** The places in `cellXfs` of the styles. */
const STYLES = { text: 0, head: 1, amount: 2, moment: 3 } as const;
const STYLE_SHEET = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="0.000000"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" xfId="0"/><xf numFmtId="0" fontId="1" xfId="0" applyFont="1"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`;

const DAY_MS = 86_400_000;
/** Days from the first of Excel to 1 January 1970. */
const UNIX_DAY = 25_569;
const ROWS_A_PIECE = 1_000;

/** Control characters have no place in XML. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are left out.
  const clean = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return clean.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function writeText(text: string, style: number, place: string): string {
  return `<c r="${place}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;
}

function writeCell(cell: Cell, place: string): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return writeText(cell, STYLES.text, place);
  if (cell.kind === 'count') return `<c r="${place}"><v>${cell.value}</v></c>`;
  if (cell.kind === 'amount') return `<c r="${place}" s="${STYLES.amount}"><v>${cell.value}</v></c>`;
  return `<c r="${place}" s="${STYLES.moment}"><v>${cell.atMs / DAY_MS + UNIX_DAY}</v></c>`;
}

/** Columns are letters; no sheet of ours has more than the alphabet. */
function placeOf(column: number, row: number): string {
  return `${String.fromCharCode(65 + column)}${row}`;
}

function writeRow(row: number, cells: readonly string[]): string {
  return `<row r="${row}">${cells.join('')}</row>`;
}

interface Sheet {
  readonly name: string;
  readonly head: readonly string[];
  /** In letters. */
  readonly widths: readonly number[];
  readonly rows: readonly (readonly Cell[])[];
}

function writeSheet({ head, widths, rows }: Sheet): Blob {
  const columns = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  const top = writeRow(
    1,
    head.map((text, x) => writeText(text, STYLES.head, placeOf(x, 1))),
  );
  const pieces = [
    `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>${top}`,
  ];
  for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
    const some = rows.slice(at, at + ROWS_A_PIECE);
    const lines = some.map((row, index) => {
      // Below the head; rows are counted from one.
      const y = at + index + 2;
      return writeRow(
        y,
        row.map((cell, x) => writeCell(cell, placeOf(x, y))),
      );
    });
    pieces.push(lines.join(''));
  }
  pieces.push('</sheetData></worksheet>');
  return new Blob(pieces);
}

export async function writeWorkbook(sheet: Sheet): Promise<Blob> {
  const relation = (kind: string, target: string, id: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
  const relations = (inner: string) =>
    new Blob([`${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${inner}</Relationships>`]);
  const override = (path: string, type: string) =>
    `<Override PartName="${path}" ContentType="${CONTENT}.${type}+xml"/>`;
  const types = [
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    override('/xl/workbook.xml', 'sheet.main'),
    override('/xl/worksheets/sheet1.xml', 'worksheet'),
    override('/xl/styles.xml', 'styles'),
  ].join('');
  const files = new Map([
    ['[Content_Types].xml', new Blob([`${HEAD}<Types xmlns="${PACKAGE}/content-types">${types}</Types>`])],
    ['_rels/.rels', relations(relation('officeDocument', 'xl/workbook.xml', 'rId1'))],
    [
      'xl/workbook.xml',
      new Blob([
        `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escapeXml(sheet.name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ]),
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relations(relation('worksheet', 'worksheets/sheet1.xml', 'rId1') + relation('styles', 'styles.xml', 'rId2')),
    ],
    ['xl/styles.xml', new Blob([STYLE_SHEET])],
    ['xl/worksheets/sheet1.xml', writeSheet(sheet)],
  ]);
  return await writeZip(files, WORKBOOK_TYPE);
}
