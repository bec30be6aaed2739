// A list as a file: whole rows only, each once, whatever the connection does.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createRowCutter,
  type ListingFile,
  PostriderClient,
  type PostriderClientOptions,
  PostriderConnectionError,
  readCursor,
} from '../src/index.js';
import { neverAnswer, problem, type Respond, type StubServer, startStubServer } from './stub-server.js';

let server: StubServer;

beforeAll(async () => {
  server = await startStubServer();
});
afterAll(() => server.stop());

function createClient(options: Partial<PostriderClientOptions> = {}): PostriderClient {
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  return new PostriderClient({ baseUrl: server.url, apiKey: 'key', apiSecret: 'secret', clock, ...options });
}

const head = 'phone,content,cursor\r\n';
const row = (at: number) => `138,"a, ""b""\r\nof ${at}",cursor-${at}\r\n`;

/** Writes the pieces and ends the answer, or breaks the connection. */
function send(type: string, pieces: readonly string[], end: 'whole' | 'broken' = 'whole'): Respond {
  return (_, response) => {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
    const next = (at: number): void => {
      const piece = pieces[at];
      if (piece !== undefined) response.write(piece, () => setImmediate(next, at + 1));
      else if (end === 'whole') response.end();
      else response.socket?.destroy();
    };
    next(0);
  };
}

async function readAll(file: ListingFile): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of file) pieces.push(piece);
  return pieces;
}

test('rows come whole, also when a piece ends within a cell or a quote', async () => {
  const text = head + row(1) + row(2);
  server.script(send('text/csv', [...text]));
  const file = createClient().receipts({ batchId: 'b' }).csv();
  expect(await readAll(file)).toEqual([head, row(1), row(2)]);
  expect(file).toMatchObject({ rows: 2, cursor: 'cursor-2' });
  expect(server.seen[0]?.headers.accept).toContain('text/csv');
  expect(server.seen[0]?.target).toBe('/openapi/v1/messages/receipts/?batch_id=b');
});

test('a connection that breaks within a row goes on behind the last whole one, without the head', async () => {
  server.script(
    send('text/csv', [head + row(1), row(2).slice(0, 12)], 'broken'),
    send('text/csv', [head.slice(0, 5), head.slice(5) + row(2)]),
  );
  const file = createClient().receipts().csv();
  expect((await readAll(file)).join('')).toBe(head + row(1) + row(2));
  expect(file.rows).toBe(2);
  expect(server.seen.map(({ target }) => new URL(target, server.url).searchParams.get('cursor'))).toEqual([
    null,
    'cursor-1',
  ]);
});

test('as long as rows come, it is mended again and again; without any, as often as the policy says', async () => {
  const broken = (at: number) => send('application/x-ndjson', [`{"cursor":"c${at}"}\n{"cur`], 'broken');
  const dead = send('application/x-ndjson', ['{"cur'], 'broken');
  server.script(broken(1), dead, broken(2), dead, broken(3), dead);
  const file = createClient({ retry: { attempts: 3 } })
    .tasks()
    .ndjson();
  await expect(readAll(file)).rejects.toMatchObject({ reason: 'broken' });
  expect(file).toMatchObject({ rows: 3, cursor: 'c3' });
  expect(server.seen).toHaveLength(7);
});

test('what is appended to a file has no head, and goes on behind its cursor', async () => {
  server.script(send('text/csv', [head + row(8)]));
  const file = createClient().ledgers().csv({ cursor: 'cursor-7', head: false });
  expect((await readAll(file)).join('')).toBe(row(8));
  expect(server.seen[0]?.target).toContain('cursor=cursor-7');
});

test('columns that changed on the way are not mixed', async () => {
  server.script(send('text/csv', [head + row(1)], 'broken'), send('text/csv', [`new,${head}`]));
  await expect(readAll(createClient().receipts().csv())).rejects.toMatchObject({ reason: 'unreadable' });
});

test('too many files at once are waited for, a refusal is not', async () => {
  server.script(problem(429, 'rate_limited', {}, { 'retry-after': '1' }), send('text/csv', [head]));
  expect(await readAll(createClient().receipts().csv())).toEqual([head]);
  server.script(problem(403, 'not_permitted'));
  await expect(readAll(createClient().receipts().csv())).rejects.toMatchObject({ code: 'not_permitted' });
  expect(server.seen).toHaveLength(1);
});

test('a clock that is off is set right before the first row', async () => {
  const serverTime = Date.now() + 3_600_000;
  server.script(
    problem(401, 'timestamp_out_of_range', { server_time: new Date(serverTime).toISOString() }),
    send('text/csv', [head + row(1)]),
  );
  const file = createClient().receipts().csv();
  expect((await readAll(file)).join('')).toBe(head + row(1));
  expect(Number(server.seen[1]?.headers['x-timestamp'])).toBeGreaterThan(serverTime - 60_000);
});

test('the time limit is for the wait, not for the reader who takes its time', async () => {
  server.script(neverAnswer);
  const slow = createClient({ timeoutMs: 20, retry: { attempts: 1 } })
    .receipts()
    .csv();
  await expect(readAll(slow)).rejects.toMatchObject({ reason: 'timeout' });
  server.script(send('text/csv', [head, row(1), row(2)]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const file = createClient({ timeoutMs: 500, retry: { attempts: 1 } })
      .receipts()
      .csv();
    let text = '';
    for await (const piece of file) {
      text += piece;
      vi.advanceTimersByTime(60_000);
    }
    expect(text).toBe(head + row(1) + row(2));
  } finally {
    vi.useRealTimers();
  }
});

test('whoever stops reading closes the connection', async () => {
  const closed = new Promise<void>((resolve) => {
    server.script((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write(head + row(1));
      response.on('close', resolve);
    });
  });
  for await (const piece of createClient().receipts().csv()) {
    expect(piece).toBe(head + row(1));
    break;
  }
  await closed;
});

test('what is not such a file is not read as one', async () => {
  server.script(send('text/html', ['<html>\n']));
  await expect(readAll(createClient().receipts().csv())).rejects.toBeInstanceOf(PostriderConnectionError);
});

test('rows are cut the same however the text is cut, and tell their cursor', () => {
  const text = `${head}${row(1)}1,"""",c\r\n"a\n""\n",,d\r\n`;
  for (const size of [1, 2, 3, 7, text.length]) {
    const cutter = createRowCutter('csv');
    let rows = 0;
    let last = '';
    let whole = '';
    for (let at = 0; at < text.length; at += size) {
      const cut = cutter.push(text.slice(at, at + size));
      rows += cut.rows;
      whole += cut.text;
      if (cut.rows > 0) last = cut.last;
    }
    expect({ rows, whole, rest: cutter.rest, cursor: readCursor('csv', last) }).toEqual({
      rows: 4,
      whole: text,
      rest: '',
      cursor: 'd',
    });
  }
  expect(readCursor('ndjson', '{"cursor":"x"}\n')).toBe('x');
  expect(readCursor('ndjson', '{"cursor":1}\n')).toBeNull();
  expect(readCursor('csv', 'phone,"two words"\r\n')).toBeNull();
});
