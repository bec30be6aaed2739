// Which files `npm test` runs. Vitest lists them with the options that scripts/test.mjs gives it.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

const run = promisify(execFile);

async function listChosen(): Promise<string[]> {
  const print = "import('./scripts/test.mjs').then(({ chooseTests }) => console.log(JSON.stringify(chooseTests())))";
  const { stdout: chosen } = await run(process.execPath, ['-e', print], { cwd: checkout });
  const options = JSON.parse(chosen.trim().split('\n').at(-1) ?? '') as string[];
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await run(process.execPath, [vitest, 'list', '--filesOnly', ...options], { cwd: checkout });
  return [...stdout.matchAll(/(?:test|packages)\/\S+\.test\.ts/g)].map(([file]) => file).sort();
}

function findTests(folder: string): string[] {
  return readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.test.ts'));
}

test('npm test runs every file but the long ones', async () => {
  const present = ['test', 'packages/client/test'].flatMap(findTests);
  const chosen = await listChosen();
  expect(chosen).toEqual(present.filter((file) => !file.includes('.long.')).sort());
  expect(present.length).toBeGreaterThan(chosen.length);
});
