// A small .xlsx workbook: a hidden sheet first, as templates have it, and texts once as shared and once as inline strings.

import { writeZip } from './write-zip.js';

type Cell = string | number | { readonly value: number; readonly style: number };

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Styles: 1 a date, 2 a date with its time, 3 a share, 4 an amount. */
const STYLES = `<styleSheet><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="165" formatCode="0.0%"/></numFmts>
<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>
<cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"><alignment/></xf><xf numFmtId="165"/><xf numFmtId="4"/></cellXfs></styleSheet>`;

export function createWorkbook(rows: readonly (readonly Cell[])[]): Uint8Array {
  const shared: string[] = [];
  const writeCell = (cell: Cell, reference: string, isShared: boolean) => {
    if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
    if (typeof cell === 'object') return `<c r="${reference}" s="${cell.style}"><v>${cell.value}</v></c>`;
    if (cell === '') return `<c r="${reference}"/>`;
    const text = `<t xml:space="preserve">${escapeXml(cell)}</t>`;
    if (!isShared) return `<c r="${reference}" t="inlineStr"><is>${text}</is></c>`;
    shared.push(`<si><r>${text}</r><rPh sb="0" eb="1"><t>hint</t></rPh></si>`);
    return `<c r="${reference}" t="s"><v>${shared.length - 1}</v></c>`;
  };
  const lines = rows.map((row, y) => {
    const cells = row.map((cell, x) => writeCell(cell, `${String.fromCharCode(65 + x)}${y + 1}`, y % 2 === 0));
    return row.length === 0 ? `<row r="${y + 1}"/>` : `<row r="${y + 1}" spans="1:3">${cells.join('')}</row>`;
  });
  return writeZip({
    'xl/workbook.xml':
      '<workbook><workbookPr/><sheets><sheet name="Lists" sheetId="1" state="hidden" r:id="rId1"/><sheet name="Numbers" sheetId="2" r:id="rId2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="worksheets/sheet2.xml"/></Relationships>',
    'xl/styles.xml': STYLES,
    'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>',
    'xl/worksheets/sheet2.xml': `<worksheet><cols><col min="1"/></cols><sheetData>${lines.join('')}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst>${shared.join('')}</sst>`,
  });
}
