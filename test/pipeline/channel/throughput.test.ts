// How much of a carrier is used, by the whole service over real sockets: from accepted tasks to answers in the database.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MessageCentre, startMessageCentre } from '../../../src/smsc/message-centre.js';
import { type Service, type ServiceCustomer, startService, until } from '../../support/service.js';
import { tell } from '../../support/tell.js';

const WINDOW = 100;
const MAX_TASK = 5000;

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
  await until(async () => (await operator.channel(channel_no)).health.state === 'up');
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

/** Parts a second that the carrier accepts, once it has accepted so many, over the next so many. */
async function measureRate({ centre }: Connected, after: number, over: number): Promise<number> {
  const accepted = () => centre.counts().accepted;
  await until(() => accepted() >= after);
  const [from, startedAt] = [accepted(), performance.now()];
  await until(() => accepted() >= from + over);
  return ((accepted() - from) * 1000) / (performance.now() - startedAt);
}

/** Parts that a crash at this moment would leave unknown. */
async function countIntended(): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from chunk, generate_series(0, length(part_states) - 1) as at
    where get_byte(part_states, at) = 1`;
  return row?.count ?? 0;
}

/** The most of them, looked at again and again while something goes on. */
async function watchIntended(going: Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  void going.finally(() => {
    isOver = true;
  });
  await until(async () => {
    most = Math.max(most, await countIntended());
    return isOver;
  });
  return most;
}

test.each([
  { answerMs: 300, share: 0.85, count: 3000 },
  { answerMs: 50, share: 0.7, count: 15_000 },
])('a window of 100 with answers after $answerMs ms is used to $share of what it could carry', async (given) => {
  const { answerMs, share, count } = given;
  const connected = await connect({ answerMs });
  const possible = (WINDOW * 1000) / answerMs;
  await sendNumbers(connected.customer, count);
  const measuring = measureRate(connected, count / 5, count / 2);
  const mostIntended = await watchIntended(measuring);
  const rate = await measuring;
  tell(`${rate.toFixed(0)} parts/s of ${possible.toFixed(0)}, at most ${mostIntended} uncertain`);
  expect(mostIntended).toBeLessThanOrEqual(WINDOW);
  expect(rate / possible).toBeGreaterThanOrEqual(share);
});

test('a carrier that throttles a random quarter is not used at a trickle, and nothing is lost or doubled', async () => {
  const connected = await connect({ answerMs: 50, throttleRate: 0.25 });
  const { centre, customer } = connected;
  const count = 3000;
  const [task = ''] = await sendNumbers(customer, count);
  const rate = await measureRate(connected, 0, count);
  tell(`${rate.toFixed(0)} parts/s of 1500`);
  expect((await customer.completed(task)).counts).toMatchObject({ total: count, delivered: count });
  const { accepted, doubled, throttled } = centre.counts();
  expect([accepted, doubled, throttled > count / 5]).toEqual([count, 0, true]);
  // What the window carries of those that are not turned away, and the share of it that even a busy machine leaves.
  expect(rate / 1500).toBeGreaterThanOrEqual(0.25);
});

test('a carrier that throttles above 200 parts a second is used at no less than 190', async () => {
  const connected = await connect({ answerMs: 20, throttleAbove: 200 });
  await sendNumbers(connected.customer, 5000);
  const rate = await measureRate(connected, 1000, 2000);
  tell(`${rate.toFixed(0)} parts/s of 200`);
  expect(rate).toBeGreaterThanOrEqual(190);
});
