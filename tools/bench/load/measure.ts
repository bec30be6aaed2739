// One load from its first request to its last receipt.

import { type Bench, scaleSize } from '../bench.js';
import type { Figures } from '../figures.js';
import { startMeter } from '../lab/meter.js';
import type { BenchService } from '../lab/service.js';
import { waitUntilDone } from './completion.js';
import { createRequests, type RequestOrder } from './requests.js';
import { sendRequests } from './send.js';

export interface Load extends Omit<RequestOrder, 'isSent'> {
  readonly connections: number;
}

export async function measureLoad(bench: Bench, service: BenchService, load: Load): Promise<Figures> {
  const { signal } = bench;
  const requests = createRequests({ ...load, isSent: true });
  const numbers = load.tasks * load.numbersPerTask;
  const stopMeter = await startMeter(service);
  const startedMs = performance.now();
  await sendRequests(requests, {
    url: service.url,
    connections: load.connections,
    signal,
    onAnswer: (answered) => bench.progress(`accepted ${answered} of ${load.tasks} tasks`),
  });
  bench.progress(`waiting for the receipts of ${numbers.toLocaleString('en')} numbers`);
  await waitUntilDone(service.sql, signal);
  const elapsedMs = performance.now() - startedMs;
  return { numbers_per_s: (numbers * 1000) / elapsedMs, ...(await stopMeter(numbers)) };
}

/** What runs for the first time runs slowly. */
export async function warmUp(
  bench: Bench,
  service: BenchService,
  load: Omit<Load, 'tasks' | 'numbersPerTask'>,
): Promise<void> {
  bench.progress('warming up');
  await measureLoad(bench, service, { ...load, tasks: 4, numbersPerTask: Math.min(5000, scaleSize(bench, 2500, 25)) });
  await measureLoad(bench, service, { ...load, tasks: scaleSize(bench, 500, 10), numbersPerTask: 1 });
}
