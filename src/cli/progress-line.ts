import { cutToWidth } from './display-width.js';
import type { Output } from './terminal.js';

/** How often a log file, which keeps every line, gets a new one. */
const logIntervalMs = 5_000;

/** One line that is rewritten in place on a terminal, and now and then appended anywhere else. */
export function createProgressLine(output: Output, now: () => number) {
  let shown = '';
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async show(text: string): Promise<void> {
      if (text === shown) return;
      if (output.isTty) {
        shown = text;
        await output.write(`\r\u001b[2K${cutToWidth(text, output.columns - 1)}`);
      } else if (now() - loggedAtMs >= logIntervalMs) {
        shown = text;
        loggedAtMs = now();
        await output.write(`${text}\n`);
      }
    },
    /** A line that stays, above the one that is rewritten. */
    async note(text: string): Promise<void> {
      await output.write(output.isTty ? `\r\u001b[2K${text}\n` : `${text}\n`);
      if (output.isTty) await output.write(cutToWidth(shown, output.columns - 1));
    },
    /** Leaves the last state standing and moves on to the next line. */
    async finish(text: string): Promise<void> {
      if (output.isTty) await output.write(`\r\u001b[2K${text}\n`);
      else if (text !== shown) await output.write(`${text}\n`);
    },
  };
}
