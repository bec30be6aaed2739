import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSecrets } from '../../src/service/secrets.js';
import { quiet } from '../support/quiet.js';

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-folder-'));
  dataDir = join(folder, 'some', 'data');
});
afterEach(() => rm(folder, { recursive: true }));

const none = { operatorToken: undefined, secretKey: undefined };

describe('the secrets', () => {
  test('are generated once, for their owner alone', async () => {
    const first = await loadSecrets({ dataDir, ...none }, quiet);
    expect(first.operatorToken).toMatch(/^[0-9a-f]{64}$/);
    expect(first.secretKey).toHaveLength(32);
    for (const name of ['operator-token', 'secret-key']) {
      expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(dataDir)).mode & 0o066).toBe(0);
    expect(await loadSecrets({ dataDir, ...none }, quiet)).toEqual(first);
  });

  test('are the same for processes that start at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => loadSecrets({ dataDir, ...none }, quiet)));
    for (const secrets of all) expect(secrets).toEqual(all[0]);
    expect((await readdir(dataDir)).sort()).toEqual(['operator-token', 'secret-key']);
  });

  test('of the environment come first, and then no folder is made', async () => {
    const secretKey = '0123456789abcdef';
    const secrets = await loadSecrets({ dataDir, operatorToken: 'token', secretKey }, quiet);
    expect(secrets.operatorToken).toBe('token');
    expect(secrets.secretKey).toEqual(createHash('sha256').update(secretKey).digest());
    await expect(stat(dataDir)).rejects.toThrow('ENOENT');
  });

  test('with a token that is short enough to guess are refused', async () => {
    await loadSecrets({ dataDir, ...none }, quiet);
    await writeFile(join(dataDir, 'operator-token'), 'fifteen-letters\n');
    await expect(loadSecrets({ dataDir, ...none }, quiet)).rejects.toThrow('operator-token must have at least 16');
    await writeFile(join(dataDir, 'operator-token'), 'sixteen--letters\n');
    expect((await loadSecrets({ dataDir, ...none }, quiet)).operatorToken).toBe('sixteen--letters');
  });

  test('that others can read are pointed out; one that is empty is refused', async () => {
    const warnings: string[] = [];
    const log = { ...quiet, warn: (message: string) => warnings.push(message) };
    await loadSecrets({ dataDir, ...none }, log);
    await chmod(join(dataDir, 'secret-key'), 0o644);
    await loadSecrets({ dataDir, ...none }, log);
    expect(warnings).toEqual([expect.stringContaining('chmod 600')]);
    await writeFile(join(dataDir, 'operator-token'), '');
    await expect(loadSecrets({ dataDir, ...none }, log)).rejects.toThrow('is empty');
    expect(await readFile(join(dataDir, 'operator-token'), 'utf8')).toBe('');
  });
});
