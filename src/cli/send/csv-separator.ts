// Spreadsheets write what they call CSV with semicolons where the comma is the decimal mark, and tabs are what one gets by
// copying cells. The first line tells which it is.

const separators = [',', ';', '\t'] as const;
type Separator = (typeof separators)[number];

/** A first line that does not end within this is none. */
const firstLineLimit = 65_536;

/** The first line that says something, and all of the text again from its beginning. */
export async function holdFirstLine(
  pieces: AsyncIterable<string>,
): Promise<{ readonly firstLine: string; readonly all: AsyncIterable<string> }> {
  const source = pieces[Symbol.asyncIterator]();
  let held = '';
  let isOver = false;
  while (!isOver && held.length < firstLineLimit && !/[^\s].*[\r\n]/.test(held)) {
    const next = await source.next();
    if (next.done) isOver = true;
    else held += next.value;
  }
  async function* walk(): AsyncGenerator<string> {
    try {
      yield held;
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    } finally {
      // A reader that stops early must not leave the file open.
      await source.return?.();
    }
  }
  const [firstLine = ''] = held
    .replace(/^\ufeff/, '')
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '');
  return { firstLine, all: walk() };
}

/** The separator with which the line has a column for phones; a comma where none or several could be meant. */
export function findSeparator(line: string, phoneTitles: ReadonlySet<string>): Separator {
  const unquoted = line.replaceAll(/"(?:[^"]|"")*"/g, (quoted) => quoted.slice(1, -1).replaceAll(/[,;\t]/g, ' '));
  const fits = separators.filter((separator) => {
    const cells = unquoted.split(separator).map((cell) => cell.trim());
    const hasTitle = cells.some((cell) => phoneTitles.has(cell.toLowerCase()));
    return cells.length > 1 && (hasTitle || /^\+?[\d ()./-]{5,}$|^\d+([.,]\d+)?e\+?\d+$/i.test(cells[0] ?? ''));
  });
  return fits[0] ?? ',';
}
