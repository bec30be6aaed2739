// The least that a receiver of webhooks can do: read a call, count what it tells, answer.

import { createServer } from 'node:http';

const PARENT_POLL_MS = 500;
/** Once in every receipt, and nowhere else in a message. */
const MARK = Buffer.from('"received_at":');

let received = 0;

function countItems(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(MARK); at !== -1; at = body.indexOf(MARK, at + MARK.length)) count += 1;
  return count;
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ received }));
    return;
  }
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    received += countItems(Buffer.concat(pieces));
    response.writeHead(204).end();
  });
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
