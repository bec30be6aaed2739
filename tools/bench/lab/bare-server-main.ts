// The least that a server can do with a send request: read it, check the signature on the raw bytes, parse it, answer as
// much as an acceptance answers. No routes, no limits, no database.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const PARENT_POLL_MS = 500;

const [, , secret = ''] = process.argv;

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const hash = createHash('sha256').update(body).digest('hex');
  const signed = `${request.method}\n${request.url}\n${request.headers['x-timestamp']}\n${hash}`;
  const expected = createHmac('sha256', secret).update(signed).digest();
  const given = Buffer.from(String(request.headers['x-sign']), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (!isSigned(request, body)) {
    response.writeHead(401).end();
    return;
  }
  const parsed = JSON.parse(body.toString('utf8')) as { readonly phones: readonly string[] };
  const task = {
    task_no: 'T0000000000000000',
    client_request_id: null,
    stage: 'queued',
    accounting_state: 'none',
    total: parsed.phones.length,
    created_at: new Date().toISOString(),
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(task));
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => answer(request, response, Buffer.concat(pieces)));
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});

// A measurement that was killed cannot end what it started.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(0);
}, PARENT_POLL_MS).unref();
process.on('SIGTERM', () => process.exit(0));
