// What `npm test` counts and names. The reporter is no part of the program, and is tried by a vitest of its own.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

const FILES = {
  'good.test.js': "test('adds', () => {}); test.skip('waits (no scales here)', () => {});",
  'bad.test.js': "describe('sums', () => test('subtracts', () => { throw new Error('one is missing'); }));",
  'hook.test.js': "test('is green', () => {}); afterAll(() => { throw new Error('cannot tidy up'); });",
  'late.test.js': "test('leaves work behind', async () => { void Promise.reject(new Error('too late')); });",
  'broken.test.js': "import './nothing.js';",
};

async function runFiles(files: Readonly<Record<string, string>>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postrider-reporter-')));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const vitest = join(checkout, 'node_modules/vitest/vitest.mjs');
    const reporter = join(checkout, 'scripts/result-reporter.mjs');
    const ofThisRun = ([name]: [string, unknown]) => name.startsWith('VITEST');
    const env = Object.fromEntries(Object.entries(process.env).filter((entry) => !ofThisRun(entry)));
    await promisify(execFile)(
      process.execPath,
      [vitest, 'run', '--globals', '--root', folder, `--reporter=${reporter}`],
      { cwd: folder, env: { ...env, POSTRIDER_TEST_RESULT: join(folder, 'result.json') } },
    ).catch(() => undefined);
    return JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as {
      passed: number;
      skipped: string[];
      failed: string[];
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('whatever fails a run is named: tests, hooks, files that cannot be loaded and errors that nothing caught', async () => {
  const { passed, skipped, failed } = await runFiles(FILES);
  expect(passed).toBe(3);
  expect(skipped).toEqual(['waits (no scales here)']);
  expect(failed.sort()).toEqual([
    expect.stringMatching(
      /^an error that nothing caught, during late\.test\.js.*: Error: too late \(.*late\.test\.js:1:\d+\)$/,
    ),
    'bad.test.js > sums > subtracts',
    expect.stringMatching(/^broken\.test\.js, outside its tests: Error: .*nothing\.js/),
    'hook.test.js, outside its tests: Error: cannot tidy up',
  ]);
});
