// Programs that a measurement runs beside itself. Each has a process of its own: what shares an event loop or a heap with
// the load is not measured but slowed down.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const STOP_PATIENCE_MS = 60_000;

export interface Program {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves when it is gone; may be called again. */
  stop(): Promise<void>;
}

export function startProgram(command: string, words: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(command, [...words], { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const gone = Promise.race([once(child, 'exit'), once(child, 'error')]);
  gone.catch(() => undefined);
  return {
    child,
    pid: child.pid ?? 0,
    async stop() {
      if (child.pid === undefined || !isRunning(child)) return;
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
      child.kill('SIGTERM');
      await gone;
      clearTimeout(impatience);
    },
  };
}

export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The first line that a program writes, for one that says so where it listens. */
export async function readFirstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The program has no output.');
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The program ended before it was ready.');
  });
  ended.catch(() => undefined);
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  // What follows is read and dropped, or the program would wait for room.
  child.stdout.resume();
  return line;
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
