// Where this code is installed. What a command looks for must not depend on the folder that it is run in.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Above `src` and `dist` alike, with a separator at its end. */
export const checkoutFolder = fileURLToPath(new URL('../..', import.meta.url));

export const defaultDataDir = join(checkoutFolder, 'data');

/** The beginning of a command line that works as it is, in any folder. `npx` would ask a registry outside of the checkout. */
export function formatProgram(): string {
  return `node ${quoteForShell(join(checkoutFolder, 'bin', 'postrider.mjs'))}`;
}

/** A whole command that works in any terminal, for the service that keeps its data in this folder. */
export function formatCommand(dataFolder: string, words: string): string {
  const where = dataFolder === defaultDataDir ? '' : `POSTRIDER_DATA_DIR=${quoteForShell(dataFolder)} `;
  return `${where}${formatProgram()} ${words}`;
}

export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
