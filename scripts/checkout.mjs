// What the scripts share: where the checkout is, and how to run a program in it. No dependency may be imported here, as
// this runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What a person, a closed terminal or a supervisor ends a program with. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a program to its end. Rejects with an Interruption where a signal ended it. With `quietly` its output is kept back and returned. */
export function run(program, programArguments, { quietly = false, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quietly ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(program, programArguments, { cwd: root, stdio, env });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    let interruption;
    const forward = (signal) => {
      interruption ??= signal;
      child.kill(signal);
    };
    for (const signal of endings) process.on(signal, forward);
    const finish = (code, note = '') => {
      for (const signal of endings) process.off(signal, forward);
      if (!quietly && note !== '' && interruption === undefined) console.error(note.trimStart());
      // Whatever the program says of its end: it was asked to.
      if (interruption === undefined) resolve({ code, output: `${Buffer.concat(chunks)}${note}`.trimEnd() });
      else reject(new Interruption(interruption));
    };
    child.on('error', (error) => finish(127, error.message));
    child.on('close', (code, signal) =>
      finish(code ?? 1, signal === null ? '' : `\n${program} was ended by ${signal}.`),
    );
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
    process.exitCode = reportEnd(error);
  }
}

/** A failure that its message explains; a stack would only hide it. */
export class Failure extends Error {}

/** It was ended from outside, which is no failure of what was under way. */
export class Interruption extends Error {
  constructor(signal) {
    super('Interrupted. The same command goes on where this one stopped.');
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}

/** Says why it ended, and returns the exit code. */
export function reportEnd(error) {
  if (error instanceof Interruption) {
    console.error(error.message);
    return error.exitCode;
  }
  console.error(error instanceof Failure ? error.message : error);
  return 1;
}
