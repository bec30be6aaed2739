// An address for callbacks that hands feedback to a listener and answers when it is acknowledged, as the service does by way of its
// database.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Feedback } from '../../../src/channels/channel.js';
import type { CallbackKind } from '../../../src/channels/driver.js';
import { httpDriver } from '../../../src/channels/http-upstream/driver.js';

export async function startCallbackPeer(config: Readonly<Record<string, unknown>>) {
  let listener: (feedback: Feedback) => void = () => {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const kind = (request.url ?? '').slice(1) as CallbackKind;
    const found = httpDriver.readCallback?.(config, kind, { body: Buffer.concat(chunks), query: '' });
    if (typeof found !== 'object') return response.writeHead(400).end();
    const taken = await Promise.all(
      found.map(
        (feedback) =>
          new Promise<boolean>((resolve) => {
            listener({ ...feedback, ack: () => resolve(true), nack: () => resolve(false) } as Feedback);
          }),
      ),
    );
    response.writeHead(taken.every(Boolean) ? 200 : 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onFeedback(to: (feedback: Feedback) => void) {
      listener = to;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
