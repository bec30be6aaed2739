// `--output`: a list as a file that is whole or under another name, and goes on where it was interrupted.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  page,
  problem,
  type Respond,
  type StubServer,
  startStubServer,
} from '../../../packages/client/test/stub-server.js';
import { runCommandLine } from '../../../src/cli/main.js';
import { until } from '../../support/until.js';
import { createTestTerminal, type TestTerminalOptions } from '../capture.js';

let server: StubServer;
let folder: string;

beforeAll(async () => {
  server = await startStubServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-output-'));
  return () => rm(folder, { recursive: true });
});

async function run(words: string, options: TestTerminalOptions = {}) {
  const env = {
    POSTRIDER_URL: server.url,
    POSTRIDER_API_KEY: 'key',
    POSTRIDER_API_SECRET: 'secret',
    POSTRIDER_OPERATOR_TOKEN: 'token',
  };
  const terminal = createTestTerminal({ folder, env, ...options });
  const code = await runCommandLine(words.split(' '), terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

const head = 'phone,cursor\r\n';
const csv = (text: string): Respond => {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' });
    response.end(text);
  };
};
/** Sends the text and then nothing, until the client goes. */
const stall = (text: string): Respond => {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' });
    response.write(text);
  };
};
const read = (name: string) => readFile(join(folder, name), 'utf8');
const cursorAsked = () => new URL(server.seen[0]?.target ?? '', server.url).searchParams.get('cursor');

/** Runs a command until it has written the text, and presses Ctrl-C then. */
async function interrupt(words: string, text: string) {
  const stop = new AbortController();
  server.script(stall(text));
  const running = run(words, { signal: stop.signal });
  const wholeRows = text.slice(0, text.lastIndexOf('\n') + 1);
  await until('rows in a file', async () => {
    const [name] = await readdir(folder);
    return name !== undefined && (await read(name)) === wholeRows;
  });
  stop.abort();
  return await running;
}

test('a file gets its name when it is whole, and is of the kind that its name says', async () => {
  server.script(csv(`${head}1,a\r\n2,b\r\n`));
  const { code, out, err } = await run('receipts --task T-1 --output r.csv');
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toContain('2 receipts');
  expect(await read('r.csv')).toBe(`${head}1,a\r\n2,b\r\n`);
  expect(await readdir(folder)).toEqual(['r.csv']);
  expect(server.seen[0]?.target).toContain('task_no=T-1');

  await run('receipts --output r.ndjson');
  expect(server.seen.at(-1)?.headers.accept).toContain('application/x-ndjson');
  await run('receipts --output r.data --json');
  expect(server.seen.at(-1)?.headers.accept).toContain('application/x-ndjson');
  expect(await run('receipts --output r.data')).toMatchObject({ code: 2, err: expect.stringContaining('--csv') });
  expect(await run('receipts --output r.csv --limit 5')).toMatchObject({ code: 2 });
  expect(await run('receipts --append')).toMatchObject({ code: 2, err: expect.stringContaining('--output') });
});

test('interrupted, it has another name, and the same command goes on behind its last whole row', async () => {
  const stopped = await interrupt('receipts --output r.csv', `${head}1,a\r\n2,b\r\n3,`);
  expect(stopped.code).toBe(130);
  expect(stopped.err).toContain('Run the same command again');
  const [part = ''] = await readdir(folder);
  expect(part).toMatch(/^r\.csv\.[0-9a-f]{8}\.part$/);
  // As a machine that lost its power leaves it.
  await writeFile(join(folder, part), `${head}1,a\r\n2,b\r\n3,`);

  server.script(csv(`${head}3,c\r\n`));
  const { code, err } = await run('receipts --output r.csv');
  expect(code).toBe(0);
  expect(err).toContain('Going on behind 2 receipts');
  expect(cursorAsked()).toBe('b');
  expect(await read('r.csv')).toBe(`${head}1,a\r\n2,b\r\n3,c\r\n`);
  expect(await readdir(folder)).toEqual(['r.csv']);
});

test('what another question left behind is not gone on with', async () => {
  await interrupt('receipts --batch a --output r.csv', `${head}1,a\r\n`);
  server.script(csv(`${head}9,z\r\n`));
  await run('receipts --batch b --output r.csv');
  expect(cursorAsked()).toBeNull();
  expect(await read('r.csv')).toBe(`${head}9,z\r\n`);
});

test('a file that was there is kept until a whole one replaces it', async () => {
  await writeFile(join(folder, 'r.csv'), 'old');
  server.script(problem(403, 'not_permitted'));
  expect((await run('receipts --output r.csv')).code).toBe(3);
  expect(await readdir(folder)).toEqual(['r.csv']);
  expect(await read('r.csv')).toBe('old');
  server.script(csv(head));
  await run('receipts --output r.csv');
  expect(await read('r.csv')).toBe(head);
});

test('--append adds what came since the last row, and says so when the columns are others', async () => {
  await writeFile(join(folder, 'l.csv'), `${head}1,"a\r\nb,x"\r\n2,c2\r\n3,`);
  server.script(csv(`${head}3,c3\r\n`));
  expect((await run('ledger --output l.csv --append')).code).toBe(0);
  expect(cursorAsked()).toBe('c2');
  expect(await read('l.csv')).toBe(`${head}1,"a\r\nb,x"\r\n2,c2\r\n3,c3\r\n`);

  server.script(csv(head));
  await run('ledger --output l.csv --append');
  expect(cursorAsked()).toBe('c3');
  expect(await read('l.csv')).toContain('3,c3\r\n');

  server.script(csv(`new,${head}`));
  expect(await run('ledger --output l.csv --append')).toMatchObject({
    code: 2,
    err: expect.stringContaining('columns'),
  });
  expect(await read('l.csv')).toBe(`${head}1,"a\r\nb,x"\r\n2,c2\r\n3,c3\r\n`);

  await writeFile(join(folder, 'other.csv'), 'a,b c\r\n1,two words\r\n');
  expect(await run('ledger --output other.csv --append')).toMatchObject({ code: 2 });
  expect(await read('other.csv')).toBe('a,b c\r\n1,two words\r\n');
});

test('several tasks make one file with one head', async () => {
  server.script(csv(`${head}1,a\r\n`), csv(`${head}2,b\r\n`));
  expect((await run('receipts --task T-1 --task T-2 --output r.csv')).code).toBe(0);
  expect(await read('r.csv')).toBe(`${head}1,a\r\n2,b\r\n`);
});

test('lists that come in pages are written page by page', async () => {
  server.script(page([{ customer_no: 'C-1' }], 'more'), page([{ customer_no: 'C-2' }]));
  expect((await run('customer list --output c.ndjson')).code).toBe(0);
  expect(await read('c.ndjson')).toBe('{"customer_no":"C-1"}\n{"customer_no":"C-2"}\n');
  expect(server.seen[0]?.target).toContain('page_size=100');
  expect(await run('customer list --output c.ndjson --append')).toMatchObject({ code: 2 });
});
