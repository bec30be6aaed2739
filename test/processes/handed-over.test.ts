// The primary holds a connection until a worker says that it has it.

import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { closeUntakenAtEnd } from '../../src/processes/handed-over.js';

test('connections that a worker has not taken are closed when it ends, and those that it has are not', () => {
  const closed: string[] = [];
  const sent: unknown[] = [];
  const send = (message: unknown) => sent.push(message) > 0;
  const worker = Object.assign(new EventEmitter(), { send }) as unknown as ChildProcess;
  closeUntakenAtEnd(worker);
  const handOver = (seq: number, name: string) =>
    worker.send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq }, { close: () => closed.push(name) } as never);
  handOver(1, 'taken');
  handOver(2, 'untaken');
  worker.send({ act: 'disconnect', seq: 3 });
  worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 1, accepted: true });
  expect(closed).toEqual([]);
  worker.emit('exit', null, 'SIGKILL');
  expect(closed).toEqual(['untaken']);
  expect(sent).toHaveLength(3);
});
