// Two customers that send a little more than a channel carries, and a third whose chunk is queued without a hint to the loader: by a call
// of `submit/`, as by `resume/`, a top-up or another process. It gets its turn while they go on.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ maxConnections: 10 });
});
afterAll(() => service.stop());

let next = 13_810_000_000;
const newPhone = () => String(next++);

for (const { rate, backlog } of [
  { rate: 40, backlog: 1500 },
  { rate: 100, backlog: 4000 },
])
  test(`a task that is submitted by a call does not wait for busy customers, at ${rate} parts a second`, async () => {
    const channelNo = await service.addChannel(['cmcc'], { test_numbers: false }, rate);
    const add = () => service.addCustomer({ channelNos: [channelNo] });
    const [one, two, third] = [await add(), await add(), await add()];
    const stopping = new AbortController();
    const keepBusy = async (customer: ServiceCustomer): Promise<void> => {
      while (!stopping.signal.aborted) {
        void customer.send([newPhone()]).catch(() => undefined);
        await sleep(1000 / (0.6 * rate));
      }
    };
    const task = await third.send([newPhone()], { auto_submit: false });
    await third.taskWhen(task.task_no, ({ accounting_state }) => accounting_state === 'frozen');
    const backlogs = [one, two].map((customer) => customer.send(Array.from({ length: backlog }, newPhone)));
    const [, other] = await Promise.all(backlogs);
    const pouring = [keepBusy(one), keepBusy(two)];
    try {
      await two.taskWhen(other?.task_no ?? '', ({ counts }) => backlog - counts.unsent >= 3 * rate);
      await third.client.submitTask(task.task_no);
      await third.completed(task.task_no);
      const { counts } = await two.client.task(other?.task_no ?? '');
      expect(counts.unsent, 'the others have more to send').toBeGreaterThan(0);
    } finally {
      stopping.abort();
      await Promise.all(pouring);
    }
  }, 120_000);
