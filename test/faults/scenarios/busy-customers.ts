// Two customers that send a little more than a channel carries, and a third whose task is submitted by a call, so that nothing hints
// the loader at its queue. It gets its turn while the others go on.

import { setTimeout as sleep } from 'node:timers/promises';
import { createChannels, createPhones, createSender, type Sender } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { expectSoon, type Scenario } from './scenario.js';

const RATE = 100;
const BACKLOG = 4000;
const RULE = 'a waiting customer gets its turn beside busy ones';

export const busyCustomers: Scenario = async ({ startService }) => {
  const service = await startService();
  const wish = { name: 'Slow', kind: 'simulator', config: {}, partsPerSecond: RATE } as const;
  const channelNos = await createChannels(service.url, [wish]);
  const add = (name: string) => createSender(service.url, channelNos, { name });
  const busy = [await add('One'), await add('Two')];
  const waiting = await add('Waiting');
  let next = 0;
  const phonesOf = (count: number): string[] => {
    next += count;
    return createPhones(count, next - count);
  };
  const sendTo = ({ templateNo, at }: Sender, count: number, auto_submit = true) =>
    at(service.url).send({ template_no: templateNo, phones: phonesOf(count), auto_freeze: true, auto_submit });
  const client = waiting.at(service.url);
  const { task_no: taskNo } = await sendTo(waiting, 1, false);
  await until('it is frozen', async () => (await client.task(taskNo)).accounting_state === 'frozen');
  const stopping = new AbortController();
  const keepBusy = async (sender: Sender): Promise<void> => {
    while (!stopping.signal.aborted) {
      void sendTo(sender, 1).catch(() => undefined);
      await sleep(1000 / RATE);
    }
  };
  try {
    const backlogs = await Promise.all(busy.map((sender) => sendTo(sender, BACKLOG)));
    const pouring = busy.map(keepBusy);
    const unsentOf = async (at: number) =>
      (await busy[at]?.at(service.url).task(backlogs[at]?.task_no ?? ''))?.counts.unsent ?? 0;
    await until('the others are at work', async () => BACKLOG - (await unsentOf(0)) > 3 * RATE);
    await client.submitTask(taskNo);
    const broken = await expectSoon(
      RULE,
      async () => (await client.task(taskNo)).stage === 'completed',
      async () => `it is ${(await client.task(taskNo)).stage}; the others have ${await unsentOf(0)} and more to send`,
    );
    stopping.abort();
    await Promise.all(pouring);
    return broken;
  } finally {
    stopping.abort();
  }
};
