// A network that can fail between two ends of a TCP connection: cut it, slow it down, or fall silent without closing
// anything, which is what a firewall that forgot a connection, a frozen machine and a pulled cable look like.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type ProxyTarget = { readonly path: string } | { readonly host: string; readonly port: number };

export interface TcpProxy {
  readonly port: number;
  /** All is well again. What was held back while it was silent goes on its way. */
  forward(): void;
  /** Nothing passes in either direction, and nothing is closed. New connections are accepted and hear nothing. */
  goSilent(): void;
  /** Every piece arrives this much later, in both directions. */
  delay(ms: number): void;
  /** Ends all connections at once; new ones are let through. */
  cut(): void;
  /**
   * Lets the next bytes from a client that match go to the server, swallows what the server answers, and then cuts that
   * connection: the work was done, and its answer is lost. Resolves when that has happened.
   */
  loseAnswerTo(pattern: RegExp): Promise<void>;
  /** How many connections there have been so far. */
  connections(): number;
  /** How many of them are open. */
  open(): number;
  close(): Promise<void>;
}

/** What a client sends at once may come in two pieces: the second one still passes. */
const SECOND_PIECE_MS = 50;

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isDoomed: boolean;
}

export async function startTcpProxy(target: ProxyTarget): Promise<TcpProxy> {
  const links = new Set<Link>();
  let count = 0;
  let delayMs = 0;
  let opened: Promise<void> = Promise.resolve();
  let open = () => {};
  let awaited: { readonly pattern: RegExp; readonly lost: () => void } | undefined;

  /** In order, because each piece waits for the one before it. */
  const pass = (link: Link, from: Socket, to: Socket, look: (piece: Buffer) => boolean): void => {
    let before: Promise<void> = Promise.resolve();
    from.on('data', (piece: Buffer) => {
      const wasDelayMs = delayMs;
      before = before.then(async () => {
        await opened;
        if (wasDelayMs > 0) await sleep(wasDelayMs);
        if (look(piece) && !to.destroyed) to.write(piece);
      });
    });
    const end = () => {
      void before.then(() => opened).then(() => to.destroy());
      links.delete(link);
    };
    from.on('close', end);
    from.on('error', () => {});
  };

  const server = createServer((client) => {
    count += 1;
    const link: Link = { client, server: connect(target), isDoomed: false };
    links.add(link);
    pass(link, client, link.server, (piece) => {
      if (awaited?.pattern.test(piece.toString('latin1')) === true) link.isDoomed = true;
      return true;
    });
    pass(link, link.server, client, () => {
      if (!link.isDoomed) return true;
      const lost = awaited?.lost;
      awaited = undefined;
      if (lost !== undefined) {
        setTimeout(() => {
          client.destroy();
          lost();
        }, SECOND_PIECE_MS);
      }
      return false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = () => {
    for (const link of links) {
      link.client.destroy();
      link.server.destroy();
    }
  };
  const forward = () => {
    delayMs = 0;
    open();
  };
  return {
    port: (server.address() as AddressInfo).port,
    forward,
    goSilent() {
      open();
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    delay(ms) {
      delayMs = ms;
    },
    cut,
    loseAnswerTo: (pattern) =>
      new Promise((resolve) => {
        awaited = { pattern, lost: resolve };
      }),
    connections: () => count,
    open: () => links.size,
    async close() {
      forward();
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
