// What commands say where a bare record would mislead.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Preview } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTask,
  json,
  page,
  problem,
  type StubServer,
  startStubServer,
} from '../../packages/client/test/stub-server.js';
import { Invocation } from '../../src/cli/command.js';
import { describeTraffic } from '../../src/cli/commands/service/demo-carrier.js';
import { printAudit } from '../../src/cli/commands/service/service.js';
import { runCommandLine } from '../../src/cli/main.js';
import { version } from '../../src/service/version.js';
import { nameFlag, SMPP_OPTIONS } from '../../tools/message-centre/options.js';
import { createTestTerminal, type TestTerminalOptions } from './capture.js';

let server: StubServer;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startStubServer();
  env = {
    POSTRIDER_URL: server.url,
    POSTRIDER_API_KEY: 'key',
    POSTRIDER_API_SECRET: 'secret',
    POSTRIDER_OPERATOR_TOKEN: 'tok',
  };
});
afterAll(() => server.stop());

async function run(words: string, options: TestTerminalOptions = {}) {
  const terminal = createTestTerminal({ env, ...options });
  const code = await runCommandLine(words.split(' '), terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

test('a top-up under a reference that was booked with another amount is a failure', async () => {
  server.script(json({ ledger_no: 'L-1', seq: 1, amount: '1.000000', available_delta: '1.000000' }));
  expect(await run('topup C-1 2 --reference pay-1')).toEqual({
    code: 1,
    out: '',
    err: 'The reference pay-1 was booked before with 1.000000; nothing was added.\n',
  });
  expect((await run('topup C-1 1.00 --reference pay-1')).code).toBe(0);
});

test('resolving a task without unconfirmed numbers says that nothing changed', async () => {
  const task = createTask({ stage: 'completed' });
  server.script(json(task));
  const { code, err } = await run('task resolve T-1 --outcome accepted');
  expect(code).toBe(0);
  expect(err).toBe('No number of this task is unconfirmed; nothing changed.\n');
  const unknown = createTask({ counts: { ...task.counts, unsent: 0, unknown: 1 } });
  server.script(json(unknown), json(task));
  expect(await run('task resolve T-1 --outcome accepted')).toMatchObject({
    err: '',
    out: expect.stringContaining('T-1'),
  });
});

test('it tells its version', async () => {
  expect(await run('--version')).toMatchObject({ code: 0, out: `postrider ${version}\n` });
});

test('the help of a command lists the commands below it', async () => {
  const { out } = await run('task --help');
  for (const verb of ['prepare', 'freeze', 'submit', 'cancel', 'resolve']) {
    expect(out).toContain(`postrider task ${verb} TASK`);
  }
});

test('the audit is one object for machines', async () => {
  const imbalance = { customer: '1', rule: 'balance', detail: 'x' };
  const terminal = createTestTerminal();
  const invocation = new Invocation(terminal, [], { json: true });
  const read = { entries: 3, tasks: 1 };
  const notRead = { slices: 2, entries: 20_000, tasks: 0, oldestProof: new Date('2026-11-01T00:00:00Z') };
  const nothing = { slices: 0, entries: 0, tasks: 0, oldestProof: null };
  expect(await printAudit(invocation, { imbalances: [], read, notRead })).toBe(0);
  expect(terminal.err.text).toContain('Not read again: 2 closed slices (20000 entries, 0 tasks)');
  expect(await printAudit(invocation, { imbalances: [imbalance], read, notRead: nothing })).toBe(1);
  expect(
    terminal.out.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      sound: true,
      imbalances: [],
      read,
      not_read: { slices: 2, entries: 20_000, tasks: 0, oldest_proof: '2026-11-01T00:00:00.000Z' },
    },
    { sound: false, imbalances: [imbalance], read, not_read: { slices: 0, entries: 0, tasks: 0, oldest_proof: null } },
  ]);
});

test("the demo's credentials stay with the demo's address, and that is said", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-remarks-'));
  try {
    const demo = { url: 'http://127.0.0.1:8080', api_key: 'k', api_secret: 's', template_no: 'T' };
    await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
    const options = { env: { POSTRIDER_DATA_DIR: folder }, folder };
    const { code, err } = await run('account --url http://127.0.0.1:9', options);
    expect(code).toBe(2);
    expect(err).toContain('are for http://127.0.0.1:8080 only');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a fault that is the whole problem is reported once', async () => {
  const errors = [{ pointer: '/phones/0', code: 'type', message: 'must be a string' }];
  server.script(problem(400, 'invalid_request', { detail: '/phones/0: must be a string', errors }));
  const { err } = await run('send 1380 --template T');
  expect(err.match(/must be a string/g)).toHaveLength(1);
});

test('an option without its value is reported in our own words', async () => {
  expect((await run('send 1380 -t --json')).err).toMatch(/^-t needs a value\.\nSee: postrider send --help\n$/);
  expect((await run('send 1380 -t')).err).toContain('--template needs a value.');
  expect((await run('send 1380 --json=1')).err).toContain('--json takes no value.');
});

