// Every planted bug is found at the seed that docs/simulation.md gives, or, where a change has moved it, within two minutes from
// seed 1. SIMULATED=name,name plants some of them and prints their rows of that table, which takes the shortest scripts.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyBuild } from '../faults/planted/planted-build.js';
import { checkout } from '../support/service-process.js';
import { SIMULATED_BUGS } from './planted-bugs.js';

const chosen = process.env.SIMULATED?.split(',');
const bugs = SIMULATED_BUGS.filter(({ name }) => chosen?.includes(name) ?? true);
const rows = readFileSync(join(checkout, 'docs/simulation.md'), 'utf8').matchAll(
  /^\| `([\w-]+)` \| `\w+` \| (\d+) \|/gm,
);
const seeds = new Map([...rows].map(([, name, seed]) => [name, seed]));

test('the documentation names every planted bug', () => {
  expect([...seeds.keys()].sort()).toEqual(SIMULATED_BUGS.map(({ name }) => name).sort());
});

const build = copyBuild();
afterAll(() => build.remove());

test.each(bugs)('a simulation finds $name', { timeout: 300_000 }, async (bug) => {
  const { name, caughtBy } = bug;
  build.plant(bug);
  const atItsSeed = await simulate('--seed', seeds.get(name) ?? '1', '--runs', '1');
  const found = caughtBy.includes(atItsSeed.broken) ? atItsSeed : await simulate('--seed', '1', '--minutes', '2');
  if (chosen !== undefined) console.log(`| \`${name}\` | \`${found.broken}\` | ${found.seed} | ${found.steps} |`);
  expect(caughtBy, found.output).toContain(found.broken);
});

async function simulate(...options: string[]) {
  const program = join(build.root, 'dist/tools/simulator/main.js');
  const length = chosen === undefined ? ['--as-found'] : [];
  const child = spawn(process.execPath, [program, ...options, ...length, '--until-failure', '--out', build.root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  const output = Buffer.concat(pieces).toString('utf8');
  const [, broken = 'none'] = /^broken: (\w+)/m.exec(output) ?? [];
  const [, seed] = /^seed (\d+) after/m.exec(output) ?? [];
  const [, steps] = /has (\d+) steps/.exec(output) ?? [];
  return { output, broken, seed, steps };
}
