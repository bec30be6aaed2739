// Measures what each test file takes, for the times at the end of a run (`scripts/times-reporter.mjs`).

import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { readKind, resetKind } from './kind.js';

resetKind();
const before = readTimes();

// The reverse order of registration makes this the last hook of the file.
// biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of fixtures from a pattern, and takes nothing else.
afterAll(({}, file) => {
  const now = readTimes();
  Object.assign(file.meta, {
    kind: readKind(),
    processorMs: now.ownMs - before.ownMs,
    childrenMs: now.childrenMs - before.childrenMs,
  });
});

/** Of this process, and of those that it started and that have ended. */
function readTimes(): { readonly ownMs: number; readonly childrenMs: number } {
  const { user, system } = process.cpuUsage();
  return { ownMs: (user + system) / 1000, childrenMs: readChildrenMs() };
}

/** The kernel counts in hundredths of a second. Where there is no /proc, what children take is not known. */
function readChildrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}
