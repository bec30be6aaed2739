// Repairs the database driver where it is installed (postgres 3.4.9; decision 0091). When a connection ends while a statement waits to be
// written, the driver cancels the timer for it but keeps believing that the timer runs. Nothing is ever written on that connection again: each
// attempt to open it ends after the time limit for connecting. Delete this with a release of the driver that resets both.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, root, runAsProgram } from './checkout.mjs';

const file = join(root, 'node_modules', 'postgres', 'src', 'connection.js');
const CANCEL = '    clearImmediate(nextWriteTimer)\n';
const RESET = '    chunk = nextWriteTimer = null\n';
/** When it is terminated, and when it is closed. */
const PLACES = 2;

export function patchDriver() {
  if (!existsSync(file)) return;
  const code = readFileSync(file, 'utf8');
  const count = (text) => code.split(text).length - 1;
  if (count(CANCEL + RESET) === PLACES) return;
  if (count(CANCEL) !== PLACES) {
    throw new Failure(
      `${file} is not the driver that scripts/patch-driver.mjs repairs. Does it still need the repair?`,
    );
  }
  try {
    writeFileSync(file, code.replaceAll(CANCEL, CANCEL + RESET));
  } catch (error) {
    throw new Failure(`The database driver could not be repaired: ${error.message}`);
  }
}

await runAsProgram(import.meta.url, patchDriver);
