// A copy of the sources and the tests with one fault in it, and a run of one of its tests.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import type { ReturnedFault } from './returned-faults.js';

const COPIED = ['src', 'tools', 'test', 'package.json', 'vitest.config.ts', 'tsconfig.json'];
const LINKED = ['node_modules', 'packages', 'dist', 'docs', 'bin'];

/** The sources with the fault in them. A change that does not fit would pass for a fault that is not caught. */
export function changedSources({ name, changes }: ReturnedFault): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { file, find, replace } of changes) {
    const text = files.get(file) ?? readFileSync(join(checkout, 'src', file), 'utf8');
    if (text.split(find).length !== 2) throw new Error(`${name}: ${file} does not hold this exactly once: ${find}`);
    files.set(
      file,
      text.replace(find, () => replace),
    );
  }
  return files;
}

export interface Outcome {
  /** A test that only reaches its time limit does not say what is wrong. */
  readonly result: 'failed' | 'passed' | 'timed out' | 'not run';
  readonly output: string;
}

/** Runs the test of the fault until one of its cases fails. */
export async function runWithFault(fault: ReturnedFault): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'postrider-returned-'));
  try {
    for (const name of COPIED) cpSync(join(checkout, name), join(root, name), { recursive: true });
    for (const name of LINKED) symlinkSync(join(checkout, name), join(root, name));
    for (const [file, text] of changedSources(fault)) writeFileSync(join(root, 'src', file), text);
    return await runTest(root, fault.test);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function runTest(root: string, test: string): Promise<Outcome> {
  const ofThisRun = (name: string) => name.startsWith('VITEST') || name.startsWith('FAULTS');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisRun(name)));
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', test, '--bail=1', '--maxWorkers=1'], { cwd: root, env });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece));
  const [code] = await once(child, 'close');
  const output = Buffer.concat(pieces).toString('utf8');
  return { result: judge(code, output), output };
}

function judge(code: number | null, output: string): Outcome['result'] {
  if (code === 0) return 'passed';
  if (/Test timed out in/.test(output)) return 'timed out';
  // A file that cannot be loaded proves nothing. An error that no test catches would end the service.
  return /Tests .*\d+ failed|Errors .*\d+ error/.test(output) ? 'failed' : 'not run';
}
