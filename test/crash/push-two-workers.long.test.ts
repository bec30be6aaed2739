// Two processes share the webhooks of one database. One of them dies in the middle of a call: the other goes on where it was,
// with the same message, and nothing is missed or pushed out of order.

import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { awaitOutcomes, createChannels, createSender, sendNumbers } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { answerOk, type Receiver, startReceiver } from '../support/network/receiver.js';
import { buildCode } from '../support/service-process.js';
import { spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const NUMBERS = 2000;
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
/** Where each receipt was pushed first. */
const pushedTo = (receiver: Receiver) => [
  ...new Set(receiver.accepted.flatMap(({ data }) => (data.items as Item[]).map(keyOf))),
];

test('two workers share endpoints by lease; one killed in a call leaves nothing behind', async () => {
  const database = await createTestDatabase();
  closers.push(database.drop);
  const env = { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' };
  const [doomed, heir] = [
    await spawnService({ databaseUrl: database.url, env }),
    await spawnService({ databaseUrl: database.url, env }),
  ];
  closers.push(() => Promise.all([doomed.end('SIGKILL'), heir.end('SIGKILL')]));
  onTestFailed(() => tell(heir.log()));
  const receivers = [await startReceiver(), await startReceiver(), await startReceiver(), await startReceiver()];
  closers.push(() => Promise.all(receivers.map((receiver) => receiver.kill())));
  const open = receivers.map(() => 0);
  let together = 0;
  for (const [at, receiver] of receivers.entries()) {
    const count = (change: number): number => {
      const now = (open[at] ?? 0) + change;
      open[at] = now;
      return now;
    };
    // Calls hang, so that a process that makes some dies in the middle of them.
    receiver.behave((response) => {
      together = Math.max(together, count(1));
      response.on('close', () => count(-1));
    });
  }
  const config = { answer_ms: 1, receipt_ms: 5, test_numbers: false };
  const channels = await createChannels(heir.url, [{ name: 'Simulator', kind: 'simulator', config }]);
  const sender = await createSender(heir.url, channels, { name: 'Busy' });
  for (const { url } of receivers) await sender.at(heir.url).createWebhook({ url, events: ['receipts'] });
  await sendNumbers(heir.url, sender, { count: NUMBERS, taskSize: 500, name: 'two' });
  // Before the process dies: what it has on the wire then would be unknown, without a receipt.
  await awaitOutcomes(database.sql, NUMBERS);
  await until('a call to each', () => open.every((calls) => calls > 0), 120_000);
  const firstIds = receivers.map(({ calls }) => calls[0]?.id);
  await doomed.end('SIGKILL');
  // Two processes, and yet one call at a time to each endpoint: the lease holds.
  expect(together).toBe(1);
  for (const receiver of receivers) receiver.behave(answerOk);

  const listed: string[] = [];
  for await (const receipt of sender.at(heir.url).receipts()) listed.unshift(keyOf(receipt));
  expect(listed).toHaveLength(NUMBERS);
  for (const [at, receiver] of receivers.entries()) {
    await until('all was pushed', () => pushedTo(receiver).length === NUMBERS, 120_000);
    expect(pushedTo(receiver)).toEqual(listed);
    // The message that was under way comes again under its id.
    expect(receiver.accepted[0]?.id).toBe(firstIds[at]);
    const ids = receiver.accepted.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }
  expect(await heir.end('SIGTERM')).toBe(0);
}, 300_000);
