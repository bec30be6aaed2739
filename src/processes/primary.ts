// The primary: starts the processes of this machine, replaces those that end, and keeps what they share. It answers no request
// and touches no message, so that nothing a customer does can end it.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import type { StartOptions } from '../app/options.js';
import type { RunningService } from '../app/start.js';
import { createSignInCodes } from '../http/console/sign-in-codes.js';
import { createExportPlaces } from '../http/limits/export-gate.js';
import { createTokenBuckets, type MachineShare } from '../http/limits/rate-limit.js';
import { type Closers, closeAll } from '../service/closers.js';
import type { Config } from '../service/config.js';
import { createReplacementCounter } from '../service/process-metrics.js';
import { startShareWatch } from '../service/share-watch.js';
import { connectDatabase } from '../store/connect.js';
import { startEmbeddedPostgres } from '../store/embedded/start.js';
import { createMetricsSum } from './metrics-sum.js';
import type { PrimaryCalls } from './protocol.js';
import { createSupervisor, type Supervisor, type WorkerProcess } from './supervisor.js';

/** A process that has no answer by then counts as hung. */
const READY_LIMIT_MS = 2500;
const METRICS_LIMIT_MS = 1000;
const REFRESH_LIMIT_MS = 1000;
/** For one part to stop; the processes together are one. */
const CLOSE_LIMIT_MS = 55_000;

export interface PrimaryOptions extends Pick<StartOptions, 'log' | 'onFailure'> {
  readonly signal: AbortSignal;
  /** The arguments of the command line, for the workers. */
  readonly args: readonly string[];
}

/** Resolves when all processes are up. Afterwards it looks like a service of one process. */
export async function startProcesses(config: Config, options: PrimaryOptions): Promise<PrimaryService> {
  const closers: Closers = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= closeAll(closers, CLOSE_LIMIT_MS);
    return stopped;
  };
  try {
    return { ...(await startParts(config, options, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type PrimaryService = Pick<RunningService, 'url' | 'demo' | 'signInLinks' | 'stop'>;

async function startParts(config: Config, options: PrimaryOptions, closers: Closers) {
  const { log, signal, onFailure, args } = options;
  const { dataDir, processes } = config;
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir, log, signal, onFailure, serviceProcesses: processes })
      : undefined;
  if (embedded !== undefined) closers.push(() => embedded.stop());
  const share: MachineShare = { part: 1 };
  const registry = new Registry();
  const replaced = createReplacementCounter(registry);
  const metrics = createMetricsSum();
  const port = config.port === 0 ? await findFreePort(config.host) : config.port;
  const shared = createSharedState(share);
  let isComplete = false;
  const supervisor: Supervisor = createSupervisor({
    processes,
    program: fileURLToPath(new URL('./worker-main.js', import.meta.url)),
    args,
    log,
    answersTo: (process) => ({
      ...shared.answersTo(process, () => supervisor.running()),
      assign: () => ({ index: process.index, processes, port, database: embedded?.address }),
      findMissing: async () => (isComplete ? await findMissing(supervisor.running()) : ['the service is starting']),
      readMetrics: () => metrics.read(supervisor.running().map(metricsOf), registry),
    }),
    onEnd(process) {
      shared.end(process);
      void metrics.end(process.id);
    },
    onReplaced(process) {
      replaced();
      void process.calls.call('setComplete').catch(() => undefined);
    },
    onExhausted: onFailure,
  });
  closers.push(() => supervisor.stop());
  const giveUp = () => void supervisor.stop().catch(() => undefined);
  signal.addEventListener('abort', giveUp);
  const first = await supervisor.start();
  isComplete = true;
  for (const { calls } of supervisor.running()) void calls.call('setComplete').catch(() => undefined);
  const sql = connectDatabase(config.databaseUrl ?? embedded?.address ?? '', { maxConnections: 1 });
  closers.push(() => sql.end({ timeout: 5 }));
  closers.push(startShareWatch({ sql, processes, share }).stop);
  log.info({ processes }, `${processes} processes are up`);
  return first;
}

/** What all processes share: limits, places and codes. */
function createSharedState(share: MachineShare) {
  const buckets = createTokenBuckets(() => performance.now(), share);
  const places = createExportPlaces();
  const codes = createSignInCodes({ now: Date.now, randomBytes });
  /** By their numbers. */
  const exports = new Map<number, { readonly customerId: bigint; readonly process: number }>();
  let lastExport = 0;
  const leave = (place: number): void => {
    const taken = exports.get(place);
    if (taken === undefined) return;
    exports.delete(place);
    places.leave(taken.customerId);
  };
  return {
    answersTo: (process: WorkerProcess, running: () => readonly WorkerProcess[]) =>
      ({
        drawTokens: buckets.draw,
        noteGuess: (address) => void tellOthers(process, running(), (other) => other.calls.call('noteGuess', address)),
        enterExport(customerId) {
          const refusal = places.enter(customerId);
          if (refusal !== undefined) return refusal;
          lastExport += 1;
          exports.set(lastExport, { customerId, process: process.id });
          return lastExport;
        },
        leaveExport: leave,
        issueCode: codes.issue,
        redeemCode: codes.redeem,
        refreshOthers: () =>
          tellOthers(process, running(), (other) => within(REFRESH_LIMIT_MS, other.calls.call('refreshSnapshot'))),
      }) satisfies Partial<PrimaryCalls>,
    end(process: WorkerProcess): void {
      for (const [place, taken] of exports) if (taken.process === process.id) leave(place);
    },
  };
}

/** A worker that does not answer or fails reads the configuration a second later. */
async function tellOthers(
  sender: WorkerProcess,
  running: readonly WorkerProcess[],
  tell: (other: WorkerProcess) => Promise<unknown>,
): Promise<void> {
  await Promise.allSettled(running.filter(({ id }) => id !== sender.id).map(tell));
}

async function findMissing(running: readonly WorkerProcess[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    running.map(async ({ index, calls }) => {
      const missing = await within(READY_LIMIT_MS, calls.call('findMissing')).catch(() => ['it does not answer']);
      return { index, missing };
    }),
  );
  // What all of them lack is said once.
  const isCommon = (what: string) => answers.every(({ missing }) => missing.includes(what));
  const lines = answers.flatMap(({ index, missing }) =>
    missing.map((what) => (isCommon(what) ? what : `process ${index + 1}: ${what}`)),
  );
  return [...new Set(lines)];
}

function metricsOf({ id, calls }: WorkerProcess) {
  return { id, read: () => within(METRICS_LIMIT_MS, calls.call('readMetrics')) };
}

async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  const limit = new AbortController();
  const late = sleep(limitMs, undefined, { signal: limit.signal, ref: false }).then(() => {
    throw new Error('no answer in time');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    limit.abort();
  }
}

/** All workers must listen on the same one, also those that come later. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
