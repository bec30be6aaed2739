import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatGuardedRow } from '../../../src/domain/csv-row.js';
import { cleanLine, escapeControls, guardCell } from '../../../src/domain/message/outside-text.js';

const ESCAPE = '\u001b]0;owned\u0007\u009b31m\u202e';

describe('a cell of a spreadsheet', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'],
    ['+1+cmd', "'+1+cmd"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['\n=1', "'\n'=1"],
    [' =1', "' =1"],
    ['hi;=1+1', "hi;'=1+1"],
    ['hi; @SUM(A1)|+1', "hi; '@SUM(A1)|'+1"],
    ['one\n=2', "one\n'=2"],
    ['＝1+1', "'＝1+1"],
    ['\u202e=1', "' =1"],
  ])('%j cannot be read as a formula', (text, cell) => {
    expect(guardCell(text)).toBe(cell);
  });

  test.each(['+8613800138000', '-0.050000', '0', '', 'a=b', 'line one\nline two'])('%j stays as it is', (text) => {
    expect(guardCell(text)).toBe(text);
  });
});

test('a guarded cell reads back by taking the first apostrophe away', () => {
  const unguard = (cell: string) => (cell.startsWith("'") ? cell.slice(1) : cell);
  const unit = fc.constantFrom("'", '=', '+', '-', '@', '1', '.', 'a', '＝', ' ');
  fc.assert(fc.property(fc.string({ unit }), (text) => unguard(guardCell(text)) === text));
});

test('a cell with a formula behind a semicolon is not written as it is', () => {
  expect(formatGuardedRow(['hi;=1+1', 'a|=1', 'x;y'])).toBe("hi;'=1+1,a|'=1,x;y\r\n");
});

describe('a terminal', () => {
  const drives = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u;

  test('gets nothing from a text that it obeys', () => {
    for (const text of [cleanLine(`a${ESCAPE}b`), guardCell(`a${ESCAPE}b`), escapeControls(JSON.stringify(ESCAPE))]) {
      expect(text).not.toMatch(drives);
    }
    expect(cleanLine('one\r\ntwo\tthree')).toBe('one two three');
  });

  test('shows JSON that reads back as what it was', () => {
    expect(JSON.parse(escapeControls(JSON.stringify({ [ESCAPE]: [ESCAPE, 'ü😀'] })))).toEqual({
      [ESCAPE]: [ESCAPE, 'ü😀'],
    });
  });
});
