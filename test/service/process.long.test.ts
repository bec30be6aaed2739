// The service as a process: what it makes of its arguments, of signals, and of a machine that is not as it should be.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { until } from '../support/until.js';

let folder: string;
const children: ChildProcess[] = [];

beforeAll(() => buildCode());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider process '));
  // As root the database runs as another user, who must be able to pass.
  await chmod(folder, 0o755);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  await rm(folder, { recursive: true, force: true });
});

interface Process {
  readonly child: ChildProcess;
  said(): string;
  readonly code: Promise<number | null>;
}

/** In a group of its own, so that a signal can reach it and its helpers together, as a terminal sends it. */
function startProcess(words: readonly string[], env: Readonly<Record<string, string>> = {}): Process {
  const child = spawn(process.execPath, [join(checkout, 'dist/main.js'), ...words], {
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
  }
  const code = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  return { child, said: () => said, code };
}

describe('a start', () => {
  test('on a port that is taken says so before anything is made', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const dataDir = join(folder, 'data');
    const { code, said } = startProcess(['--port', String(port), '--data-dir', dataDir]);
    expect(await code).toBe(1);
    other.close();
    expect(said()).toContain(`port ${port} of 127.0.0.1 is in use by another program`);
    expect(said()).toContain('npm start -- --port 9000');
    expect(existsSync(dataDir)).toBe(false);
  });

  test('with arguments that mean nothing is refused as not understood', async () => {
    const { code, said } = startProcess(['--prot', '9000']);
    expect(await code).toBe(2);
    expect(said()).toContain('did you mean --port?');
  });

  test('with a data folder that cannot be says why in a sentence', async () => {
    await writeFile(join(folder, 'file'), '');
    const { code, said } = startProcess(['--port', '0', '--data-dir', join(folder, 'file', 'data')]);
    expect(await code).toBe(1);
    expect(said()).toMatch(/could not start: .*file cannot be created: (a part of the path|a file is there)/);
    expect(said()).toContain('Choose another data folder: npm start -- --data-dir PATH');
    expect(said()).not.toMatch(/ENOTDIR|EEXIST/);
  });

  test('with a database and secrets of its own makes the folder that the demo needs', async () => {
    const database = await createTestDatabase();
    const { child, code, said } = startProcess(['--port', '0', '--data-dir', join(folder, 'data')], {
      POSTRIDER_DATABASE_URL: database.url,
      POSTRIDER_OPERATOR_TOKEN: 'operator-token-of-the-tests',
      POSTRIDER_SECRET_KEY: 'secret-key-of-the-tests-0123456789',
      POSTRIDER_DEMO: 'on',
    });
    await until('the service is ready', () => said().includes('is ready on') || child.exitCode !== null);
    child.kill('SIGTERM');
    expect(await code, said()).toBe(0);
    expect(existsSync(join(folder, 'data', 'demo.json'))).toBe(true);
    await database.drop();
  });
});

describe('with the embedded database', () => {
  test('a closed terminal ends the service and leaves no database server behind', async () => {
    const { child, code, said } = startProcess(['--port', '0', '--data-dir', join(folder, 'data')]);
    await until('the service is ready', () => said().includes('is ready on') || child.exitCode !== null);
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(true);
    child.kill('SIGHUP');
    expect(await code, said()).toBe(0);
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false);
  });

  test('several processes share it, and it is stopped after all of them', async () => {
    const words = ['--port', '0', '--data-dir', join(folder, 'data'), '--processes', '2'];
    const { child, code, said } = startProcess(words);
    await until('the service is ready', () => said().includes('is ready on') || child.exitCode !== null);
    expect(said()).toContain('2 processes are up');
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    expect(await code, said()).toBe(0);
    expect(said()).not.toMatch(/could not|failed|did not/);
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false);
  });

  test('Ctrl-C during the first start is an interruption and no failure of the database', async () => {
    const { child, code, said } = startProcess(['--port', '0', '--data-dir', join(folder, 'data')]);
    await until('the database is being created', () => said().includes('Creating a database'));
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    expect(await code).toBe(130);
    expect(said()).toContain('Interrupted before it was up. Nothing is left running.');
    expect(said()).not.toMatch(/could not|failed/);
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false);
  });
});
