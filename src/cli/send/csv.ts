// Reading CSV as RFC 4180 has it: quotes around what needs them, doubled inside, line breaks allowed within. Lenient where files
// of real people are: a byte order mark, bare line feeds, no final line break.

export class CsvError extends Error {
  override readonly name = 'CsvError';
}

export interface CsvRow {
  /** Where the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

type Place = 'start' | 'plain' | 'quoted' | 'closed';

/** Reads text that arrives in pieces of any size. */
export async function* parseCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
  separator = ',',
): AsyncGenerator<CsvRow> {
  let place: Place = 'start';
  let cell = '';
  let cells: string[] = [];
  let line = 1;
  let rowLine = 1;
  let rowHasContent = false;
  let sawReturn = false;
  let first = true;

  function endCell(): void {
    cells.push(cell);
    cell = '';
    place = 'start';
  }
  function endRow(): CsvRow | null {
    endCell();
    // A blank line is not a row; a line with only a separator is one.
    const row = rowHasContent ? { line: rowLine, cells } : null;
    cells = [];
    rowHasContent = false;
    return row;
  }

  for await (const piece of pieces) {
    for (const character of first ? piece.replace(/^\ufeff/, '') : piece) {
      const afterReturn = sawReturn;
      sawReturn = false;
      if (place === 'quoted') {
        if (character === '"') place = 'closed';
        else cell += character;
        if (character === '\n') line += 1;
        continue;
      }
      if (character === '\n' || character === '\r') {
        sawReturn = character === '\r';
        if (character === '\n' && afterReturn) {
          rowLine = line;
          continue;
        }
        const row = endRow();
        line += 1;
        rowLine = line;
        if (row !== null) yield row;
        continue;
      }
      rowHasContent = true;
      if (character === separator) endCell();
      else if (character === '"' && place === 'start') place = 'quoted';
      else if (character === '"' && place === 'closed') {
        cell += '"';
        place = 'quoted';
      } else if (place === 'closed') {
        throw new CsvError(
          `Line ${line}: "${character}" after a closing quote. Double a quote that belongs to the text.`,
        );
      } else {
        cell += character;
        place = 'plain';
      }
    }
    if (piece !== '') first = false;
  }
  if (place === 'quoted') throw new CsvError(`Line ${rowLine}: a quote is opened and never closed.`);
  const last = endRow();
  if (last !== null) yield last;
}
