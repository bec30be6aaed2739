// A channel over HTTP against upstreams that answer well, badly, or not at all. What was not certainly accepted or refused is
// unknown, and no message is ever requested twice.
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Channel, Part, SubmitOutcome } from '../../../src/channels/channel.js';
import { httpDriver } from '../../../src/channels/http-upstream/driver.js';
import { NOTHING_ALLOWED } from '../../../src/domain/access/public-address.js';
import { createAddressGuard } from '../../../src/outbound/address-guard.js';
import { until } from '../../support/until.js';
import { deps } from '../cmpp/peer.js';
import { createConfig, createPart, http, type RawPeer, startRawPeer } from './peer.js';

const guard = createAddressGuard({ names: () => true });
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(
  answer: (socket: Socket, request: string) => void,
  over: Readonly<Record<string, unknown>> = {},
): Promise<{ channel: Channel; peer: RawPeer }> {
  const peer = await startRawPeer(answer);
  closers.push(peer.stop);
  const channel = httpDriver.open(createConfig(peer.port, { timeout_ms: 300, ...over }), { ...deps, guard });
  closers.push(() => channel.close());
  await until('the channel is as wanted', () => channel.health().state === 'up');
  return { channel, peer };
}

async function submit(channel: Channel, parts: readonly Part[]): Promise<SubmitOutcome[]> {
  const outcomes: SubmitOutcome[] = [];
  for await (const outcome of channel.submit(parts, new AbortController().signal)) outcomes.push(outcome);
  return outcomes;
}

const answering = (status: number, body: string) => (socket: Socket) => void socket.write(http(status, body));

it.each([
  ['200 with an id', 200, '{"id":"a1"}', { kind: 'accepted', messageId: 'a1' }],
  [
    'an id of 19 digits, to the last',
    200,
    '{"id":1234567890123456789}',
    { kind: 'accepted', messageId: '1234567890123456789' },
  ],
  ['200 without the id', 200, '{}', { kind: 'unknown', code: 'NO_MESSAGE_ID' }],
  ['200 with a page', 200, '<html>', { kind: 'unknown', code: 'NO_MESSAGE_ID' }],
  ['200 with half of an object', 200, '{"id":', { kind: 'unknown', code: 'NO_MESSAGE_ID' }],
  ['an id that every object has', 200, '{"__proto__":{"id":"x"}}', { kind: 'unknown', code: 'NO_MESSAGE_ID' }],
  ['429', 429, '{"code":"slow"}', { kind: 'throttled', code: 'slow' }],
  ['400', 400, '{"code":"21211"}', { kind: 'refused', code: '21211' }],
  ['422 without a code', 422, 'no', { kind: 'refused', code: '422' }],
  ['500', 500, '{}', { kind: 'unknown', code: '500' }],
  ['a redirect, which is not followed', 307, '', { kind: 'unknown', code: '307' }],
])('reads %s', async (_, status, body, outcome) => {
  const { channel, peer } = await open(answering(status, body));
  const part = createPart();
  expect(await submit(channel, [part])).toEqual([{ part, ...outcome }]);
  expect(peer.requests).toHaveLength(1);
});

it.each<[string, (socket: Socket) => void, string]>([
  ['no answer', () => {}, 'TIMEOUT'],
  ['a connection that is cut after the request', (socket) => void socket.destroy(), 'CONNECTION_LOST'],
  [
    'an answer that ends half way',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"id"'),
    'CONNECTION_LOST',
  ],
  ['an answer that comes drop by drop', (socket) => drip(socket), 'TIMEOUT'],
  ['a body without end', (socket) => flood(socket), 'ANSWER_TOO_LONG'],
  ['headers without end', (socket) => floodHeaders(socket), 'CONNECTION_LOST'],
  [
    'another protocol',
    (socket) => void socket.write('HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'NO_HTTP_ANSWER',
  ],
  ['information without end', (socket) => void every(socket, 'HTTP/1.1 103 Early\r\n\r\n'), 'TIMEOUT'],
  ['nonsense', (socket) => void socket.write('\u0000\u0001\u0002\r\n\r\n'), 'CONNECTION_LOST'],
])('leaves a message unknown after %s, and does not send it again', async (_, answer, code) => {
  const { channel, peer } = await open(answer, code === 'TIMEOUT' ? {} : { timeout_ms: 10_000 });
  const part = createPart();
  expect(await submit(channel, [part])).toEqual([{ part, kind: 'unknown', code }]);
  await channel.close();
  expect(peer.requests).toHaveLength(1);
});

it('gives a message back unsent without a server, is down then, and up again with one', async () => {
  const { channel, peer } = await open(answering(200, '{"id":"a1"}'));
  await peer.stop();
  expect((await submit(channel, [createPart()])).map(({ kind }) => kind)).toEqual(['unsent']);
  expect(channel.health()).toMatchObject({ state: 'down', sessions: 0 });
});

it('goes down after five messages in a row without a valid answer, and gives the rest back', async () => {
  const { channel, peer } = await open((socket) => void socket.write(http(500, '{}')), { concurrency: 1 });
  const parts = Array.from({ length: 20 }, (_, index) => createPart({ reference: `${index}` }));
  const kinds = (await submit(channel, parts)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'unknown')).toHaveLength(5);
  expect(kinds.filter((kind) => kind === 'unsent')).toHaveLength(15);
  expect(peer.requests).toHaveLength(5);
  expect(channel.health()).toMatchObject({ state: 'down' });
});

it('has no more requests under way than it may, over connections that are kept', async () => {
  const sockets = new Set<Socket>();
  let underWay = 0;
  let most = 0;
  const { channel, peer } = await open(
    (socket) => {
      sockets.add(socket);
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        socket.write(http(200, '{"id":"a"}'));
      }, 5);
    },
    { concurrency: 3, timeout_ms: 10_000 },
  );
  const parts = Array.from({ length: 60 }, (_, index) => createPart({ reference: `${index}` }));
  expect((await submit(channel, parts)).map(({ kind }) => kind)).toEqual(parts.map(() => 'accepted'));
  expect(peer.requests).toHaveLength(60);
  expect(most).toBe(3);
  expect(sockets.size).toBe(3);
});

it('reaches no private address unless it is named', async () => {
  const peer = await startRawPeer(answering(200, '{"id":"a1"}'));
  closers.push(peer.stop);
  const strict = createAddressGuard(NOTHING_ALLOWED);
  const channel = httpDriver.open(createConfig(peer.port), { ...deps, guard: strict });
  closers.push(() => channel.close());
  await until('the channel is as wanted', () => channel.health().detail === 'leads to an address that is not public');
  expect((await submit(channel, [createPart()])).map(({ kind }) => kind)).toEqual(['unsent']);
});

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
  every(socket, ' ');
}

function every(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.once('close', () => clearInterval(timer));
}

function flood(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const pour = () => {
    while (!socket.destroyed && socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
  };
  socket.on('drain', pour);
  pour();
}

function floodHeaders(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\n${`x: ${'x'.repeat(1000)}\r\n`.repeat(100)}`);
}
