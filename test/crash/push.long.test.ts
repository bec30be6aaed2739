// Push through crashes of both sides: the service and the receiver are killed in the middle of it, again and again, and in
// the end the receiver has got every receipt, in the order of the list.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { createRandom } from '../../tools/message-centre/fate.js';
import { awaitOutcomes, createChannels, createSender, sendNumbers } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { type Received, startReceiver } from '../support/network/receiver.js';
import { buildCode } from '../support/service-process.js';
import { spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const isCampaign = process.env.CAMPAIGN === 'full';
const NUMBERS = Number(process.env.CAMPAIGN_NUMBERS ?? (isCampaign ? 20_000 : 4000));
const KILLS = Number(process.env.CAMPAIGN_KILLS ?? (isCampaign ? 10 : 2));
const SEED = Number(process.env.CAMPAIGN_SEED ?? Date.now() % 1_000_000);
const LIMIT_MS = 180_000 + KILLS * 40_000;

const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Item {
  readonly task_no: string;
  readonly seq: number;
}
const keyOf = ({ task_no, seq }: Item) => `${task_no}/${seq}`;

/** Each message as it came first: one that comes again under its id says the same. */
function uniqueMessages(messages: readonly Received[]): Received[] {
  const byId = new Map<string, Received>();
  for (const message of messages) {
    const first = byId.get(message.id);
    if (first === undefined) byId.set(message.id, message);
    else expect(message.text).toBe(first.text);
  }
  return [...byId.values()];
}

test(
  `service and receiver killed ${KILLS} times each over ${NUMBERS} numbers, seed ${SEED}`,
  async () => {
    const random = createRandom(SEED);
    const database = await createTestDatabase();
    closers.push(database.drop);
    const options = { databaseUrl: database.url, env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } };
    let service = await spawnService(options);
    closers.push(() => service.end('SIGKILL'));
    onTestFailed(() => tell(service.log()));
    let receiver = await startReceiver();
    closers.push(() => receiver.kill());
    const { port, url } = receiver;
    const pushed: Received[] = [];
    const config = { answer_ms: 1, receipt_ms: 20, test_numbers: false };
    const channels = await createChannels(service.url, [{ name: 'Simulator', kind: 'simulator', config }]);
    const sender = await createSender(service.url, channels, { name: 'Busy' });
    await sender.at(service.url).createWebhook({ url, events: ['receipts', 'task.finished'] });
    await sendNumbers(service.url, sender, { count: NUMBERS, taskSize: 500, name: 'push' });

    for (let kill = 1; kill <= KILLS; kill++) {
      const mark = Math.floor((NUMBERS * (kill - 0.5)) / (KILLS + 1) / 500);
      const seen = () => pushed.length + receiver.accepted.length;
      await until('something was pushed', () => seen() >= Math.max(kill, mark), 120_000);
      // Once in the middle of an answer, so that the service cannot know whether it was heard.
      const cutOff: Received[] = [];
      receiver.behave((response, message) => {
        cutOff.push(message);
        response.socket?.destroy();
      });
      await sleep(random() * 200);
      await service.end('SIGKILL');
      // In the order in which they came: those that were cut off are the last.
      pushed.push(...receiver.accepted, ...cutOff);
      await receiver.kill();
      service = await spawnService(options);
      await sleep(random() * 200);
      receiver = await startReceiver({ port });
    }

    await awaitOutcomes(database.sql, NUMBERS);
    const all = () => uniqueMessages([...pushed, ...receiver.accepted]);
    const itemsOf = () =>
      all()
        .filter(({ type }) => type === 'receipts')
        .flatMap(({ data }) => data.items as Item[]);
    const [row] = await database.sql<{ count: number }[]>`select count(*)::int as count from receipt`;
    const count = row?.count ?? 0;
    await until('every receipt was pushed', () => new Set(itemsOf().map(keyOf)).size === count, 120_000);
    const listed: Item[] = [];
    for await (const receipt of sender.at(service.url).receipts()) listed.unshift(receipt);
    expect(listed).toHaveLength(count);
    // Each receipt where it was pushed first: in the order of the list, none missing.
    const first = [...new Set(itemsOf().map(keyOf))];
    expect(first).toEqual(listed.map(keyOf));
    const finished = await database.sql<{ count: number }[]>`
      select count(*)::int as count from task where completed_at is not null`;
    const ends = () =>
      new Set(
        all()
          .filter(({ type }) => type === 'task.finished')
          .map(({ data }) => data.task_no),
      );
    await until('every end was pushed', () => ends().size === finished[0]?.count, 60_000);
    const messages = all().length;
    tell(`push, seed ${SEED}: ${count} receipts in ${messages} messages, ${pushed.length} of them around a kill`);
    expect(await service.end('SIGTERM')).toBe(0);
  },
  LIMIT_MS,
);
