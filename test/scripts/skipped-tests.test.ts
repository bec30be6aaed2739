// What `npm test` says of tests that were skipped. The script is no part of the program, and is asked in a process of its own.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

async function describeSkipped(names: readonly string[]): Promise<string[]> {
  const print = `import('./scripts/test.mjs').then(({ describeSkipped }) => console.log(JSON.stringify(describeSkipped(${JSON.stringify(names)}))))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', print], { cwd: checkout });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[];
}

test('tests that need what is not on this machine are one line for each thing that is missing', async () => {
  const skipped = await describeSkipped([
    'conformance of the SDK for Java (not tried: no JDK 17 or later here)',
    'examples of the SDK for Java (not tried: no JDK 17 or later here) Send sends a message',
    'in Go every example does what the guides say (no Go on this machine)',
    'mypy --strict finds nothing (no mypy here)',
    'a disk that is full (needs root)',
    'a disk that is full (needs root), once more',
  ]);
  expect(skipped).toEqual([
    'no JDK 17 or later here (2 tests)',
    'in Go every example does what the guides say (no Go on this machine)',
    'mypy --strict finds nothing (no mypy here)',
    'a disk that is full (needs root)',
    'a disk that is full (needs root), once more',
  ]);
});
