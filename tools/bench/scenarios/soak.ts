// Ten minutes of a steady load below what the service can do: it must keep up, and its memory must not grow.

import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { addCustomers } from '../lab/customers.js';
import { addChannel } from '../lab/lab.js';
import { sampleMemory } from '../lab/memory.js';
import { startMeter } from '../lab/meter.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { waitUntilDone } from '../load/completion.js';
import { createRequests } from '../load/requests.js';
import { pickPercentile, send } from '../load/send.js';

const CUSTOMERS = 20;
const NUMBERS_PER_S = 2500;
const NUMBERS_PER_TASK = 50;
const SECONDS = 600;
const ROUND_MS = 1000;
/** How long the rest may take after the last request, before it counts as left over. */
const PATIENCE_MS = 60_000;

export const soak: Scenario = {
  name: 'soak',
  summary: '20 customers on one channel, 2,500 numbers a second for ten minutes',
  usualS: 640,
  async run(bench) {
    const seconds = scaleSize(bench, SECONDS, 2);
    bench.title(`Soak: ${CUSTOMERS} customers, one channel, ${NUMBERS_PER_S} numbers/s offered for ${seconds} s`);
    const service = await startBenchService(bench.signal);
    try {
      await offer(bench, service, seconds);
    } finally {
      bench.progress('stopping the service');
      await service.stop();
    }
  },
};

async function offer(bench: Bench, service: BenchService, seconds: number): Promise<void> {
  const { signal } = bench;
  const channelNo = await addChannel(service, { kind: 'simulator', firm: 'simulator', config: {} });
  const customers = await addCustomers(service, { count: CUSTOMERS, channelNos: [channelNo], ...bench });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const samples = sampleMemory(service.pid);
  const stopMeter = await startMeter(service);
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  let offered = 0;
  const under = new Set<Promise<unknown>>();
  let fault: unknown;
  for (let second = 0; second < seconds && fault === undefined; second += 1) {
    const order = { customers, tasks: NUMBERS_PER_S / NUMBERS_PER_TASK, numbersPerTask: NUMBERS_PER_TASK };
    for (const request of createRequests({ ...order, firm: 'simulator', isSent: true })) {
      const sending = send(service.url, agent, request)
        .then((ms) => latenciesMs.push(ms))
        .catch((error: unknown) => {
          fault = error;
        })
        .finally(() => under.delete(sending));
      under.add(sending);
      offered += NUMBERS_PER_TASK;
    }
    const taken = await samples.take();
    const handled = await countReported(service);
    bench.progress(
      `soak: ${second + 1} of ${seconds} s, ${offered - handled} numbers under way, ${taken?.toFixed(0) ?? '?'} MB`,
    );
    await delay(Math.max(0, startedMs + (second + 1) * ROUND_MS - performance.now()), undefined, { signal });
  }
  await Promise.all(under);
  agent.destroy();
  if (fault !== undefined) throw fault;
  const offeredMs = performance.now();
  const leftOver = offered - (await countReported(service));
  bench.progress('waiting for the rest');
  const isDone = await waitUntilDone(service.sql, signal, PATIENCE_MS);
  if (!isDone) bench.remark(`${offered - (await countReported(service))} numbers were still under way a minute later`);
  const drainMs = performance.now() - offeredMs;
  const sorted = latenciesMs.sort((a, b) => a - b);
  bench.record({
    key: 'soak',
    label: `${offered.toLocaleString('en')} numbers`,
    figures: {
      left_over: leftOver,
      drain_s: drainMs / 1000,
      p99_ms: pickPercentile(sorted, 99) ?? Number.NaN,
      ...samples.figures(),
      ...(await stopMeter(offered)),
    },
  });
}

/** Reports that came back from the upstream, as the service itself counts them: no table is read for it. */
async function countReported({ url }: BenchService): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^postrider_feedback_total\{[^}]*event="report"[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
