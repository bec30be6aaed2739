// A newcomer: an ordinary user with a fresh copy of the repository in a folder with spaces, who types what the README and the
// guides say, in their order, and sees what they show. Only two things are not as at home: what is installed is copied in,
// because installing takes a minute and a network, and the port is one that is free on this machine. The blocks of all other
// pages run in `code-blocks.long.test.ts`.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkout } from '../support/service-process.js';
import { until } from '../support/until.js';
import { findBlocks, NEWCOMER_PAGES, readPage } from './pages.js';
import { canRun, findMissing, type Reader, runPage } from './run-page.js';

const run = promisify(execFile);

const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

/** Root must switch to an ordinary user; a container may not allow that. */
async function findIdentity(): Promise<{ uid: number; gid: number } | undefined | 'impossible'> {
  if (!isRoot) return undefined;
  return run('id', ['-u'], { ...nobody, cwd: '/' }).then(
    ({ stdout }) => (stdout.trim() === String(nobody.uid) ? nobody : 'impossible'),
    () => 'impossible' as const,
  );
}

const identity = await findIdentity();

/** What git would clone, and what is not committed yet. */
async function copyRepository(target: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: checkout,
    maxBuffer: 16 * 1024 * 1024,
  });
  for (const path of stdout.split('\0').filter((name) => name !== '' && existsSync(join(checkout, name)))) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(checkout, path), join(target, path), { verbatimSymlinks: true });
  }
  await run('cp', ['-a', join(checkout, 'node_modules'), join(target, 'node_modules')]);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe.skipIf(identity === 'impossible')(
  'an ordinary user with a fresh checkout (needs another user than root)',
  () => {
    let home: string;
    let reader: Reader;
    let service: ChildProcess;
    let said = '';

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'postrider newcomer '));
      const folder = join(home, 'my code', 'postrider');
      await copyRepository(folder);
      const as = typeof identity === 'object' ? { identity } : {};
      if (typeof identity === 'object') {
        await run('chown', ['-R', `${identity.uid}:${identity.gid}`, home]);
        await chown(home, identity.uid, identity.gid);
      }
      // Nothing of the user who runs the tests: no profile, no setting, no configuration of npm.
      const env = {
        PATH: process.env.PATH ?? '',
        HOME: home,
        LANG: 'C.UTF-8',
        NO_COLOR: '1',
        npm_config_update_notifier: 'false',
      };
      const port = await findFreePort();
      service = spawn('npm', ['start', '--', '--port', String(port)], {
        ...(as.identity ?? {}),
        cwd: folder,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [service.stdout, service.stderr]) {
        stream?.setEncoding('utf8').on('data', (piece: string) => {
          said += piece;
        });
      }
      await until('the service is ready', () => said.includes('is ready on') || service.exitCode !== null, 180_000);
      reader = {
        folder,
        env,
        ...as,
        replacements: [
          ['http://127.0.0.1:8080', `http://127.0.0.1:${port}`],
          ['2775', String(await findFreePort())],
        ],
        // Statements are for databases with a past, and are run on one of their own with the other blocks.
        runSql: async () => {},
      };
    }, 240_000);

    afterAll(async () => {
      // As a person does: one Ctrl-C at the terminal reaches everything that was started from it.
      if (service.pid !== undefined && service.exitCode === null) {
        process.kill(-service.pid, 'SIGINT');
        await once(service, 'exit');
      }
      expect(existsSync(join(reader.folder, 'data/postgres/postmaster.pid'))).toBe(false);
      await rm(home, { recursive: true, force: true });
    });

    it('sends a first message with the line that the start prints, from any folder', async () => {
      expect(said).toContain('is ready on');
      const command = /\n {2}(.*bin\/postrider\.mjs.* send .*)\n/.exec(said)?.[1] ?? 'no command was printed';
      const { stdout } = await run('sh', ['-c', command], { ...reader.identity, cwd: '/', env: reader.env });
      expect(stdout).toMatch(/13800139001 +delivered/);
    });

    it.each(NEWCOMER_PAGES)('%s does what it says', { timeout: 300_000 }, async (path) => {
      const page = readPage(path);
      const blocks = findBlocks(page).filter(canRun);
      expect(findMissing(page, blocks, await runPage(reader, page, blocks))).toEqual([]);
    });
  },
);
