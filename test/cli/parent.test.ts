import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from 'vitest';
import { buildCode, checkout } from '../support/service-process.js';

beforeAll(() => buildCode());

/** As `npx` does it: a shell that waits for the command. */
function startBelowShell(env: NodeJS.ProcessEnv) {
  const program = join(checkout, 'bin/postrider.mjs');
  const shell = spawn('sh', ['-c', `"${process.execPath}" "${program}" smsc --port 0 & echo $!; wait`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { shell, lines: createInterface({ input: shell.stdout })[Symbol.asyncIterator]() };
}

test('a message centre that npx started ends when npx is killed', async () => {
  const { shell, lines } = startBelowShell({ npm_command: 'exec' });
  await lines.next();
  expect(JSON.parse((await lines.next()).value ?? '')).toHaveProperty('smpp');
  shell.kill('SIGKILL');
  await once(shell, 'exit');
  // Its output ends with the counts when it has stopped in good order.
  expect(JSON.parse((await lines.next()).value ?? '')).toHaveProperty('submits');
  expect((await lines.next()).done).toBe(true);
});

test('one that a shell put into the background outlives the shell', async () => {
  const { shell, lines } = startBelowShell({ npm_command: '' });
  const pid = Number((await lines.next()).value);
  await lines.next();
  shell.kill('SIGKILL');
  await once(shell, 'exit');
  const next = lines.next();
  const stillThere = new Promise((resolve) => setTimeout(resolve, 1_500, 'runs on'));
  expect(await Promise.race([next, stillThere])).toBe('runs on');
  process.kill(pid, 'SIGTERM');
  expect(JSON.parse((await next).value ?? '')).toHaveProperty('submits');
});
