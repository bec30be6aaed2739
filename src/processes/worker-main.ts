// One of several processes behind one port. It reads the same environment as the primary, asks it for its place, and stops when
// the primary says so or is gone.

import cluster from 'node:cluster';
import { type RunningService, start } from '../app/start.js';
import { readConfig } from '../service/config.js';
import { setHeapFlags } from '../service/heap-flags.js';
import { createLog } from '../service/log.js';
import { readStartArguments } from '../service/start-arguments.js';
import { explainFailedStart } from '../service/system-fault.js';
import { createCalls, type Port } from './calls.js';
import type { PrimaryCalls, WorkerCalls } from './protocol.js';
import { createWorkerMachine, type WorkerMachine } from './worker-machine.js';

/** Of this process alone. The primary kills one that takes longer. */
const STOP_LIMIT_MS = 45_000;

setHeapFlags();
// A terminal that was closed takes no more lines. Requests in flight are finished all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const config = readConfig({ ...process.env, ...readStartArguments(process.argv.slice(2)) });
const stopping = new AbortController();
let machine: WorkerMachine | undefined;
let starting: Promise<RunningService> | undefined;
let service: RunningService | undefined;

const requireService = (): RunningService => {
  if (service === undefined) throw new Error('the process is starting');
  return service;
};
const primary = createCalls<PrimaryCalls>(openPort(), {
  stop,
  findMissing: () => requireService().findMissing(),
  readMetrics: () => requireService().readMetrics(),
  noteGuess: (address) => machine?.noteGuess(address),
  refreshSnapshot: () => requireService().refreshSnapshot(),
  setComplete: () => machine?.setComplete(),
} satisfies WorkerCalls);

const assignment = await primary.call('assign');
const log = createLog(config.logLevel).child({ process: assignment.index + 1 });
machine = createWorkerMachine(assignment, primary);
starting = start(
  { ...config, port: assignment.port },
  { log, machine, signal: stopping.signal, onFailure: (error) => fail(`Postrider stops: ${error.message}`) },
);

// Ctrl-C and a closed terminal reach every process; the primary decides what they mean.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('SIGTERM', stop);
// The primary is gone. By default a worker would end at once; instead it finishes what is in flight.
if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
process.on('disconnect', stop);

try {
  service = await starting;
  await primary.call('started', { url: service.url, demo: service.demo, signInLinks: service.signInLinks });
} catch (error) {
  if (stopping.signal.aborted) process.exit(0);
  log.debug({ err: error }, 'start-up failed');
  await primary.call('failed', explainFailedStart(error, config.dataDir)).catch(() => undefined);
  process.exit(1);
}

function stop(): void {
  if (stopping.signal.aborted) return;
  stopping.abort();
  setTimeout(() => fail('a process did not stop in time'), STOP_LIMIT_MS);
  Promise.resolve(starting)
    .then((running) => running?.stop())
    .then(
      () => process.exit(0),
      // A start that was given up is no failure.
      (error: unknown) => (service === undefined ? process.exit(0) : fail(`a process did not stop: ${String(error)}`)),
    );
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function openPort(): Port {
  return {
    // Without a primary there is no one to answer; the process is stopping.
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (listener) => void process.on('message', listener),
  };
}
