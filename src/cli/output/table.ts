import { outcomeOf } from '@postrider/client';
import { cleanLine } from '../../domain/message/outside-text.js';
import { cutToWidth, measureWidth, padToWidth, wrapText } from '../display-width.js';
import { type Output, paint } from '../terminal.js';
import { paintOutcome, signOutcome } from './outcome-signs.js';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** What a narrow terminal does without: 1 goes first. */
  readonly dispensable?: number;
  /** Its words are outcomes: each has its sign and its colour. */
  readonly hasOutcomes?: true;
}

/** A long message text must not push the rest off the screen; the last column has nothing behind it. */
const maxCellWidth = 48;
const maxLastCellWidth = 200;
const gap = '  ';
/** A shorter piece of a text is not worth showing. */
const leastCutWidth = 12;

/** The columns that fit: where they do not, those that can be done without are left out until the others do. */
function chooseColumns(output: Output, columns: readonly TableColumn[], widths: readonly number[]): readonly number[] {
  let kept = columns.map((_, index) => index);
  if (!output.isTty) return kept;
  const measure = () => kept.reduce((sum, index) => sum + (widths[index] ?? 0) + gap.length, -gap.length);
  const dispensable = kept
    .filter((index) => columns[index]?.dispensable !== undefined)
    .sort((one, other) => (columns[one]?.dispensable ?? 0) - (columns[other]?.dispensable ?? 0));
  for (const dropped of dispensable) {
    if (measure() <= output.columns) break;
    kept = kept.filter((index) => index !== dropped);
  }
  // A line that the terminal wraps is hard to read, so text at the end is cut instead.
  const isEnough = () => {
    const last = kept.at(-1) ?? 0;
    const cuttable = columns[last]?.align === 'right' ? 0 : Math.max(0, (widths[last] ?? 0) - leastCutWidth);
    return measure() - cuttable <= output.columns;
  };
  while (!isEnough() && kept.length > 2) kept = kept.slice(0, -1);
  return kept;
}

/**
 * A table that is printed as rows come. Widths follow from the title and the first batch; later rows are cut only where
 * they would not fit at all, so that a stream of any length starts at once.
 */
export function createTable(output: Output, columns: readonly TableColumn[]) {
  let layout: { readonly widths: readonly number[]; readonly kept: readonly number[] } | null = null;

  const signIn = (column: TableColumn | undefined, word: string) =>
    column?.hasOutcomes === true ? signOutcome(output, word) : word;

  function layOut(rows: readonly (readonly string[])[]) {
    const widths = columns.map((column, index) =>
      Math.max(measureWidth(column.title), ...rows.map((row) => measureWidth(signIn(column, row[index] ?? '')))),
    );
    return { widths, kept: chooseColumns(output, columns, widths) };
  }

  function formatRow(words: readonly string[], { widths, kept }: NonNullable<typeof layout>): string {
    const cells = words.map((word, index) => signIn(columns[index], word));
    const padded = kept.map((index) => {
      const column = columns[index];
      const cell = cells[index] ?? '';
      // The last column needs no padding, and trailing blanks would wrap in a narrow terminal.
      if (index === kept.at(-1) && column?.align !== 'right') return cell;
      return padToWidth(cell, widths[index] ?? 0, column?.align ?? 'left');
    });
    const line = padded.join(gap).trimEnd();
    if (output.isTty && measureWidth(line) > output.columns) return cutToWidth(line, output.columns);
    const painted = kept.map((index, place) => {
      const outcome = columns[index]?.hasOutcomes === true ? outcomeOf(words[index] ?? '') : undefined;
      return outcome === undefined ? padded[place] : paintOutcome(output, outcome, padded[place] ?? '');
    });
    return painted.join(gap).trimEnd();
  }

  return {
    async write(rows: readonly (readonly string[])[]): Promise<void> {
      const lastIndex = columns.length - 1;
      const cut = rows.map((row) =>
        row.map((cell, index) => cutToWidth(cleanLine(cell), index === lastIndex ? maxLastCellWidth : maxCellWidth)),
      );
      let text = '';
      if (layout === null) {
        layout = layOut(cut);
        const titles = columns.map((column) => column.title);
        text += `${paint(output, 'dim', formatRow(titles, layout))}\n`;
      }
      const fixed = layout;
      text += cut.map((row) => `${formatRow(row, fixed)}\n`).join('');
      await output.write(text);
    },
  };
}

/** Names and values of one thing, one a line. */
export function formatFields(output: Output, fields: readonly (readonly [string, string])[]): string {
  const width = Math.max(...fields.map(([name]) => measureWidth(name)));
  const room = output.isTty ? Math.max(20, output.columns - width - gap.length) : Number.POSITIVE_INFINITY;
  const indent = `\n${' '.repeat(width + gap.length)}`;
  return fields
    .map(([name, value]) => {
      const flat = cleanLine(value);
      const shown = measureWidth(flat) <= room ? flat : wrapText(flat, room).join(indent);
      return `${paint(output, 'dim', padToWidth(name, width, 'left'))}${gap}${shown}\n`;
    })
    .join('');
}
