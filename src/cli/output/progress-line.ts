import { cutToWidth, measureWidth } from '../display-width.js';
import type { Output } from '../terminal.js';

/** How often a log file, which keeps every line, gets a new one. */
const logIntervalMs = 5_000;

const gap = ' · ';

/** As many of the pieces, from the first on, as a line of this width has room for. */
export function fitPieces(pieces: readonly string[], width: number): string {
  let line = '';
  for (const piece of pieces) {
    const longer = line === '' ? piece : `${line}${gap}${piece}`;
    if (measureWidth(longer) > width) return line === '' ? cutToWidth(piece, width) : line;
    line = longer;
  }
  return line;
}

/** One line that is rewritten in place on a terminal, and now and then appended anywhere else. */
export function createProgressLine(output: Output, now: () => number) {
  let shown = '';
  let onScreen = '';
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async show(pieces: readonly string[]): Promise<void> {
      const text = pieces.join(gap);
      if (text === shown) return;
      if (output.isTty) {
        shown = text;
        onScreen = fitPieces(pieces, output.columns - 1);
        await output.write(`\r\u001b[2K${onScreen}`);
      } else if (now() - loggedAtMs >= logIntervalMs) {
        shown = text;
        loggedAtMs = now();
        await output.write(`${text}\n`);
      }
    },
    /** A line that stays, above the one that is rewritten. */
    async note(text: string): Promise<void> {
      await output.write(output.isTty ? `\r\u001b[2K${text}\n` : `${text}\n`);
      if (output.isTty) await output.write(onScreen);
    },
    /** Leaves the last state standing and moves on to the next line. */
    async finish(text: string): Promise<void> {
      if (output.isTty) await output.write(`\r\u001b[2K${text}\n`);
      else if (text !== shown) await output.write(`${text}\n`);
    },
  };
}
