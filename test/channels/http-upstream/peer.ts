// The configuration of a channel to the HTTP message centre, and upstreams that do exactly what a test tells them.

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Part } from '../../../src/channels/channel.js';

export function createConfig(port: number, over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    url: `http://127.0.0.1:${port}/messages`,
    body: { to: '{phone}', from: '{sender}', text: '{text}', reference: '{reference}' },
    answer: { message_id: '/id', code: '/code' },
    reports: {
      message_id: '/id',
      phone: '/to',
      status: '/status',
      delivered: ['delivered'],
      undelivered: ['undelivered', 'expired'],
    },
    uplinks: { from: '/from', to: '/to', text: '/text' },
    ...over,
  };
}

export function createPart(over: Partial<Part> = {}): Part {
  const text = 'Your parcel has left the depot.';
  return {
    reference: '1.2.3.1',
    to: '8613800138000',
    from: '1069012345',
    text,
    encoding: 'gsm7',
    part: 1,
    parts: 1,
    ...over,
  };
}

export interface RawPeer {
  readonly port: number;
  /** Requests, each as it came, to the end of what had come when it was answered. */
  readonly requests: string[];
  stop(): Promise<void>;
}

/** `answer` is called once for each request whose headers have come. */
export async function startRawPeer(answer: (socket: Socket, request: string) => void): Promise<RawPeer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      if (!isWhole(received)) return;
      const request = received;
      received = '';
      requests.push(request);
      answer(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function isWhole(received: string): boolean {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  if (rest.length === 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return Buffer.byteLength(rest.join('\r\n\r\n')) >= length;
}

/** A whole HTTP answer. */
export function http(status: number, body: string, headers = ''): string {
  return `HTTP/1.1 ${status} Answer\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
