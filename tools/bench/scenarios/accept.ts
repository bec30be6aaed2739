// Acceptance only: durable, answered after the commit, and not prepared.

import { type Scenario, scaleSize } from '../bench.js';
import { startMeter } from '../lab/meter.js';
import { createRequests } from '../load/requests.js';
import { pickPercentile, sendRequests } from '../load/send.js';

const REQUESTS = 20_000;
const CONNECTIONS = 64;

export const accept: Scenario = {
  name: 'accept',
  summary: 'one-number requests that are accepted and left alone, over 64 connections',
  usualS: 20,
  async run(bench) {
    bench.title('Accept alone: one-number requests, committed before they are answered, not prepared');
    const { service, customers } = await bench.lab();
    const tasks = scaleSize(bench, REQUESTS, 200);
    const order = { customers: await customers(1), numbersPerTask: 1, firm: 'simulator', isSent: false };
    const options = { url: service.url, connections: CONNECTIONS, signal: bench.signal };
    await sendRequests(createRequests({ ...order, tasks: Math.ceil(tasks / 10) }), options);
    const requests = createRequests({ ...order, tasks });
    const stopMeter = await startMeter(service);
    const onAnswer = (answered: number) => bench.progress(`accepted ${answered} of ${tasks}`);
    const { elapsedMs, latenciesMs } = await sendRequests(requests, { ...options, onAnswer });
    const costs = await stopMeter(tasks);
    bench.record({
      key: 'accept',
      label: `${tasks.toLocaleString('en')} requests over ${CONNECTIONS} connections`,
      figures: {
        requests_per_s: (tasks * 1000) / elapsedMs,
        p50_ms: pickPercentile(latenciesMs, 50) ?? 0,
        p99_ms: pickPercentile(latenciesMs, 99) ?? 0,
        ...costs,
      },
    });
  },
};
