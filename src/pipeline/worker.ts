// The worker role: the loops that move tasks on.

import type { Log } from '../domain/log.js';
import type { Region } from '../domain/phone.js';
import { auditLastEntries } from '../store/audit-money.js';
import type { Sql } from '../store/connect.js';
import { ensurePartitions } from '../store/partitions.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { type LoopOptions, runLoop } from './loop.js';
import { makePreparer } from './prepare.js';
import type { Recorder } from './recorder.js';
import { refreezeRound } from './refreeze.js';
import { sweepRound } from './sweep.js';
import type { Wake } from './wake.js';

export interface WorkerOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly recorder: Recorder;
  readonly wake: Wake;
  readonly log: Log;
  readonly setImbalances: (count: number) => void;
}

const POLL_MS = 1000;
const PREPARE_INTERVAL_MS = 8;
const SWEEP_MS = 500;
const UPKEEP_MS = 60_000;

export function startWorker(options: WorkerOptions): { stop(): Promise<void> } {
  const { wake, log } = options;
  const stopping = new AbortController();
  const loop = (name: string, how: Pick<LoopOptions, 'topic' | 'pollMs' | 'minIntervalMs' | 'step'>) =>
    runLoop({ name, wake, log, signal: stopping.signal, ...how });
  const loops = [
    loop('preparing', {
      topic: 'prepare',
      pollMs: POLL_MS,
      minIntervalMs: PREPARE_INTERVAL_MS,
      step: makePreparer(options),
    }),
    loop('freezing again', { topic: 'refreeze', pollMs: POLL_MS, step: () => refreezeRound(options) }),
    loop('sweeping', { topic: 'sweep', pollMs: SWEEP_MS, step: () => sweepRound(options) }),
    loop('upkeep', { topic: 'upkeep', pollMs: UPKEEP_MS, step: () => keepUp(options) }),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

/** Partitions of the months ahead, and the quick proof that the money adds up. */
async function keepUp({ sql, log, setImbalances }: WorkerOptions): Promise<boolean> {
  await ensurePartitions(sql, new Date());
  const imbalances = await auditLastEntries(sql);
  setImbalances(imbalances.length);
  if (imbalances.length > 0) log.error({ imbalances }, 'the money does not add up; run: postrider audit');
  return false;
}
