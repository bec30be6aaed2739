// Every planted bug is found within two minutes. SIMULATED=name,name plants some of them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plantBug } from '../faults/planted/planted-build.js';
import { SIMULATED_BUGS } from './planted-bugs.js';

const chosen = process.env.SIMULATED?.split(',');
const bugs = SIMULATED_BUGS.filter(({ name }) => chosen?.includes(name) ?? true);

test.each(bugs)('a simulation finds $name', async (bug) => {
  const build = plantBug(bug);
  try {
    const program = join(build.root, 'dist/tools/simulator/main.js');
    const options = ['--seed', '1', '--minutes', '2', '--until-failure', '--out', build.root];
    const child = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pieces: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    await once(child, 'close');
    const output = Buffer.concat(pieces).toString('utf8');
    const [, broken = 'none'] = /^broken: (\w+)/m.exec(output) ?? [];
    const [, seed] = /^seed (\d+) after/m.exec(output) ?? [];
    const [, steps] = /has (\d+) steps/.exec(output) ?? [];
    console.log(`| \`${bug.name}\` | ${broken} | ${seed} | ${steps} |`);
    expect(bug.caughtBy, output).toContain(broken);
  } finally {
    build.remove();
  }
});
