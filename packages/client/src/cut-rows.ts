/** The forms in which a list can be had as a file. */
export type FileType = 'csv' | 'ndjson';

export interface CutRows {
  /** Whole rows, as they came; empty while none is complete. */
  readonly text: string;
  readonly rows: number;
  /** The last of them; empty when there is none. */
  readonly last: string;
}

export interface RowCutter {
  push(piece: string): CutRows;
  /** The beginning of a row whose end has not come. */
  readonly rest: string;
}

/**
 * Cuts a file that comes in pieces of any size where its rows end. Within quotes, a line break is a part of the cell; quotes
 * inside of them are doubled, so counting all of them tells which it is.
 */
export function createRowCutter(type: FileType): RowCutter {
  const marks = type === 'csv' ? /["\n]/g : /\n/g;
  let rest = '';
  let isQuoted = false;
  return {
    get rest() {
      return rest;
    },
    push(piece) {
      const text = rest + piece;
      let rows = 0;
      let lastStart = 0;
      let end = 0;
      // The rest was looked through when it came.
      marks.lastIndex = rest.length;
      for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
        if (mark[0] === '"') isQuoted = !isQuoted;
        else if (!isQuoted) {
          rows += 1;
          lastStart = end;
          end = marks.lastIndex;
        }
      }
      rest = text.slice(end);
      return { text: text.slice(0, end), rows, last: text.slice(lastStart, end) };
    },
  };
}

/** Where to go on behind a row: its last column or field. Null for a row that has none. */
export function readCursor(type: FileType, row: string): string | null {
  const cursor = type === 'csv' ? row.trimEnd().slice(row.lastIndexOf(',') + 1) : readField(row);
  return typeof cursor === 'string' && /^[\w-]+$/.test(cursor) ? cursor : null;
}

function readField(row: string): unknown {
  try {
    const value: unknown = JSON.parse(row);
    return typeof value === 'object' && value !== null && 'cursor' in value ? value.cursor : undefined;
  } catch {
    return undefined;
  }
}
