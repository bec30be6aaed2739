// Detects a server or a network that falls silent without closing anything, which the driver cannot. TCP alone gives up unacknowledged data
// after a quarter of an hour, and never gives up a peer whose kernel still acknowledges.

import { Socket } from 'node:net';
import type { Target } from '../driver/index.js';
import type { DatabaseHost } from './database-url.js';

interface Watched {
  readonly socket: Socket;
  bytesRead: number;
  heardAtMs: number;
}

const LOOK_MS = 1000;

/**
 * A connection that fails once it is up says only that it is closed. Between the error of a socket and its end the driver
 * takes the connection for a good one, and what is asked on it in that moment is never answered.
 */
class DatabaseSocket extends Socket {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (this.bytesRead > 0 && event === 'error') return true;
    return this.bytesRead > 0 && event === 'close' ? super.emit('close', false) : super.emit(event, ...values);
  }
}

/**
 * Makes the sockets of a pool and destroys those on which nothing has come for `silenceMs`. To be longer than the server
 * lets a statement run and than the driver keeps an idle connection: what is quiet for longer waits for an answer that
 * will not come. With several servers, `findPrimary` says which of them to connect to.
 */
export function createWatchedSockets(
  silenceMs: number,
  findPrimary?: () => Promise<DatabaseHost | undefined>,
): (target: Target) => Socket | Promise<Socket> {
  const watched = new Set<Watched>();
  let looking: NodeJS.Timeout | undefined;

  const look = (): void => {
    const nowMs = performance.now();
    for (const entry of watched) {
      const { socket } = entry;
      if (socket.destroyed) watched.delete(entry);
      else if (socket.bytesRead !== entry.bytesRead)
        Object.assign(entry, { bytesRead: socket.bytesRead, heardAtMs: nowMs });
      else if (nowMs - entry.heardAtMs > silenceMs) socket.destroy();
    }
    if (watched.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };

  const watch = (socket: Socket, target: Target): Socket => {
    if (target.idle_timeout !== null) {
      watched.add({ socket, bytesRead: 0, heardAtMs: performance.now() });
      looking ??= setInterval(look, LOOK_MS).unref();
    }
    return socket;
  };

  return (target) => {
    const { path, host, port } = target;
    if (findPrimary !== undefined) return findPrimary().then((primary) => watch(connectTo(primary), target));
    // Returned before it is connected: the driver's own time limit for connecting covers that, and what it writes waits.
    const socket = new DatabaseSocket();
    socket.connect(path ? { path } : { host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
    return watch(socket, target);
  };
}

/** Without a primary it fails as if no server listened. */
function connectTo(primary: DatabaseHost | undefined): Socket {
  const socket = new DatabaseSocket();
  if (primary !== undefined) return socket.connect({ host: primary.host, port: primary.port });
  const error = Object.assign(new Error('none of the servers is a primary'), { code: 'ECONNREFUSED' });
  setImmediate(() => socket.destroy(error));
  return socket;
}
