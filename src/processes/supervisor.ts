// Starts the worker processes, replaces those that end, and stops them all.

import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../domain/backoff.js';
import type { Log } from '../service/log.js';
import { type Calls, createCalls, type Port } from './calls.js';
import { closeUntakenAtEnd } from './handed-over.js';
import type { PrimaryCalls, StartedWorker, WorkerCalls } from './protocol.js';

/** One process. */
export interface WorkerProcess {
  /** Its place, from 0; the replacement of a process has the same. */
  readonly index: number;
  /** Names it among all that there were. */
  readonly id: number;
  readonly calls: Calls<WorkerCalls>;
}

export interface SupervisorOptions {
  readonly processes: number;
  /** The program of a worker, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly log: Log;
  readonly answersTo: (process: WorkerProcess) => Omit<PrimaryCalls, 'started' | 'failed'>;
  readonly onEnd: (process: WorkerProcess) => void;
  readonly onReplaced: (process: WorkerProcess) => void;
  /** No process is left, and none can start. */
  readonly onExhausted: (error: Error) => void;
}

export interface Supervisor {
  /** Resolves with what the first one said when all are up; rejects when one cannot start. */
  start(): Promise<StartedWorker>;
  /** Those that are up. */
  running(): readonly WorkerProcess[];
  /** Resolves when none is left; rejects when one did not stop cleanly. May be called again. */
  stop(): Promise<void>;
}

/** A process that lived this long was fine: its replacement starts at once. */
const SETTLED_MS = 60_000;
const BACKOFF = { firstMs: 200, mostMs: 30_000 };
/** Less than the limit of the whole service, and more than any part of a worker waits for. */
const STOP_LIMIT_MS = 50_000;

interface Slot {
  readonly index: number;
  process: RunningProcess | undefined;
  /** Since it was last settled. */
  failures: number;
}

interface RunningProcess extends WorkerProcess {
  readonly worker: Worker;
  readonly sinceMs: number;
  isUp: boolean;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { log, program: exec, args } = options;
  cluster.setupPrimary({ exec, args: [...args], serialization: 'advanced' });
  const slots = Array.from(
    { length: options.processes },
    (_, index): Slot => ({ index, process: undefined, failures: 0 }),
  );
  const stopping = new AbortController();
  let stopped: Promise<void> | undefined;

  /** Resolves when the process is up; rejects when it ends before. */
  const launch = (slot: Slot): Promise<StartedWorker> =>
    new Promise((resolve, reject) => {
      stopping.signal.throwIfAborted();
      const worker = cluster.fork();
      closeUntakenAtEnd(worker.process);
      let reason: string | undefined;
      const answers = {
        started: (started: StartedWorker) => {
          running.isUp = true;
          resolve(started);
        },
        failed: (why: string) => {
          reason = why;
        },
      };
      const table: Record<string, (...args: never[]) => unknown> = { ...answers };
      const calls = createCalls<WorkerCalls>(portOf(worker), table);
      const running: RunningProcess = {
        index: slot.index,
        id: worker.id,
        calls,
        worker,
        sinceMs: performance.now(),
        isUp: false,
      };
      Object.assign(table, options.answersTo(running));
      slot.process = running;
      worker.once('exit', (code: number | null, signal: string | null) => {
        calls.end();
        slot.process = undefined;
        options.onEnd(running);
        if (!running.isUp)
          return reject(new Error(reason ?? `a process ended ${describeEnd(code, signal)} before it was up`));
        if (stopping.signal.aborted) return;
        log.error(
          { process: slot.index + 1, pid: worker.process.pid },
          `a process ended ${describeEnd(code, signal)} and is replaced`,
        );
        if (performance.now() - running.sinceMs > SETTLED_MS) slot.failures = 0;
        void replace(slot);
      });
    });

  const replace = async (slot: Slot): Promise<void> => {
    while (!stopping.signal.aborted) {
      slot.failures += 1;
      await sleep(backoffMs(slot.failures, BACKOFF), undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        await launch(slot);
        const { process } = slot;
        if (process === undefined) continue;
        log.info({ process: slot.index + 1, pid: process.worker.process.pid }, 'a process was replaced');
        return options.onReplaced(process);
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error({ process: slot.index + 1, err: error }, 'a process could not start and is retried');
        if (slots.every(({ process }) => process === undefined)) return options.onExhausted(error as Error);
      }
    }
  };

  const end = async ({ worker, calls, index }: RunningProcess): Promise<void> => {
    calls.call('stop').catch(() => undefined);
    const kill = setTimeout(() => worker.process.kill('SIGKILL'), STOP_LIMIT_MS);
    const [code, signal] = (await once(worker, 'exit')) as [number | null, string | null];
    clearTimeout(kill);
    if (code !== 0) throw new Error(`process ${index + 1} ended ${describeEnd(code, signal)}`);
  };
  const endAll = async (): Promise<void> => {
    stopping.abort();
    const ends = await Promise.allSettled(
      slots.flatMap(({ process }) => (process === undefined ? [] : [end(process)])),
    );
    const errors = ends.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
  };

  return {
    async start() {
      const [first, ...others] = slots;
      if (first === undefined) throw new Error('there is no process to start');
      // Alone: it migrates the database and sets up what the others find.
      const started = await launch(first);
      await Promise.all(others.map(launch));
      return started;
    },
    running: () => slots.flatMap(({ process }) => (process?.isUp ? [process] : [])),
    stop() {
      stopped ??= endAll();
      return stopped;
    },
  };
}

function portOf(worker: Worker): Port {
  return {
    // A process that has just ended takes no message; its end says the rest.
    send: (message) => void worker.send(message, () => undefined),
    listen: (listener) => void worker.on('message', listener),
  };
}

function describeEnd(code: number | null, signal: string | null): string {
  return signal === null ? `with code ${code}` : `by ${signal}`;
}
