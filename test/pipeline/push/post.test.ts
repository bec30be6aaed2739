// A call ends whatever the receiver does: with an answer, a failure, or its deadline.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { parseAllowList } from '../../../src/domain/access/public-address.js';
import { createAddressGuard } from '../../../src/outbound/address-guard.js';
import { createPoster, type Poster } from '../../../src/pipeline/push/post.js';

const TIMEOUT_MS = 300;
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function openPoster(): Poster {
  const allow = parseAllowList('127.0.0.0/8');
  if (allow === undefined) throw new Error('no list');
  const poster = createPoster({ guard: createAddressGuard(allow), timeoutMs: TIMEOUT_MS });
  closers.push(() => poster.close());
  return poster;
}

/** Answers a call with the octets of the test. */
async function listen(
  answer: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets };
}

/** Not `once`, which rejects if the caller's end was reset. */
const untilClosed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

const INTERIM = 'interim answers and upgrades are not followed';
const LATE = 'no answer within 0.3 s';
/** A piece at a time, the first at once. */
const repeat = (socket: Socket, text: string, next = text) => {
  socket.write(text);
  const timer = setInterval(() => socket.write(next), 20);
  socket.on('close', () => clearInterval(timer));
};

it.each<[string, (socket: Socket) => void, number | null, string]>([
  [
    'upgrades the connection',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    101,
    INTERIM,
  ],
  ['answers 101 without an upgrade', (socket) => socket.write('HTTP/1.1 101 What\r\n\r\n'), 101, INTERIM],
  ['sends interim answers for ever', (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'), 103, INTERIM],
  ['says nothing', () => {}, null, LATE],
  ['drips headers', (socket) => repeat(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'), null, LATE],
  ['closes', (socket) => socket.end(), null, 'the connection was closed without an answer'],
  [
    'half-answers and closes',
    (socket) => socket.end('HTTP/1.1 2'),
    null,
    'the connection was closed without an answer',
  ],
])('a receiver that %s fails the call', async (_, behave, status, error) => {
  const { url, sockets } = await listen(behave);
  const poster = openPoster();
  const { signal } = new AbortController();
  const answer = await poster.post(url, {}, Buffer.from('{}'), signal);
  expect(answer).toMatchObject({ status, error, body: '' });
  // Nothing stays open behind it.
  await Promise.all([...sockets].map(untilClosed));
});

it('the status counts although the body drips, and its beginning is kept', async () => {
  const { url, sockets } = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nok\0\r\n');
    repeat(socket, '1\r\n.\r\n');
  });
  const answer = await openPoster().post(url, {}, Buffer.from('{}'), new AbortController().signal);
  expect(answer).toMatchObject({ status: 200, error: null });
  expect(answer.body).toMatch(/^ok\.+$/);
  await Promise.all([...sockets].map(untilClosed));
});

it('an answer that ends leaves its connection to the next call', async () => {
  const used = new Set<Socket>();
  const { url } = await listen((socket) => {
    used.add(socket);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1100\r\n\r\n${'x'.repeat(1100)}`);
  });
  const poster = openPoster();
  for (let calls = 0; calls < 3; calls += 1) {
    const answer = await poster.post(url, {}, Buffer.from('{}'), new AbortController().signal);
    expect(answer.body).toHaveLength(1024);
  }
  expect(used.size).toBe(1);
});

it('an abort and the end of the poster cut off calls in flight', async () => {
  const { url } = await listen(() => {});
  const poster = openPoster();
  const abort = new AbortController();
  const aborted = poster.post(url, {}, Buffer.from('{}'), abort.signal);
  const closed = poster.post(url, {}, Buffer.from('{}'), new AbortController().signal);
  abort.abort();
  await expect(aborted).rejects.toThrow();
  poster.close();
  await expect(closed).rejects.toThrow();
});
