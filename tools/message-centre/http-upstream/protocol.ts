// A message centre over HTTP: POST /messages with { to, from, text, reference } is a submit, answered with { id } or { code }.
// Reports ({ id, to, status }) and replies ({ id, from, to, text }) are posted to the addresses of the client until it answers 200.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Fate } from '../fate.js';
import type { HttpOptions } from '../options.js';
import type { CentreEvents, CentreProtocol, CentreSession } from '../protocol.js';
import { createCallbackSession } from './callback-session.js';
import type { HttpDelivery, HttpSubmitted } from './deliveries.js';

type Events = CentreEvents<HttpSubmitted, HttpDelivery>;
type Session = CentreSession<HttpSubmitted, HttpDelivery>;

const ACCOUNT = 'http';
const MAX_BODY_BYTES = 1024 * 1024;
const STATUSES: Readonly<Record<Fate['state'], string>> = {
  DELIVRD: 'delivered',
  UNDELIV: 'undelivered',
  EXPIRED: 'expired',
};
const NONSENSE = ['\u0000\u0001garbage\r\n\r\n', 'HTTP/1.1 999 \u0007\r\nContent-Length: -1\r\n\r\n', '{'];

export function createHttpProtocol(
  options: HttpOptions,
  random: () => number,
): CentreProtocol<HttpSubmitted, HttpDelivery> {
  const prefix = randomBytes(6).toString('hex');
  let counter = 0;
  let callbacks: ReturnType<typeof createCallbackSession> | undefined;
  const createId = () => `${prefix}${(++counter).toString(36)}`;

  return {
    serve(socket, events) {
      if (callbacks === undefined) {
        callbacks = createCallbackSession(ACCOUNT, options, events);
        events.onBound(callbacks);
      }
      return serveConnection(socket, options, events);
    },
    createIds() {
      const id = createId();
      return { answer: id, receipt: id };
    },
    buildReceipt: ({ to }, account, { receipt: id }, state) => ({
      kind: 'receipt',
      account,
      body: { id, to, status: STATUSES[state] },
    }),
    buildReply: ({ to, from }, account, text) => ({
      kind: 'uplink',
      account,
      body: { id: createId(), from: to, to: from, text },
    }),
    poison: (receipt) => ({ ...receipt, body: { ...receipt.body, code: '\u0000\ud800', to: `+${receipt.body.to}` } }),
    createGarbage: () => Buffer.from(NONSENSE[Math.floor(random() * NONSENSE.length)] ?? '{', 'latin1'),
  };
}

function serveConnection(socket: Socket, { systemId, password }: HttpOptions, events: Events): Session {
  const expected = `Basic ${Buffer.from(`${systemId}:${password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    if (systemId !== '' && request.headers.authorization !== expected) answer(response, 401, { code: 'UNAUTHORIZED' });
    else void readSubmit(request, response, session, events);
  });
  const session: Session = {
    account: ACCOUNT,
    canDeliver: () => false,
    deliver() {},
    answer({ response }, answered, id) {
      if (answered === 'accept') answer(response, 200, { id });
      else if (answered === 'throttle') answer(response, 429, { code: 'THROTTLED' });
      else answer(response, 422, { code: 'REFUSED' });
    },
    cut: () => void socket.destroy(),
    unbind: () => void socket.end(),
    sendGarbage: (octets) => void socket.write(octets),
  };
  socket.on('error', () => socket.destroy());
  socket.once('close', () => events.onClosed(session));
  server.emit('connection', socket);
  return session;
}

async function readSubmit(
  request: IncomingMessage,
  response: ServerResponse,
  session: Session,
  events: Events,
): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) throw new RangeError('the body is too long');
      chunks.push(chunk);
    }
    const { to, from, text } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    if (request.method !== 'POST' || typeof to !== 'string' || typeof text !== 'string')
      throw new TypeError('no submit');
    const submitted = {
      to: to.replace(/^\+/, ''),
      from: String(from ?? ''),
      segment: undefined,
      isReportWanted: true,
      response,
    };
    events.onSubmit(session, submitted, () => text);
  } catch {
    events.onMalformed();
    answer(response, 400, { code: 'MALFORMED' });
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
