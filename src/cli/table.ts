import { cutToWidth, measureWidth, padToWidth } from './display-width.js';
import { type Output, paint } from './terminal.js';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** A long message text must not push the rest off the screen; the last column has nothing behind it. */
const maxCellWidth = 48;
const maxLastCellWidth = 200;

/** Text of others is printed as one line without control characters, so that a message cannot drive the terminal. */
function flattenText(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/**
 * A table that is printed as rows come. Widths follow from the title and the first batch; later rows are cut only where
 * they would not fit at all, so that a stream of any length starts at once.
 */
export function createTable(output: Output, columns: readonly TableColumn[]) {
  let widths: number[] | null = null;

  function formatRow(cells: readonly string[], fixed: readonly number[]): string {
    const padded = cells.map((cell, index) => {
      const column = columns[index];
      const width = fixed[index] ?? 0;
      // The last column needs no padding, and trailing blanks would wrap in a narrow terminal.
      if (index === columns.length - 1 && column?.align !== 'right') return cell;
      return padToWidth(cell, width, column?.align ?? 'left');
    });
    return padded.join('  ').trimEnd();
  }

  return {
    async write(rows: readonly (readonly string[])[]): Promise<void> {
      const lastIndex = columns.length - 1;
      const cut = rows.map((row) =>
        row.map((cell, index) => cutToWidth(flattenText(cell), index === lastIndex ? maxLastCellWidth : maxCellWidth)),
      );
      let text = '';
      if (widths === null) {
        widths = columns.map((column, index) =>
          Math.max(measureWidth(column.title), ...cut.map((row) => measureWidth(row[index] ?? ''))),
        );
        const titles = columns.map((column) => column.title);
        text += `${paint(output, 'dim', formatRow(titles, widths))}\n`;
      }
      const fixed = widths;
      text += cut.map((row) => `${formatRow(row, fixed)}\n`).join('');
      await output.write(text);
    },
  };
}

/** Names and values of one thing, one a line. */
export function formatFields(output: Output, fields: readonly (readonly [string, string])[]): string {
  const width = Math.max(...fields.map(([name]) => measureWidth(name)));
  return fields
    .map(([name, value]) => `${paint(output, 'dim', padToWidth(name, width, 'left'))}  ${flattenText(value)}\n`)
    .join('');
}
