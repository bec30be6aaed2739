// Bulk sending with and without a webhook for every receipt: the cost of push, and whether it keeps up.

import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import type { Figures } from '../figures.js';
import { addCustomers, type BenchCustomer } from '../lab/customers.js';
import { addChannel } from '../lab/lab.js';
import { startMeter } from '../lab/meter.js';
import { type BenchReceiver, startBenchReceiver } from '../lab/receiver.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { waitUntilDone } from '../load/completion.js';
import { createRequests } from '../load/requests.js';
import { sendRequests } from '../load/send.js';
import { meanOf } from '../load/turns.js';

const NUMBERS = 50_000;
const NUMBERS_PER_TASK = 5000;
const CONNECTIONS = 4;
/** Of each kind, taking turns, so that what else the machine does meets both. */
const ROUNDS = 3;
const POLL_MS = 25;

export const push: Scenario = {
  name: 'push',
  summary: 'bulk sending with and without a webhook that gets every receipt',
  usualS: 75,
  async run(bench) {
    bench.title('Push: bulk over the simulator, from the first request to the last receipt, and to the webhook');
    const receiver = await startBenchReceiver();
    const service = await startBenchService(bench.signal).catch(async (error: unknown) => {
      await receiver.stop();
      throw error;
    });
    try {
      await measurePush(bench, service, receiver);
    } finally {
      bench.progress('stopping the service');
      await service.stop();
      await receiver.stop();
    }
  },
};

async function measurePush(bench: Bench, service: BenchService, receiver: BenchReceiver): Promise<void> {
  const channelNo = await addChannel(service, { kind: 'simulator', firm: 'simulator', config: {} });
  const [silent, pushed] = await addCustomers(service, { count: 2, channelNos: [channelNo], ...bench });
  if (silent === undefined || pushed === undefined) throw new Error('A customer is missing.');
  await pushed.client.createWebhook({ url: receiver.url, events: ['receipts'] });
  const rounds: Record<'silent' | 'pushed', Figures[]> = { silent: [], pushed: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures = await measureRound(bench, service, silent);
    const pushedFigures = await measureRound(bench, service, pushed, receiver);
    // What runs for the first time runs slowly.
    if (round === 0) continue;
    rounds.silent.push(figures);
    rounds.pushed.push(pushedFigures);
  }
  const { numbers_per_s: alone = 0, ...silentCosts } = meanOf(rounds.silent);
  const { numbers_per_s = 0, ...pushedCosts } = meanOf(rounds.pushed);
  const size = `${scaleSize(bench, NUMBERS).toLocaleString('en')} numbers, the mean of ${ROUNDS}`;
  const silentFigures = { numbers_per_s: alone, ...silentCosts };
  bench.record({ key: 'push.silent', label: `without a webhook, ${size}`, figures: silentFigures });
  const pushedFigures = { numbers_per_s, ...pushedCosts };
  bench.record({ key: 'push.told', label: `until the webhook had all, ${size}`, figures: pushedFigures });
}

/** One load; with a receiver, until that has got all of it. */
async function measureRound(
  bench: Bench,
  service: BenchService,
  customer: BenchCustomer,
  receiver?: BenchReceiver,
): Promise<Figures> {
  const { signal } = bench;
  const numbers = scaleSize(bench, NUMBERS);
  const numbersPerTask = Math.min(NUMBERS_PER_TASK, numbers);
  const tasks = Math.ceil(numbers / numbersPerTask);
  const requests = createRequests({ customers: [customer], tasks, numbersPerTask, firm: 'simulator', isSent: true });
  const receivedBefore = (await receiver?.countReceived()) ?? 0;
  const stopMeter = await startMeter(service);
  const startedMs = performance.now();
  await sendRequests(requests, { url: service.url, connections: CONNECTIONS, signal });
  bench.progress(`waiting for the receipts of ${numbers.toLocaleString('en')} numbers`);
  await waitUntilDone(service.sql, signal);
  if (receiver !== undefined) await waitUntilReceived(receiver, receivedBefore + tasks * numbersPerTask, signal);
  const elapsedMs = performance.now() - startedMs;
  return { numbers_per_s: (tasks * numbersPerTask * 1000) / elapsedMs, ...(await stopMeter(tasks * numbersPerTask)) };
}

async function waitUntilReceived(receiver: BenchReceiver, wanted: number, signal: AbortSignal): Promise<void> {
  while ((await receiver.countReceived()) < wanted) await delay(POLL_MS, undefined, { signal });
}
