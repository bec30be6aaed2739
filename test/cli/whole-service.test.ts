// The command against a whole service with its demo: what a newcomer and a campaign do.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RunningService, start } from '../../src/app/start.js';
import { runCommandLine } from '../../src/cli/main.js';
import { readConfig } from '../../src/service/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { until } from '../support/until.js';
import { createTestTerminal, type TestTerminalOptions } from './capture.js';

let database: TestDatabase;
let service: RunningService;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'postrider-whole-'));
  env = { POSTRIDER_DATABASE_URL: database.url, POSTRIDER_DATA_DIR: folder };
  const config = readConfig({ ...env, POSTRIDER_PORT: '0', POSTRIDER_DEMO: 'on' });
  const onFailure = (error: Error) => {
    throw error;
  };
  service = await start(config, { log: pino({ level: 'silent' }), onFailure });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function run(words: string, options: TestTerminalOptions = {}) {
  const terminal = createTestTerminal({ folder, env, ...options });
  const code = await runCommandLine(words.split(' '), terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

async function readAll(words: string) {
  const { out } = await run(`${words} --all --json`);
  const lines = out.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

test('a first message needs one line and no setup', async () => {
  const { code, out, err } = await run('send 13800139001 --var p1=Ann');
  expect(code).toBe(0);
  expect(out).toMatch(/^PHONE +RESULT .*\n13800139001 +delivered +DELIVRD +1 +0\.050000/);
  expect(err).toContain('completed · 1 number: 1 delivered · charged 0.05 CNY');
});

test('a number that is too short is named before anything else that is wrong', async () => {
  const { code, err } = await run('send 123 13800139001');
  expect(code).not.toBe(0);
  expect(err).toMatch(/^123 is too short for a phone number\. It would be rejected\.\n[\s\S]*no value for p1/);
});

test('a variable that the template does not have is named beside a right one', async () => {
  const { code, err } = await run('send 13800139001 --var p1=Ann --var p7=May --var p8=June');
  expect(code).toBe(0);
  expect(err).toMatch(/The template has no \{p7\}, \{p8\}: not used\.\n$/);
  expect((await run('send 13800139001 --var p1=Ann')).err).not.toContain('not used');
});

test('fates differ, and the exit code says that not all were delivered', async () => {
  const { code, out } = await run('send 13800139002 13800139003 nonsense --var p1=Ann');
  expect(code).toBe(5);
  expect(out).toMatch(/13800139002 +undelivered/);
  expect(out).toMatch(/nonsense +rejected +invalid_number/);
});

test('everything that happened to a number, newest first', async () => {
  await run('send 13800139002 --var p1=Ann');
  const { code, out } = await run('history +8613800139002');
  expect(code).toBe(0);
  expect(out).toMatch(
    /EVENT[\s\S]*receipt +undelivered[\s\S]*reported +undelivered[\s\S]*answered +accepted[\s\S]*submitted/,
  );
  const [history] = JSON.parse(`[${(await run('history 13800139002 --json')).out}]`);
  expect(history).toMatchObject({ phone: '+8613800139002', is_complete: true });
  expect((await run('history 13900000000')).err).toContain('Nothing happened to +8613900000000.');
});

test('a task that was held back is moved on by hand', async () => {
  const { out } = await run('send 13800139001 --var p1=Ann --stop-at prepared --json');
  const { task_no: taskNo } = JSON.parse(out);
  const until = (stage: string) =>
    expect.poll(async () => JSON.parse((await run(`task ${taskNo} --json`)).out).stage).toBe(stage);
  await until('prepared');
  expect((await run(`task submit ${taskNo}`)).err).toContain('409 invalid_stage');
  expect((await run(`task freeze ${taskNo} --json`)).out).toContain('"accounting_state":"frozen"');
  expect((await run(`task submit ${taskNo} --operator`)).code).toBe(0);
  expect((await run(`task ${taskNo} --follow`)).code).toBe(0);
  expect((await run(`task ${taskNo}`)).out).toMatch(/timeline {2}queued .* → completed/);
});

test('a file that was interrupted and sent again is there once', async () => {
  const phones = Array.from({ length: 300 }, (_, index) => `1390000${String(index).padStart(4, '0')}`);
  await writeFile(join(folder, 'campaign.csv'), ['phone,name', ...phones.map((phone) => `${phone},Ann`)].join('\n'));
  const command = 'send --file campaign.csv --map name=p1 --chunk 20';
  const controller = new AbortController();
  const interrupted = createTestTerminal({ folder, env, signal: controller.signal });
  const write = interrupted.err.write.bind(interrupted.err);
  // Ctrl-C as soon as something was accepted.
  interrupted.err.write = async (text) => {
    controller.abort();
    await write(text);
  };
  expect(await runCommandLine(command.split(' '), interrupted)).toBe(130);
  expect(interrupted.err.text).toContain('Run the same command again');
  const before = (await readAll('tasks')).length;

  const again = await run(command);
  expect(again.err).toContain('had been accepted before');
  expect(again.code).toBe(0);
  const [batch] = await readAll('batches');
  expect(batch).toMatchObject({ tasks: 15, stages: { completed: 15 }, counts: { total: 300, delivered: 300 } });
  expect(before).toBeLessThan((await readAll('tasks')).length);
  const received = (await readAll('receipts'))
    .map((receipt) => receipt.phone)
    .filter((phone) => phone.startsWith('1390000'));
  expect(received.sort()).toEqual(phones);
  expect(await readAll(`receipts --batch ${batch.batch_id}`)).toHaveLength(300);
});

test('other content under the same id is refused, never sent as well', async () => {
  expect((await run('send 13800139001 --var p1=Ann --id may')).code).toBe(0);
  const changed = await run('send 13800139001 --var p1=Bob --id may');
  expect(changed).toMatchObject({ code: 3, err: expect.stringContaining('409 idempotency_conflict') });
});

test('a closed terminal gives the demo its simulator back, and the line that demo-smpp prints works meanwhile', async () => {
  await buildCode();
  const child = spawn(process.execPath, [join(checkout, 'bin/postrider.mjs'), 'demo-smpp'], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const ended = once(child, 'exit');
  await until('the demo sends over SMPP', () => said.includes('Ctrl-C gives') || child.exitCode !== null);
  const command = /\n {2}(.* send 13800139001 .*)\n/.exec(said)?.[1] ?? 'no command was printed';
  const bare = { PATH: process.env.PATH ?? '', HOME: folder };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: '/', env: bare });
  expect(stdout).toMatch(/13800139001 +delivered/);
  const statuses = async () => {
    const channels = await readAll('channel list');
    return Object.fromEntries(channels.map(({ kind, status }) => [kind, status]));
  };
  expect(await statuses()).toEqual({ simulator: 'disabled', smpp: 'active' });
  child.kill('SIGHUP');
  expect(await ended).toEqual([0, null]);
  expect(await statuses()).toEqual({ simulator: 'active', smpp: 'disabled' });
});

test('an audit of a database without tables says what to do', async () => {
  const empty = await createTestDatabase({ isEmpty: true });
  onTestFinished(() => empty.drop());
  const { code, err } = await run('audit', { env: { ...env, POSTRIDER_DATABASE_URL: empty.url } });
  expect(code).toBe(2);
  expect(err).toContain('This database is empty, or of an earlier release');
  expect(err).toContain('postrider migrate');
});

test('money adds up, and the audit says so beside the running service', async () => {
  const ledger = await readAll('ledger');
  expect(ledger.map((entry) => entry.seq)).toEqual(ledger.map((_, index) => ledger.length - index));
  const account = JSON.parse((await run('account --json')).out);
  expect(account.available).toBe(ledger[0].available_after);
  for (const command of ['audit', 'audit --full']) {
    const { code, out, err } = await run(command);
    expect({ code, out }).toEqual({ code: 0, out: 'Everything adds up.\n' });
    // Progress, when the audit takes longer than a second.
    expect(err).toMatch(/^(.* customers.*\n)*(Read .*\n)?$/);
  }
  expect(await run('migrate')).toMatchObject({ code: 0, out: 'The schema is up to date.\n' });
});
