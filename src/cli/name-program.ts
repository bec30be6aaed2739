// The program as the user called it, so that a hint can be copied and works the same way.

import { basename, delimiter, dirname, sep } from 'node:path';
import { checkoutFolder, formatProgram } from '../service/checkout.js';

export const INSTALLED_PROGRAM = 'postrider';
const NPX_PROGRAM = `npx ${INSTALLED_PROGRAM}`;

interface Start {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it was run. */
  readonly folder: string;
  /** The file that was run, `process.argv[1]`. */
  readonly script: string;
}

/** `npx postrider` in the checkout, `postrider` where that is a command of the shell, and else what works anywhere. */
export function nameProgram({ env, folder, script }: Start): string {
  // `npx` puts the folder of its commands into PATH, for this process alone.
  if (env.npm_command === 'exec') {
    const isInside = `${folder}${sep}`.startsWith(checkoutFolder);
    return isInside ? NPX_PROGRAM : formatProgram();
  }
  const isFound = (env.PATH ?? '').split(delimiter).includes(dirname(script));
  return basename(script) === INSTALLED_PROGRAM && isFound ? INSTALLED_PROGRAM : formatProgram();
}
