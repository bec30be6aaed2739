// A small customer behind a large one: how long its messages take from their acceptance to the upstream while half a
// million numbers of another customer wait for the same channel.

import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { startBenchCentre } from '../lab/centre.js';
import { addCustomers, type BenchCustomer } from '../lab/customers.js';
import { addChannel } from '../lab/lab.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { waitUntilDone } from '../load/completion.js';
import { createRequests } from '../load/requests.js';
import { pickPercentile, send, sendRequests } from '../load/send.js';

const BACKLOG = 500_000;
const NUMBERS_PER_TASK = 5000;
const MESSAGES = 200;
const GAP_MS = 100;
/** Until the last message has reached the upstream; a healthy service needs a fraction of it. */
const PATIENCE_MS = 30_000;

export const backlog: Scenario = {
  name: 'backlog',
  summary: "a small customer's messages behind 500,000 numbers of another on the same SMPP channel",
  usualS: 30,
  async run(bench) {
    const size = scaleSize(bench, BACKLOG, 1000);
    bench.title(`A small customer behind ${size.toLocaleString('en')} numbers of another, SMPP, one session`);
    bench.progress('starting a service and a message centre');
    const centre = await startBenchCentre();
    try {
      const service = await startBenchService(bench.signal);
      try {
        await measureBehind(bench, service, { port: centre.port, size });
      } finally {
        bench.progress('stopping the service');
        await service.stop();
      }
    } finally {
      await centre.stop();
    }
  },
};

async function measureBehind(
  bench: Bench,
  service: BenchService,
  { port, size }: { readonly port: number; readonly size: number },
): Promise<void> {
  const config = { host: '127.0.0.1', port, system_id: 'bench', password: 'bench', window: 100 };
  const channelNo = await addChannel(service, { kind: 'smpp', firm: 'smpp', config });
  const [large, small] = await addCustomers(service, { count: 2, channelNos: [channelNo], ...bench });
  if (large === undefined || small === undefined) throw new Error('A customer is missing.');
  const tasks = Math.ceil(size / NUMBERS_PER_TASK);
  const order = { numbersPerTask: Math.min(NUMBERS_PER_TASK, size), firm: 'smpp', isSent: true };
  await sendRequests(createRequests({ ...order, customers: [large], tasks }), {
    url: service.url,
    connections: 4,
    signal: bench.signal,
    onAnswer: (answered) => bench.progress(`backlog: accepted ${answered} of ${tasks} tasks`),
  });
  const messages = scaleSize(bench, MESSAGES, 10);
  await sendOneByOne(bench, service, small, messages);
  const isOver = await waitUntilDone(service.sql, bench.signal, 0);
  const waits = await readWaits(bench, small, messages);
  bench.record({
    key: 'backlog',
    label: `${messages} messages, one each ${GAP_MS} ms, acceptance to upstream`,
    figures: {
      p99_ms: pickPercentile(waits, 99) ?? Number.NaN,
      p50_ms: pickPercentile(waits, 50) ?? Number.NaN,
      longest_ms: waits.at(-1) ?? Number.NaN,
    },
  });
  if (isOver) bench.remark('the backlog was gone before the last message: the sizes are too small for this figure');
}

async function sendOneByOne(bench: Bench, service: BenchService, small: BenchCustomer, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const requests = createRequests({ customers: [small], tasks: count, numbersPerTask: 1, firm: 'smpp', isSent: true });
  let sent = 0;
  for (const request of requests) {
    await send(service.url, agent, request);
    sent += 1;
    bench.progress(`sent ${sent} of ${count} messages behind the backlog`);
    await delay(GAP_MS, undefined, { signal: bench.signal });
  }
  agent.destroy();
}

/** The id of a task tells when it was accepted, that of a submit record when it went on the wire. Shortest first. */
async function readWaits(bench: Bench, small: BenchCustomer, count: number): Promise<number[]> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const acceptedAt = new Map<string, number>();
    for await (const task of small.client.tasks({ pageSize: 100 }))
      acceptedAt.set(task.task_no, Date.parse(task.created_at));
    const waits: number[] = [];
    for await (const record of small.client.submits({ pageSize: 100 })) {
      waits.push(Date.parse(record.submitted_at) - (acceptedAt.get(record.task_no) ?? Number.NaN));
    }
    if (waits.length >= count || performance.now() > deadlineMs) {
      if (waits.length < count)
        bench.remark(`${count - waits.length} of ${count} messages had not reached the upstream`);
      return waits.sort((a, b) => a - b);
    }
    await delay(500, undefined, { signal: bench.signal });
  }
}
