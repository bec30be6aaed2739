// What the scripts share: where the checkout is, and how to run a program in it. No dependency may be imported here, as
// this runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program to its end. With `quietly` its output is kept back and returned. */
export function run(program, programArguments, { quietly = false, env = process.env } = {}) {
  return new Promise((resolve) => {
    const stdio = quietly ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(program, programArguments, { cwd: root, stdio, env });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', forward).on('SIGTERM', forward);
    const finish = (code, note = '') => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      resolve({ code, output: `${Buffer.concat(chunks)}${note}`.trimEnd() });
    };
    child.on('error', (error) => finish(127, error.message));
    child.on('close', (code) => finish(code ?? 1));
  });
}

/** A program that npm installed. */
export function installed(name) {
  return join(root, 'node_modules', '.bin', name);
}

/** A hash of the contents of files and folders, to tell whether anything changed. What is not there counts as empty. */
export function fingerprint(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    if (found?.isDirectory()) for (const name of readdirSync(join(root, path)).sort()) add(join(path, name));
    else if (found !== undefined) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

/** Runs `main` when the file is the program itself and not imported by another. */
export async function runAsProgram(url, main) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  }
}

/** A failure that its message explains; a stack would only hide it. */
export class Failure extends Error {}
