// Where customers are told what happened: a server behind a network of its own, which stores messages and answers them as its
// dice choose, well or badly: it may fail before it has stored one, or store it and lose the answer. Killed, it forgets its
// connections; what it has stored stays.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.js';
import type { Dice } from '../dice.js';
import type { History } from '../history.js';

/** A call that arrived, and what was made of it. */
export interface Arrival {
  /** Of the endpoint. */
  readonly path: string;
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly type: string;
  readonly data: unknown;
  readonly atMs: number;
  /** Otherwise it was lost on this side, and must come again. */
  readonly isStored: boolean;
  /** An answer of success has left. */
  isConfirmed: boolean;
}

export interface CampaignReceiver {
  readonly name: string;
  readonly proxy: TcpProxy;
  /** In the order in which they came. */
  readonly arrivals: readonly Arrival[];
  urlOf(path: string): string;
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** From now on it answers everything well. */
  behave(): void;
  close(): Promise<void>;
}

interface Behaviour {
  readonly weight: number;
  readonly isStored: boolean;
  answer(response: ServerResponse): void;
}

const well = (response: ServerResponse): void => void response.writeHead(204).end();

const taken = { isStored: true };
const lost = { isStored: false };

const WELL: Behaviour = { weight: 72, ...taken, answer: well };
const BEHAVIOURS: readonly Behaviour[] = [
  WELL,
  { weight: 8, ...taken, answer: (response) => void setTimeout(() => well(response), 700) },
  // A body without end changes nothing of what the status said.
  { weight: 1, ...taken, answer: (response) => void response.writeHead(200).write('x'.repeat(200_000)) },
  { weight: 5, ...taken, answer: ({ socket }) => void socket?.destroy() },
  { weight: 0.7, ...taken, answer: () => {} },
  { weight: 6, ...lost, answer: (response) => void response.writeHead(500).end('{"oh":"no"}') },
  // A caller that follows it is found by the path.
  { weight: 3, ...lost, answer: (response) => void response.writeHead(307, { location: '/elsewhere' }).end() },
  { weight: 3, ...lost, answer: ({ socket }) => void socket?.end('HTTP/9.9 perhaps\r\n\u0000\u0001\r\n\r\n') },
  { weight: 0.3, ...lost, answer: (response) => void response.writeHead(410).end() },
  {
    weight: 3,
    ...lost,
    answer: ({ socket }) => void socket?.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  },
];

export async function startCampaignReceiver(name: string, dice: Dice, history: History): Promise<CampaignReceiver> {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  let behaviours = BEHAVIOURS;

  const take = (path: string, headers: IncomingHttpHeaders, text: string, response: ServerResponse): void => {
    const { isStored, answer } = dice.weigh(behaviours);
    const { type, data } = JSON.parse(text) as { type: string; data: unknown };
    const id = String(headers['webhook-id']);
    const atMs = history.nowMs();
    const arrival = { path, id, headers, text, type, data, atMs, isStored, isConfirmed: false };
    arrivals.push(arrival);
    response.on('finish', () => {
      arrival.isConfirmed = response.statusCode < 300;
    });
    response.on('close', () => {
      const { isConfirmed } = arrival;
      history.add({ kind: 'push', path, id, isStored, isConfirmed, startMs: atMs, endMs: history.nowMs(), text });
    });
    answer(response);
  };
  const serve = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () =>
        take(request.url ?? '', request.headers, Buffer.concat(pieces).toString('utf8'), response),
      );
      response.on('error', () => {});
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await serve(0);
  const { port } = server.address() as AddressInfo;
  const proxy = await startTcpProxy({ host: '127.0.0.1', port });
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const kill = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    hangUp();
    await closed;
  };
  return {
    name,
    proxy,
    arrivals,
    urlOf: (path) => `http://127.0.0.1:${proxy.port}${path}`,
    kill,
    async restart() {
      server = await serve(port);
    },
    behave() {
      behaviours = [WELL];
      hangUp();
    },
    async close() {
      await kill();
      await proxy.close();
    },
  };
}
