// One request and its answer, under one deadline. What matters most is whether anything may have been written: after that a
// missing answer leaves the message unknown, before it the message certainly never left.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from '../../outbound/address-guard.js';
import type { HttpRequest } from './request.js';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export type Exchange =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  /** Something may have been written, and no whole answer came. */
  | { readonly kind: 'lost'; readonly code: string }
  /** Nothing was written. */
  | { readonly kind: 'unsent'; readonly reason: string };

export interface HttpClient {
  exchange(request: HttpRequest): Promise<Exchange>;
  close(): void;
}

/** Far more than any answer about one message. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Servers close idle connections after five seconds and more; a request written into a closing one would be unknown. */
const IDLE_MS = 4_000;

export function createHttpClient(guard: AddressGuard, concurrency: number, timeoutMs: number): HttpClient {
  const options = {
    keepAlive: true,
    maxSockets: concurrency,
    maxFreeSockets: concurrency,
    timeout: IDLE_MS,
    noDelay: true,
  };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) } as const;

  const open = ({ method, url, headers, body }: HttpRequest, signal: AbortSignal): ClientRequest => {
    guard.requireReachable(url);
    const isSecure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      agent: agents[isSecure ? 'https:' : 'http:'],
      headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
      lookup: guard.lookupFor(url, signal),
      ...(isSecure && isIP(host) === 0 && { servername: host }),
    });
  };

  return {
    exchange: (request) =>
      new Promise((resolve) => {
        const ending = new AbortController();
        let mayBeWritten = false;
        let isSettled = false;
        let sent: ClientRequest | undefined;
        const settle = (exchange: Exchange): void => {
          if (isSettled) return;
          isSettled = true;
          clearTimeout(deadline);
          resolve(exchange);
          ending.abort();
        };
        const fail = (code: string, reason: string): void => {
          if (isSettled) return;
          settle(mayBeWritten ? { kind: 'lost', code } : { kind: 'unsent', reason });
          sent?.destroy();
        };
        const deadline = setTimeout(() => fail('TIMEOUT', `no connection within ${timeoutMs} ms`), timeoutMs);
        try {
          sent = open(request, ending.signal);
        } catch (error) {
          return fail('NOT_SENT', describe(error));
        }
        onWritable(sent, () => {
          mayBeWritten = true;
        });
        sent.on('error', (error) => fail('CONNECTION_LOST', describe(error)));
        sent.on('close', () => fail('CONNECTION_LOST', 'the connection was closed'));
        // An answer that would turn the connection into something else is none.
        sent.on('upgrade', (_, socket: Duplex) => {
          socket.destroy();
          fail('NO_HTTP_ANSWER', 'the upstream changed the protocol');
        });
        sent.on('response', (response) =>
          readBody(response, (body) => {
            if (body === undefined) fail('ANSWER_TOO_LONG', 'the answer was too long');
            else settle({ kind: 'answer', answer: { status: response.statusCode ?? 0, body } });
          }),
        );
        sent.end(request.body);
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Calls back once the socket takes what is written: a kept one at once, a new one when it is connected. */
function onWritable(request: ClientRequest, onReady: () => void): void {
  request.on('socket', (socket) => {
    const isSecure = 'secureConnecting' in socket;
    const isPending = isSecure ? socket.secureConnecting === true : socket.connecting;
    if (isPending) socket.once(isSecure ? 'secureConnect' : 'connect', onReady);
    else onReady();
  });
}

/** Undefined when it is too long. Calls back for a whole body only: the end of the connection is an error of the request. */
function readBody(response: IncomingMessage, onBody: (body: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) onBody(undefined);
    else chunks.push(chunk);
  });
  response.on('end', () => {
    if (response.complete) onBody(Buffer.concat(chunks).toString('utf8'));
  });
  response.on('error', () => {});
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message === '' || message === undefined ? (code ?? 'unknown fault') : message;
}
