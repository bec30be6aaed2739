import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvError, type CsvRow, parseCsv } from '../../../src/cli/send/csv.js';
import { formatCsvRow } from '../../../src/domain/csv-row.js';

async function parse(...pieces: string[]): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of parseCsv(pieces)) rows.push(row);
  return rows;
}

test('quotes, doubled quotes and line breaks within quotes are text', async () => {
  expect(await parse('a,"b ""c"", d","e\r\nf"\r\ng,,\r\n')).toEqual([
    { line: 1, cells: ['a', 'b "c", d', 'e\r\nf'] },
    { line: 3, cells: ['g', '', ''] },
  ]);
});

test('a byte order mark, bare line feeds, blank lines and a missing last line break are no matter', async () => {
  expect(await parse('\ufeffa,b\n\nc,d')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 3, cells: ['c', 'd'] },
  ]);
});

test('a quote that is never closed, and text after a closing quote, say where', async () => {
  await expect(parse('a\n"b')).rejects.toThrow(new CsvError('Line 2: a quote is opened and never closed.'));
  await expect(parse('"a"b\n')).rejects.toThrow('Line 1');
});

test('whatever is written is read back, however the text is cut into pieces', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '退', '"', ',', '\n', '\r', ' ', '𝒳') });
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  const check = fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (written, size) => {
    const characters = [...written.map(formatCsvRow).join('')];
    const pieces: string[] = [];
    for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
    expect((await parse(...pieces)).map((row) => row.cells)).toEqual(written);
  });
  await fc.assert(check);
});
