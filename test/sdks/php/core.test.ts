// The PHP SDK by the tools of its language, and what the conformance suite does not see.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findMissing } from '../toolchain.js';
import { missingPhp, phpFolder } from './php.js';

const run = promisify(execFile);
/** Whatever PHP has to say is an error. */
const strict = ['-d', 'error_reporting=-1', '-d', 'display_errors=stderr', '-d', 'zend.exception_ignore_args=0'];

async function runPhp(...words: string[]): Promise<string> {
  const { stdout, stderr } = await run('php', [...strict, ...words], { cwd: phpFolder });
  expect(stderr).toBe('');
  return stdout;
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(phpFolder, { recursive: true });
  return entries.filter((name) => name.endsWith('.php') && !name.startsWith('vendor')).sort();
}

describe.skipIf(missingPhp !== undefined)(`PHP SDK${missingPhp ? ` (not tried: no ${missingPhp} here)` : ''}`, () => {
  test('every file declares strict types and has no error that PHP finds without running it', async () => {
    const files = await listFiles();
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      expect(await readFile(join(phpFolder, file), 'utf8'), file).toContain('\n\ndeclare(strict_types=1);\n');
    }
    // Loaded, classes are checked against what they extend, which `php -l` does not do.
    const names = files
      .filter((file) => file.startsWith('src/'))
      .map((file) => file.slice(4, -4).replaceAll('/', '\\'));
    const load = `require 'conformance/autoload.php';
foreach (json_decode($argv[1]) as $name) {
    class_exists("Postrider\\\\$name") || interface_exists("Postrider\\\\$name") || trait_exists("Postrider\\\\$name")
        || exit("No $name in its file");
}`;
    expect(await runPhp('-r', load, JSON.stringify(names))).toBe('');
    const programs = files.filter((file) => !file.startsWith('src/'));
    for (const file of programs) expect(await runPhp('-l', file)).toContain('No syntax errors');
  });

  test('core.php holds', async () => {
    expect(await runPhp('tests/core.php')).toBe('');
  });

  test('sendAll has as many requests under way as it may, and no more', async () => {
    const waiting: ServerResponse[] = [];
    const seen: number[] = [];
    const task = JSON.stringify({ task_no: 'T1', created_at: '2026-11-15T00:00:00.000Z', counts: { total: 1 } });
    const server = createServer((request, response) => {
      request.resume();
      waiting.push(response);
      // The answers of the first four go out when all of them wait; then one for each that comes.
      if (seen.push(waiting.length) < 4) return;
      for (const one of waiting.splice(0, seen.length === 4 ? 3 : 1)) one.end(task);
      if (seen.length === 9) for (const one of waiting.splice(0)) one.end(task);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const program = `require 'conformance/autoload.php';
$client = new Postrider\\Client($argv[1], 'ak', 'sk');
echo $client->sendAll(array_map(strval(...), range(1, 9)), templateNo: 'M1', batchId: 'b', numbersPerTask: 1)->tasks;`;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await runPhp('-r', program, url)).toBe('9');
      expect(Math.max(...seen)).toBe(4);
    } finally {
      server.close();
    }
  });

  const noPhpcs = findMissing({ phpcs: ['phpcs', '--version'] });
  test.skipIf(noPhpcs !== undefined)(`is formatted by PSR-12${noPhpcs ? ` (no ${noPhpcs} here)` : ''}`, async () => {
    // Of the generated models, one of each kind is enough.
    const models = ['Task', 'NewOwnCredential', 'Recipient', 'Stage', 'WebhookData'].map(
      (name) => `src/Model/${name}.php`,
    );
    const words = ['-n', '--standard=PSR12', 'src', 'conformance', 'examples'];
    await run('phpcs', [...words, '--ignore=*/src/Model/*'], { cwd: phpFolder });
    await run('phpcs', ['-n', '--standard=PSR12', ...models], { cwd: phpFolder });
  });
});
