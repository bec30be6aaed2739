// Connections that the primary hands over to a worker. It keeps each until the worker says that it has it, and Node forgets those of a
// worker that is killed before: their callers would be neither answered nor cut off, because the primary holds them open.

import type { ChildProcess } from 'node:child_process';

interface Closable {
  close(): void;
}

/** A message of Node's `cluster` module, which numbers those that want an answer. */
interface ClusterMessage {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

/** Closes the connections that a worker has not taken when it ends. */
export function closeUntakenAtEnd(worker: ChildProcess): void {
  const untaken = new Map<unknown, Closable>();
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (...args: unknown[]): boolean => {
    const [message, handle] = args;
    if (isObject(message) && message.act === 'newconn' && isClosable(handle)) untaken.set(message.seq, handle);
    return send(...args);
  };
  worker.on('internalMessage', (message: unknown) => {
    if (isObject(message) && message.ack !== undefined) untaken.delete(message.ack);
  });
  worker.once('exit', () => {
    for (const connection of untaken.values()) connection.close();
    untaken.clear();
  });
}

function isObject(value: unknown): value is ClusterMessage {
  return typeof value === 'object' && value !== null;
}

function isClosable(value: unknown): value is Closable {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
