// Receives webhooks, and prints the outcome of each number: node webhook.ts 3000

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from '@postrider/client';

const secret = process.env.WEBHOOK_SECRET ?? '';

const server = createServer(async (request, response) => {
  try {
    const { id, message } = await verifyWebhook(secret, { headers: request.headers, body: await text(request) });
    if (message.type === 'receipts') {
      for (const receipt of message.data.items) console.log(id, receipt.phone, receipt.result, receipt.charged);
    }
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end();
  }
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log('listening on', address?.port);
});
