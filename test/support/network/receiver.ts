// A receiver of webhooks over real HTTP. It keeps what it got and answers as the test wants.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  readonly text: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  readonly data: any;
}

export type Behaviour = (response: ServerResponse, message: Received) => void;

export const answerOk: Behaviour = (response) => void response.writeHead(204).end();
export const answerWith =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end();
export const hang: Behaviour = () => {};

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Every call that came in, answered or not. */
  readonly calls: Received[];
  /** Those that were answered with success. */
  readonly accepted: Received[];
  behave(behaviour: Behaviour): void;
  /** Cuts all connections, as a crash would. */
  kill(): Promise<void>;
}

export async function startReceiver(options: { readonly port?: number } = {}): Promise<Receiver> {
  const calls: Received[] = [];
  const accepted: Received[] = [];
  const sockets = new Set<Socket>();
  let behaviour = answerOk;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { type, data } = JSON.parse(text);
      const message = { headers: request.headers, id: String(request.headers['webhook-id']), text, type, data };
      calls.push(message);
      response.on('finish', () => {
        if (response.statusCode < 300) accepted.push(message);
      });
      behaviour(response, message);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    calls,
    accepted,
    behave(next) {
      behaviour = next;
    },
    kill: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Throws unless the message carries a signature by this secret. */
export function verify(secret: string, { headers, text }: Received): unknown {
  return new Verifier(secret).verify(text, headers as Record<string, string>);
}
