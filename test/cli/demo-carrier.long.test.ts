// The built command moves the demo of a whole service onto a message centre of each kind, and back.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RunningService, start } from '../../src/app/start.js';
import { readConfig } from '../../src/service/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { until } from '../support/until.js';

interface DemoService {
  readonly env: NodeJS.ProcessEnv;
  /** What its log warns of. */
  readonly warnings: readonly string[];
  stop(): Promise<void>;
}

const program = join(checkout, 'bin/postrider.mjs');
let database: TestDatabase;
let allowing: DemoService;

beforeAll(async () => {
  await buildCode();
  database = await createTestDatabase();
  allowing = await startDemo(database, { POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8' });
});
afterAll(async () => {
  await allowing.stop();
  await database.drop();
});

async function startDemo({ url }: TestDatabase, more: Readonly<Record<string, string>>): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-demo-carrier-'));
  const env = { POSTRIDER_DATABASE_URL: url, POSTRIDER_DATA_DIR: folder };
  const config = readConfig({ ...env, ...more, POSTRIDER_PORT: '0', POSTRIDER_DEMO: 'on' });
  const onFailure = (error: Error) => {
    throw error;
  };
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });
  const service: RunningService = await start(config, { log, onFailure });
  return {
    warnings,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    async stop() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function run({ env }: DemoService, words: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words.split(' ')], { cwd: '/', env });
  return stdout;
}

async function readActive(demo: DemoService): Promise<string[]> {
  const lines = (await run(demo, 'channel list --all --json')).split('\n').filter((line) => line !== '');
  const channels = lines.map((line): { kind: string; status: string } => JSON.parse(line));
  return channels.filter(({ status }) => status === 'active').map(({ kind }) => kind);
}

/** Runs `demo-carrier` until it says that the demo sends through its message centre. */
async function startCarrier({ env }: DemoService, kind: string) {
  const child = spawn(process.execPath, [program, 'demo-carrier', kind], {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  await until(`the demo sends over ${kind}`, () => said.includes('Ctrl-C gives') || child.exitCode !== null);
  return { child, ended, said: () => said };
}

test.each([
  ['cmpp', 'CMPP'],
  ['sgip', 'SGIP'],
  ['smgp', 'SMGP'],
  ['http', 'HTTP'],
])('the demo sends over %s, and has its simulator back afterwards', async (kind, protocol) => {
  const { child, ended, said } = await startCarrier(allowing, kind);
  expect(said()).toContain(`A message centre speaks ${protocol} on port`);
  expect(await readActive(allowing)).toEqual([kind]);
  expect(await run(allowing, 'send 13800139001 --var p1=Ann')).toMatch(/13800139001 +delivered/);
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(said()).toContain('The demo is back on its simulator. 1 segment came by, 1 accepted, 0 refused.');
  expect(await readActive(allowing)).toEqual(['simulator']);
  expect(allowing.warnings.filter((line) => line.includes('knows the secret'))).toEqual([]);
});

test('one that is started beside another takes the demo over, and keeps it when the other ends', async () => {
  const first = await startCarrier(allowing, 'cmpp');
  const second = await startCarrier(allowing, 'smgp');
  expect(await readActive(allowing)).toEqual(['smgp']);
  first.child.kill('SIGINT');
  expect(await first.ended).toEqual([0, null]);
  expect(first.said()).toContain('The demo stays with another carrier.');
  expect(await readActive(allowing)).toEqual(['smgp']);
  second.child.kill('SIGINT');
  await second.ended;
  expect(await readActive(allowing)).toEqual(['simulator']);
});

test('a killed one leaves its channel, the next one uses it again, and demo-carrier simulator gives the simulator back', async () => {
  for (let round = 1; round <= 2; round += 1) {
    const { child, ended } = await startCarrier(allowing, 'smgp');
    expect(await readActive(allowing)).toEqual(['smgp']);
    child.kill('SIGKILL');
    await ended;
  }
  expect(await readActive(allowing)).toEqual(['smgp']);
  expect(await run(allowing, 'demo-carrier simulator')).toBe('The demo is back on its simulator.\n');
  expect(await readActive(allowing)).toEqual(['simulator']);
});

test('over HTTP it says what the service lacks, and leaves the demo on its simulator', async () => {
  const other = await createTestDatabase();
  const strict = await startDemo(other, {});
  onTestFinished(async () => {
    await strict.stop();
    await other.drop();
  });
  await expect(run(strict, 'demo-carrier http')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Start the service with POSTRIDER_UPSTREAM_ALLOW=127.0.0.0/8.'),
  });
  expect(await readActive(strict)).toEqual(['simulator']);
});
