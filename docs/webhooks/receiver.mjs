// A receiver of webhooks in Node, without a dependency. WEBHOOK_SECRET is the secret that creating the webhook showed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  // Two of them during a rotation.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    // The bytes as they came: the signature does not cover JSON that was parsed and written again.
    const body = Buffer.concat(chunks);
    if (!isGenuine(request.headers, body)) return response.writeHead(400).end();
    const { type, data } = JSON.parse(body);
    // Store it before answering; the same webhook-id may come again.
    process.stdout.write(`${request.headers['webhook-id']} ${type} ${data.items?.length ?? 1}\n`);
    response.writeHead(204).end();
  });
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  process.stdout.write(`listening on ${server.address().port}\n`),
);
