import { describe, expect, test } from 'vitest';
import { NumberFileError, type NumberFileProblem, readNumberFile } from '../src/index.js';
import { createWorkbook } from './create-workbook.js';
import { writeZip } from './write-zip.js';

/** 手机号,姓名 and 13800139001,张三 as a Chinese Excel saves them as CSV. */
const GBK = Buffer.from('cad6bbfabac52cd0d5c3fb0d0a31333830303133393030312cd5c5c8fd0d0a', 'hex');
const TEXT = '手机号,姓名\r\n13800139001,张三\r\n';

function encodeUtf16(text: string): { little: Buffer; big: Buffer } {
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return { little, big: Buffer.from(little).swap16() };
}

/** A workbook with these files as they are, packed. */
function workbookOf({ sheet = '', strings = '', styles = '' }): Uint8Array {
  return writeZip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="rId1" Target="sheet.xml"/></Relationships>',
    'xl/styles.xml': styles,
    'xl/sheet.xml': sheet,
    'xl/sharedStrings.xml': strings,
  });
}

describe('a list of numbers in a file', () => {
  test('is read in the encoding that spreadsheets write', async () => {
    const { little, big } = encodeUtf16(TEXT);
    expect(await readNumberFile(Buffer.from(TEXT))).toEqual({ text: TEXT, encoding: 'utf-8' });
    expect(await readNumberFile(Buffer.from(`\uFEFF${TEXT}`))).toEqual({ text: TEXT, encoding: 'utf-8' });
    expect(await readNumberFile(GBK)).toEqual({ text: TEXT, encoding: 'gb18030' });
    expect(await readNumberFile(little)).toEqual({ text: TEXT, encoding: 'utf-16le' });
    expect(await readNumberFile(big)).toEqual({ text: TEXT, encoding: 'utf-16be' });
  });

  test('is refused with a reason rather than read as something else', async () => {
    const refused: [NumberFileProblem, Uint8Array][] = [
      ['damaged_characters', Buffer.from('13800139001,\uFFFD\uFFFD\n')],
      ['binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d])],
      ['binary', encodeUtf16(TEXT).little.subarray(2)],
      ['old_excel', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
      ['unknown_encoding', Buffer.from([0x31, 0x2c, 0xff, 0xff, 0x0a])],
      ['unreadable_workbook', writeZip({ 'a.txt': 'no workbook' })],
      ['unreadable_workbook', createWorkbook([['13800139001']]).subarray(0, 200)],
      ['damaged_characters', createWorkbook([['13800139001', '\uFFFD']])],
    ];
    for (const [problem, bytes] of refused) await expect(readNumberFile(bytes)).rejects.toMatchObject({ problem });
  });
});

describe('a workbook', () => {
  test('is its first visible sheet as CSV, without empty rows and columns', async () => {
    const bytes = createWorkbook([['phone', 'name', ''], [], ['13800139001', 'Ann "A", the first'], ['13800139002']]);
    expect(await readNumberFile(bytes)).toEqual({
      text: 'phone,name\n13800139001,"Ann ""A"", the first"\n13800139002,\n',
      encoding: 'xlsx',
    });
  });

  test('shows numbers, dates and shares as its cells do', async () => {
    const rows = [
      [13800139001, { value: 45_978, style: 1 }, { value: 45_978.5, style: 2 }, { value: 0.125, style: 3 }],
      [0.1 + 0.2, { value: 12.5, style: 4 }, 1e21],
    ];
    const { text } = await readNumberFile(createWorkbook(rows));
    expect(text).toBe('13800139001,2025-11-17,2025-11-17 12:00,12.5%\n0.3,12.50,1000000000000000000000,\n');
  });

  test('is bounded by the size that its directory states', async () => {
    const bytes = Buffer.from(createWorkbook([['13800139001']]));
    const at = bytes.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    bytes.writeUInt32LE(10, at + 24);
    await expect(readNumberFile(bytes)).rejects.toMatchObject({ problem: 'unreadable_workbook' });
  });

  test('with a name space and with hints beside its texts is read like any other', async () => {
    const sheet =
      '<x:worksheet><x:sheetData><x:row r="1"><x:c r="B1" t="s"><x:v>0</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const strings =
      '<x:sst><x:si><x:t>&#24352;</x:t><x:rPh sb="0" eb="1"><x:t>hint</x:t></x:rPh><x:t>A&amp;B</x:t></x:si></x:sst>';
    expect((await readNumberFile(workbookOf({ sheet, strings }))).text).toBe(',张A&B\n');
  });

  // Each took minutes to hours when elements were found by patterns, or every row was filled up to its last column.
  const LONG = 2_000_000;
  test.each<[string, Parameters<typeof workbookOf>[0]]>([
    ['rows without an end', { sheet: '<row>'.repeat(LONG / 5) }],
    ['rows that begin and never close their tag', { sheet: '<row '.repeat(LONG / 5) }],
    ['cells without an end', { sheet: `<row>${'<c>'.repeat(LONG / 3)}</row>` }],
    ['an attribute of millions of letters', { sheet: `<row><c ${'a'.repeat(LONG)}></c></row>` }],
    ['hints without an end', { strings: `<si>${'<rPh '.repeat(LONG / 5)}</si>` }],
    ['hints that begin', { strings: `<si>${'<rPh>'.repeat(LONG / 5)}</si>` }],
    ['formats without an end', { styles: '<numFmt '.repeat(LONG / 8) }],
    ['lists of formats', { styles: '<cellXfs>'.repeat(LONG / 9) }],
    ['entities without an end', { strings: `<si><t>${'&a'.repeat(LONG / 2)}</t></si>` }],
    ['prefixes', { sheet: '<a:'.repeat(LONG / 3) }],
    ['names', { sheet: `<${'a'.repeat(LONG)}` }],
  ])(
    'of a few kilobytes is read in a moment: %s',
    async (_, files) => {
      const bytes = workbookOf(files);
      expect(bytes.length).toBeLessThan(20_000);
      const answer = await Promise.race([
        readNumberFile(bytes).then(
          () => 'read',
          (error: unknown) => (error instanceof NumberFileError ? 'refused' : error),
        ),
      ]);
      expect(['read', 'refused']).toContain(answer);
    },
    20_000,
  );

  test('that would unpack to more cells or text than anyone sends is refused', async () => {
    const wide = '<row><c r="XFD1"><v>1</v></c></row>'.repeat(50_000);
    await expect(readNumberFile(workbookOf({ sheet: wide }))).rejects.toMatchObject({ problem: 'too_large' });
    const beyond = '<row><c r="ZZZ1"><v>1</v></c></row>';
    await expect(readNumberFile(workbookOf({ sheet: beyond }))).rejects.toMatchObject({
      problem: 'unreadable_workbook',
    });
    const text = '<row><c t="s"><v>0</v></c></row>'.repeat(300);
    const strings = `<si><t>${'x'.repeat(1_000_000)}</t></si>`;
    await expect(readNumberFile(workbookOf({ sheet: text, strings }))).rejects.toMatchObject({ problem: 'too_large' });
  });
});
