// The memory of the service with a million numbers queued on ten channels that all work at full speed.

import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { addCustomers } from '../lab/customers.js';
import { addChannel } from '../lab/lab.js';
import { sampleMemory } from '../lab/memory.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { waitUntilDone } from '../load/completion.js';
import { createRequests } from '../load/requests.js';
import { sendRequests } from '../load/send.js';

const NUMBERS = 1_000_000;
const CHANNELS = 10;
const NUMBERS_PER_TASK = 5000;
const WATCHED_S = 60;
const SAMPLE_MS = 500;

export const memory: Scenario = {
  name: 'memory',
  summary: 'resident memory of the service with a million numbers queued on ten busy channels',
  usualS: 75,
  async run(bench) {
    const numbers = scaleSize(bench, NUMBERS, CHANNELS * 100);
    bench.title(`Memory of the service, ${numbers.toLocaleString('en')} numbers queued on ${CHANNELS} busy channels`);
    const service = await startBenchService(bench.signal);
    try {
      await watchMemory(bench, service, numbers);
    } finally {
      bench.progress('stopping the service');
      await service.stop();
    }
  },
};

async function watchMemory(bench: Bench, service: BenchService, numbers: number): Promise<void> {
  const samples = sampleMemory(service.pid);
  const tasks = Math.ceil(numbers / CHANNELS / NUMBERS_PER_TASK);
  const numbersPerTask = Math.min(NUMBERS_PER_TASK, Math.ceil(numbers / CHANNELS));
  for (let channel = 1; channel <= CHANNELS; channel += 1) {
    const firm = `simulator-${channel}`;
    const channelNo = await addChannel(service, { kind: 'simulator', firm, config: {} });
    const customers = await addCustomers(service, { count: 1, channelNos: [channelNo], ...bench });
    const requests = createRequests({ customers, tasks, numbersPerTask, firm, isSent: true });
    await sendRequests(requests, { url: service.url, connections: 4, signal: bench.signal });
    bench.progress(`queued ${(tasks * numbersPerTask * channel).toLocaleString('en')} numbers`);
    await samples.take();
  }
  const endMs = performance.now() + scaleSize(bench, WATCHED_S, 2) * 1000;
  while (performance.now() < endMs && !(await waitUntilDone(service.sql, bench.signal, 0))) {
    const taken = await samples.take();
    bench.progress(`memory: ${taken?.toFixed(0) ?? '?'} MB`);
    await delay(SAMPLE_MS, undefined, { signal: bench.signal });
  }
  const figures = samples.figures();
  if (figures.highest_mb === undefined) bench.remark('the memory of a process cannot be read here');
  else bench.record({ key: 'memory', label: 'resident memory', figures });
}