const previewOf = (changes: Partial<Preview> = {}): Preview => ({
  total: 2,
  sendable: 1,
  rejected: 1,
  parts: 1,
  price: '0.050000',
  currency: 'CNY',
  available: '0.070000',
  affordable: true,
  waits_for: null,
  firms: [{ firm: 'cmcc', numbers: 1, parts: 1, unit_price: '0.050000', price: '0.050000' }],
  rejections: [
    {
      seq: 2,
      phone: 'x',
      code: 'invalid_number',
      description: 'The phone is not a valid number.',
      suggested_phone: null,
    },
  ],
  samples: [{ seq: 1, phone: '13800139001', text: 'Hello', encoding: 'gsm7', parts: 1, price: '0.050000' }],
  ...changes,
});

test('a dry run shows the price by firm, the first texts and who would be rejected', async () => {
  server.script(json(previewOf()));
  const { code, out, err } = await run('send 13800139001 x --template T --dry-run');
  expect(code).toBe(0);
  expect(out).toBe(
    [
      'CARRIER  NUMBERS  SEGMENTS  UNIT PRICE     PRICE',
      'cmcc           1         1    0.050000  0.050000',
      '',
      'SEQ  PHONE        SEGMENTS     PRICE  ENCODING  TEXT',
      '  1  13800139001         1  0.050000  gsm7      Hello',
      '',
      'SEQ  PHONE  CODE            DESCRIPTION',
      '  2  x      invalid_number  The phone is not a valid number.',
      '',
    ].join('\n'),
  );
  expect(err).toBe(
    'x is too short for a phone number. It would be rejected.\n' +
      '2 numbers, 1 of them rejected unsent: 1 segment, 0.050000 CNY. The balance of 0.070000 covers it. Nothing was sent.\n',
  );
});

const account = { available: '0.070000', credit_limit: '0.000000', daily_limit: null, frozen_today: '0.000000' };

test('a dry run of several requests is one: positions go on, and the sum decides what the balance covers', async () => {
  server.script(json(previewOf()), json(previewOf()), json(account));
  const { code, out } = await run('send 13800139001 x 13800139002 y --template T --dry-run --chunk 2 --json');
  expect(code).toBe(5);
  expect(JSON.parse(out)).toEqual({
    ...previewOf(),
    total: 4,
    sendable: 2,
    rejected: 2,
    parts: 2,
    price: '0.100000',
    affordable: false,
    waits_for: 'funds',
    firms: [{ firm: 'cmcc', numbers: 2, parts: 2, unit_price: '0.050000', price: '0.100000' }],
    rejections: [2, 4].map((seq) => ({ ...previewOf().rejections[0], seq })),
    samples: [1, 3].map((seq) => ({ ...previewOf().samples[0], seq })),
  });
});

test('a dry run says when it is the limit of the day that is in the way', async () => {
  server.script(json(previewOf({ affordable: false, waits_for: 'limit' })));
  const one = await run('send 13800139001 x --template T --dry-run');
  expect([one.code, one.err.includes('more than the daily limit leaves for today')]).toEqual([5, true]);
  const limited = { available: '9', credit_limit: '0', daily_limit: '1.000000', frozen_today: '0.950000' };
  server.script(json(previewOf()), json(previewOf()), json(limited));
  const two = await run('send 13800139001 x 13800139002 y --template T --dry-run --chunk 2 --json');
  expect(JSON.parse(two.out)).toMatchObject({ affordable: false, waits_for: 'limit' });
});

test('titles of times are of one kind', async () => {
  server.script(page([{ at: '2026-11-14T00:00:00.000Z', created_at: '2026-11-14T00:00:00.000Z' }]));
  expect((await run('audit-log')).out).toMatch(/^TIME \(UTC\) /);
  expect((await run('credential list C-1')).out).toMatch(/ EXPIRES \(UTC\)\n/);
});

test('the demo over SMPP ends with a sentence', () => {
  expect(describeTraffic({ submits: 8, accepted: 6, refused: 2 })).toBe('8 segments came by, 6 accepted, 2 refused.');
});

test('the help of the message centre has its usage and the choices of each option', async () => {
  const { code, out } = await run('smsc --help');
  expect(code).toBe(0);
  expect(out).toContain('postrider smsc [options]');
  expect(out).toMatch(/--receipts text\|tlv\|mixed +how a receipt says .* \(text\)/);
  expect(out).toContain('--no-test-numbers turns it off');
  for (const name of Object.keys(SMPP_OPTIONS)) expect(out).toContain(nameFlag(name));
  const wrong = await run('smsc --frob --port x');
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('See: postrider smsc --help') });
  expect(wrong.err).toContain('--frob is not an option.\n--port needs a port number.\n');
});
