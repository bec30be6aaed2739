// A checkout with nothing installed, on machines where npm cannot do its work. In place of npm stands a program that ends as npm
// does there.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider install '));
  for (const name of ['scripts', 'bin', 'package.json', 'package-lock.json']) {
    await cp(join(checkout, name), join(folder, name), { recursive: true });
  }
  await mkdir(join(folder, 'path'));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(words: readonly string[], npmSays: string) {
  await writeFile(join(folder, 'path/npm'), `#!/bin/sh\ncat >&2 <<'END'\n${npmSays}\nEND\nexit 1\n`);
  await chmod(join(folder, 'path/npm'), 0o755);
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: { PATH: `${join(folder, 'path')}:/usr/bin:/bin` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said.out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said.err += piece;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

const offline = `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to https://registry.example/zod failed, reason: getaddrinfo ENOTFOUND registry.example
npm error A complete log of this run can be found in: /home/ann/.npm/_logs/debug-0.log`;

test('without a network a start says so in a sentence, and where npm said more', async () => {
  const { code, err } = await run(['scripts/start.mjs'], offline);
  expect(code).toBe(1);
  expect(err).toContain('The dependencies could not be installed: npm did not reach its registry.');
  expect(err).toContain('What npm said: /home/ann/.npm/_logs/debug-0.log\n');
  expect(err).not.toMatch(/ENOTFOUND|npm error/);
});

test('a command of a checkout where nothing is built says the same, and leaves standard output to the command', async () => {
  const { code, out, err } = await run(['bin/postrider.mjs', 'account', '--json'], offline);
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(err).toMatch(/^Installing dependencies .*\nThe dependencies could not be installed: npm did not reach/);
});

test.each([
  ['npm error code EACCES', 'this user may not write to'],
  ['npm error code ENOSPC', 'the disk is full.'],
  ['npm error code SELF_SIGNED_CERT_IN_CHAIN', 'does not trust the certificate'],
])('%s is reported in a sentence', async (said, sentence) => {
  const { err } = await run(['scripts/start.mjs'], said);
  expect(err).toContain(sentence);
  expect(err).not.toContain('npm error');
});

test('what is not known is told as npm told it', async () => {
  const { err } = await run(['scripts/start.mjs'], 'npm error code EUSAGE\nnpm error lock file is odd');
  expect(err).toContain('npm error lock file is odd');
  expect(err).toContain('The dependencies could not be installed (npm ci ended with 1).');
});
