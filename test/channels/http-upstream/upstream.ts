// An upstream that counts the requests for each number, and answers each as a test says. With or without TLS.

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../../support/network/certificates.js';

export interface Upstream {
  readonly url: string;
  /** How often each number was asked for, as `+8613…`. */
  readonly requests: ReadonlyMap<string, number>;
  /** Another certificate for new connections; those that are open end. */
  present(certificate: Certificate): void;
  stop(): Promise<void>;
}

export type Answer = (phone: string, response: ServerResponse) => void;

/** Accepts a message under an id. */
export const accept: Answer = (phone, response) =>
  void response.writeHead(200).end(JSON.stringify({ id: `id-${phone}` }));

export async function startUpstream(answer: Answer, certificate?: Certificate): Promise<Upstream> {
  const requests = new Map<string, number>();
  const listener: RequestListener = async (request, response) => {
    const { to } = JSON.parse(await readBody(request)) as { to: string };
    requests.set(to, (requests.get(to) ?? 0) + 1);
    answer(to, response);
  };
  const server = certificate === undefined ? createHttpServer(listener) : createTlsServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/messages`,
    requests,
    present(next) {
      (server as TlsServer).setSecureContext(next);
      server.closeAllConnections();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
