// One address for carriers that call back: it passes connections on to a node that answers requests, whichever is awake.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { ServiceNode } from './node.js';

export interface ApiBalancer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startApiBalancer(nodes: readonly ServiceNode[]): Promise<ApiBalancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const awake = nodes.filter((node) => node.roles.includes('api') && node.isAwake());
    const node = awake[turn++ % Math.max(1, awake.length)];
    if (node === undefined) return client.destroy();
    const upstream = connect({ host: '127.0.0.1', port: Number(new URL(node.url()).port) });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
