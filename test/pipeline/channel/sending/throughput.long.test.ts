// How much of a carrier is used, by the whole service over real sockets: from accepted tasks to answers in the database.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MessageCentre, startMessageCentre } from '../../../../tools/message-centre/message-centre.js';
import { type Service, type ServiceCustomer, startService } from '../../../support/service.js';
import { tell } from '../../../support/tell.js';
import { until } from '../../../support/until.js';

const WINDOW = 100;
const MAX_TASK = 5000;
const LOOK_MS = 100;

/**
 * Tells a carrier in use from a trickle, on however busy a machine. The rates of an idle machine are printed here and measured by
 * the bench; the pacer is tested in simulated time.
 */
const NO_TRICKLE = 0.1;

const closers: (() => Promise<unknown>)[] = [];
let service: Service;

beforeEach(async () => {
  service = await startService();
  closers.push(service.stop);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Connected {
  readonly centre: MessageCentre;
  readonly customer: ServiceCustomer;
}

/** A customer whose one channel leads to a message centre that behaves so. */
async function connect(setup: Parameters<typeof startMessageCentre>[0]): Promise<Connected> {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, ...setup });
  closers.push(() => centre.stop());
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'postrider', password: 'secret', window: WINDOW };
  const { operator } = service;
  const { channel_no } = await operator.createChannel({ name: 'Carrier', kind: 'smpp', firms: ['cmcc'], config });
  await until('the channel is up', async () => (await operator.channel(channel_no)).health.state === 'up');
  return { centre, customer: await service.addCustomer({ channelNos: [channel_no], balance: '100000' }) };
}

/** Sends so many numbers, in tasks as large as they may be. */
async function sendNumbers(customer: ServiceCustomer, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, at) => String(13_900_000_000 + at));
  const tasks: string[] = [];
  for (let at = 0; at < count; at += MAX_TASK) {
    tasks.push((await customer.send(numbers.slice(at, at + MAX_TASK))).task_no);
  }
  return tasks;
}

/** Parts a second that reach the carrier, over so many of them. */
async function measureRate({ centre }: Connected, parts: number): Promise<number> {
  const submitted = () => centre.counts().accepted;
  const before = submitted();
  // From the moment that something comes to the moment that something comes: what was answered together comes together.
  await until('a part', () => submitted() > before);
  const [from, startedAt] = [submitted(), performance.now()];
  await until(`${parts} more`, () => submitted() >= from + parts);
  return ((submitted() - from) * 1000) / (performance.now() - startedAt);
}

/** Of some stretches in a row the best: a busy machine makes some of them slower, and nothing makes one faster than it can be. */
async function measureBest(connected: Connected, parts: number, stretches: number, enough: number): Promise<number> {
  let best = 0;
  for (let stretch = 0; stretch < stretches && best < enough; stretch++) {
    best = Math.max(best, await measureRate(connected, parts));
  }
  return best;
}

/** Parts that a crash at this moment would leave unknown. */
async function countIntended(): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from chunk, generate_series(0, length(part_states) - 1) as at
    where position('\\x01'::bytea in part_states) > 0 and get_byte(part_states, at) = 1`;
  return row?.count ?? 0;
}

/** The most of them, looked at from time to time while something goes on: often enough, and not so often that it slows it down. */
async function watchIntended(going: Promise<unknown>): Promise<number> {
  const looks: number[] = [];
  const timer = setInterval(async () => looks.push(await countIntended()), LOOK_MS);
  await going.finally(() => clearInterval(timer));
  return Math.max(...looks);
}

test.each([300, 50])(
  'a backlog fills a window of 100, and never exceeds it, with answers after %i ms',
  async (answerMs) => {
    const connected = await connect({ answerMs });
    const possible = (WINDOW * 1000) / answerMs;
    const stretch = 2 * possible;
    await sendNumbers(connected.customer, Math.ceil(4 * stretch));
    const measuring = measureBest(connected, stretch, 3, possible);
    const mostIntended = await watchIntended(measuring);
    const rate = await measuring;
    tell(`${rate.toFixed(0)} parts/s of ${possible.toFixed(0)}; at most ${mostIntended} uncertain`);
    expect(mostIntended).toBeLessThanOrEqual(WINDOW);
    // Two places are reserved for newcomers.
    expect(mostIntended).toBeGreaterThanOrEqual(0.9 * WINDOW);
    expect(rate / possible).toBeGreaterThanOrEqual(NO_TRICKLE);
  },
);

test('a carrier that throttles a random quarter is not used at a trickle, and nothing is lost or doubled', async () => {
  const connected = await connect({ answerMs: 50, throttleRate: 0.25 });
  const { centre, customer } = connected;
  const count = 3000;
  const [task = ''] = await sendNumbers(customer, count);
  const rate = await measureRate(connected, count - WINDOW);
  tell(`${rate.toFixed(0)} parts/s of 1500`);
  expect((await customer.completed(task)).counts).toMatchObject({ total: count, delivered: count });
  const { accepted, doubled, throttled } = centre.counts();
  expect([accepted, doubled, throttled > count / 5]).toEqual([count, 0, true]);
  expect(rate / 1500).toBeGreaterThanOrEqual(NO_TRICKLE);
});

test('a carrier that throttles above 200 parts a second is sent little more, and not a trickle', async () => {
  const connected = await connect({ answerMs: 20, throttleAbove: 200 });
  await sendNumbers(connected.customer, 5000);
  const rate = await measureBest(connected, 1000, 3, 190);
  const { accepted, throttled } = connected.centre.counts();
  const share = throttled / (accepted + throttled);
  tell(`${rate.toFixed(0)} parts/s of 200, ${(100 * share).toFixed(1)} % throttled`);
  expect(rate / 200).toBeGreaterThanOrEqual(NO_TRICKLE);
  // Without a pace the window would be sent again and again: more than nine of ten parts would be throttled.
  expect(share).toBeLessThan(0.5);
});
