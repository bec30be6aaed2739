// Who speaks for a channel.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function readLease(channelNo: string): Promise<{ token: number; expiresAt: Date }> {
  const [row] = await service.sql<{ token: number; expiresAt: Date }[]>`
    select token::int, expires_at as "expiresAt"
    from channel_heartbeat join channel using (channel_id) where channel_no = ${channelNo}`;
  return row ?? { token: 0, expiresAt: new Date(0) };
}

test('the lease of a channel that is switched off is acquired only if there is work for it', async () => {
  const off = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [off, service.channelNo] });
  const numbers = Array.from({ length: 20 }, (_, at) => String(13_800_138_000 + at));
  const { task_no } = await customer.send(numbers, { auto_submit: false });
  await customer.taskWhen(task_no, ({ waits_for }) => waits_for === 'submit');
  await until(async () => (await readLease(off)).token > 0);
  const owned = (await readLease(off)).token;
  await service.operator.updateChannel(off, { status: 'disabled' });
  // Once, for what a process may have left unanswered.
  await until(async () => (await readLease(off)).token > owned);
  const beats = new Set<number>();
  // The heartbeat of a channel at work comes once a second.
  const nextBeat = async () => {
    const { expiresAt } = await readLease(service.channelNo);
    beats.add(expiresAt.getTime());
    return beats.size;
  };
  await until(async () => (await nextBeat()) > 6);
  expect((await readLease(off)).token).toBe(owned + 1);
  // Its chunks go by the other channel: both were planned for.
  await customer.client.submitTask(task_no);
  expect(await customer.completed(task_no)).toMatchObject({ counts: { delivered: numbers.length } });
});
