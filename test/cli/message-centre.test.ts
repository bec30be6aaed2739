import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
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

test('a message centre on a port that is taken says so in a sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const program = join(checkout, 'bin/postrider.mjs');
  const { status, stderr } = spawnSync(process.execPath, [program, 'smsc', '--port', String(port)], {
    encoding: 'utf8',
  });
  other.close();
  expect(status).toBe(1);
  expect(stderr).toBe(`Port ${port} of 127.0.0.1 is in use by another program. Choose another with --port.\n`);
});
