// The same messages through Kannel to the same message centre, where Kannel is installed. It asks for no receipts and
// syncs nothing to the disk.

import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { type BenchCentre, startBenchCentre } from '../lab/centre.js';
import { findKannel, type Kannel, startKannel } from '../lab/kannel.js';

const MESSAGES = 10_000;
const CONNECTIONS = 64;
const POLL_MS = 50;
const FIRST_NUMBER = 8_613_100_000_000;

export const kannel: Scenario = {
  name: 'kannel',
  summary: 'the same messages through Kannel, where it is installed',
  usualS: 20,
  async run(bench) {
    bench.title('Kannel with a spool store, the same message centre');
    const programs = await findKannel();
    if (programs === undefined) {
      bench.remark('bearerbox and smsbox are not on the PATH: not measured');
      return;
    }
    const centre = await startBenchCentre();
    try {
      bench.progress('starting Kannel');
      const running = await startKannel(programs, centre.port, bench.signal);
      try {
        await sendAll(bench, running, centre, scaleSize(bench, MESSAGES / 10, 20));
        bench.record(await measure(bench, running, centre));
      } finally {
        await running.stop();
      }
    } finally {
      await centre.stop();
    }
  },
};

async function measure(bench: Bench, running: Kannel, centre: BenchCentre) {
  const messages = scaleSize(bench, MESSAGES, 100);
  const { acceptedMs, handedOverMs } = await sendAll(bench, running, centre, messages);
  return {
    key: 'kannel',
    label: `${messages.toLocaleString('en')} messages over ${CONNECTIONS} connections`,
    figures: { messages_per_s: (messages * 1000) / handedOverMs, requests_per_s: (messages * 1000) / acceptedMs },
  };
}

async function sendAll(bench: Bench, { sendUrl }: Kannel, centre: BenchCentre, messages: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const text = encodeURIComponent('Hello Ann, your parcel is on its way and arrives today.');
  const before = await centre.countAccepted();
  let next = 0;
  const startedMs = performance.now();
  const sendSome = async () => {
    while (next < messages) {
      next += 1;
      bench.signal.throwIfAborted();
      await request(`${sendUrl}&from=1069&to=%2B${FIRST_NUMBER + next}&text=${text}`, agent);
      bench.progress(`Kannel: accepted ${next} of ${messages}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
  const acceptedMs = performance.now() - startedMs;
  agent.destroy();
  for (let handedOver = 0; handedOver < messages; ) {
    await delay(POLL_MS, undefined, { signal: bench.signal });
    handedOver = (await centre.countAccepted()) - before;
    bench.progress(`Kannel: handed over ${handedOver} of ${messages}`);
  }
  return { acceptedMs, handedOverMs: performance.now() - startedMs };
}

/** An accepted message is answered with 202. */
function request(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      answer.resume();
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 202 ? resolve() : reject(new Error(`Kannel answered with status ${answer.statusCode}.`)),
      );
    }).on('error', reject);
  });
}
