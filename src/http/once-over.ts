// The end of a request. An answer that waits behind another one on its connection is never closed when the connection is lost: of
// pipelined requests only the first would end, and what the others hold would stay taken.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** By connection: what its open requests release. */
const releasesOf = new WeakMap<Socket, Set<() => void>>();

/** Calls `release` once: when the answer is sent, or its connection is lost. */
export function onceOver(response: ServerResponse, release: () => void): void {
  const { socket } = response.req;
  const releases = releasesOf.get(socket) ?? followSocket(socket);
  const end = (): void => {
    if (releases.delete(end)) release();
  };
  releases.add(end);
  response.once('close', end);
  if (socket.destroyed) end();
}

function followSocket(socket: Socket): Set<() => void> {
  const releases = new Set<() => void>();
  releasesOf.set(socket, releases);
  socket.once('close', () => {
    for (const end of releases) end();
  });
  return releases;
}
