// The release script in a repository of its own: what it changes, and what it refuses.

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

const run = promisify(execFile);
const files = ['package.json', 'package-lock.json', 'packages/client/package.json', 'packages/console/package.json'];
const copied = ['scripts', 'sdks', 'docs/sdks.md', 'docs/zh/sdks.md', ...files];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-release-'));
  for (const name of copied) await cp(join(checkout, name), join(folder, name), { recursive: true });
  await writeFile(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n- A thing.\n\n## 0.0.1 - 2020-01-01\n\n- First.\n',
  );
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Start');
});
afterEach(() => rm(folder, { recursive: true }));

async function git(...words: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  return (await run('git', [...identity, ...words], { cwd: folder })).stdout;
}

function release(version: string) {
  const env = { ...process.env, GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' };
  return run(process.execPath, ['scripts/release.mjs', version], { cwd: folder, env: { ...env, ...committer } });
}

test('a release sets every version, dates the changelog, commits and tags', async () => {
  await release('99.1.0');
  for (const name of files.filter((path) => path !== 'package-lock.json')) {
    expect(JSON.parse(await readFile(join(folder, name), 'utf8')).version).toBe('99.1.0');
  }
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  expect(['', 'packages/client', 'packages/console'].map((path) => lock.packages[path].version)).toEqual([
    '99.1.0',
    '99.1.0',
    '99.1.0',
  ]);
  const today = new Date().toISOString().slice(0, 10);
  expect(await readFile(join(folder, 'CHANGELOG.md'), 'utf8')).toBe(
    `# Changelog\n\n## Unreleased\n\n## 99.1.0 - ${today}\n\n- A thing.\n\n## 0.0.1 - 2020-01-01\n\n- First.\n`,
  );
  expect(await git('tag', '--list')).toBe('v99.1.0\n');
  expect(await git('status', '--porcelain')).toBe('');
});

test('a release sets the version of every SDK, wherever it stands', async () => {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  await release('99.1.0');
  expect(await git('grep', '-l', '-F', '99.1.0', '--', 'sdks', 'docs')).toBe(
    `${[
      'docs/sdks.md',
      'docs/zh/sdks.md',
      'sdks/go/README.md',
      'sdks/go/client.go',
      'sdks/java/README.md',
      'sdks/java/pom.xml',
      'sdks/java/src/main/java/dev/postrider/Core.java',
      'sdks/php/src/Base.php',
      'sdks/python/pyproject.toml',
      'sdks/python/src/postrider/_core.py',
    ].join('\n')}\n`,
  );
  await expect(git('grep', '-F', version, '--', 'sdks', 'docs')).rejects.toMatchObject({ code: 1 });
});

test('a release without the version in an SDK is refused, and nothing changes', async () => {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const pom = join(folder, 'sdks/java/pom.xml');
  await writeFile(pom, (await readFile(pom, 'utf8')).replace(version, '0.0.9'));
  await git('commit', '--all', '--quiet', '--message', 'Another version');
  const stderr = expect.stringContaining(`sdks/java/pom.xml does not have the version ${version}`);
  await expect(release('99.1.0')).rejects.toMatchObject({ stderr });
  expect(await git('status', '--porcelain')).toBe('');
});

test.each([
  ['0.0.1', /0\.0\.1 is not newer than/],
  ['next', /Usage: node scripts\/release\.mjs/],
])('version %s is refused and nothing changes', async (version, reason) => {
  await expect(release(version)).rejects.toMatchObject({ stderr: expect.stringMatching(reason) });
  expect(await git('status', '--porcelain')).toBe('');
});

test('a release without an entry in the changelog is refused', async () => {
  await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.0.1 - 2020-01-01\n\n- First.\n');
  await git('commit', '--all', '--quiet', '--message', 'Empty');
  await expect(release('99.1.0')).rejects.toMatchObject({ stderr: expect.stringContaining('nothing to release') });
});
