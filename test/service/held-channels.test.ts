// Channels are held when another database answers, and an operator decides what happens to what may have been sent.

import { afterEach, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;
afterEach(() => service.stop());

/** A minute of the channel's time: most of them wait when it is closed. */
const NUMBERS = 300;
const phones = (count: number) => Array.from({ length: count }, (_, index) => String(13_800_100_000 + index));

/** A task of which most is queued, and channels that are held. */
async function holdInTheMiddle() {
  service = await startService();
  const channelNo = await service.addChannel(['cmcc'], {}, 5);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const { task_no } = await customer.send(phones(NUMBERS));
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered > 0);
  await service.sql`update recovery set system_identifier = '7'`;
  await until(async () => (await service.operator.recovery()).state === 'held');
  await until(async () => (await service.operator.channel(channelNo)).health.state === 'down');
  const later = await customer.send(['13900139000']);
  await service.operator.updateChannel(channelNo, { parts_per_second: null });
  return { customer, channelNo, task_no, later };
}

test('what may have been sent is listed, becomes unknown, and what came later is sent', async () => {
  const { customer, task_no, later } = await holdInTheMiddle();
  const held = await service.operator.recovery();
  expect(held).toMatchObject({ reason: 'other_system', detail: expect.stringMatching(/^system 7 is known, /) });
  expect(held.under_way).toEqual([
    { customer_no: customer.customerNo, tasks: 1, numbers: expect.any(Number), waiting_tasks: 0 },
  ]);
  const numbers = held.under_way[0]?.numbers ?? 0;
  expect(numbers).toBeGreaterThan(0);
  expect(service.complaints.join()).toContain('channels are held');
  expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('postrider_channels_held 1');

  const release = await service.operator.releaseChannels({ unsent: 'unknown', remark: 'Asked the carrier' });
  expect(release).toEqual({ state: 'open', marked_tasks: 1, marked_numbers: numbers, paused_tasks: 0 });
  await customer.completed(later.task_no);
  const task = await customer.taskWhen(task_no, ({ counts }) => counts.delivered + counts.unknown === NUMBERS);
  // A part that was on the wire when the channel was closed may have no answer.
  expect(task.counts.unknown).toBeGreaterThanOrEqual(numbers);
  const [marked] = await service.sql`select count(*)::int as numbers from submit where code = 'commits_lost'`;
  expect(marked).toEqual({ numbers });
  const entries = (await service.operator.auditLog().page()).items;
  expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['channels.hold', 'channels.release']));
  expect(entries.find(({ action }) => action === 'channels.release')?.change).toMatchObject({
    unsent: 'unknown',
    remark: 'Asked the carrier',
    marked_numbers: numbers,
  });

  const again = await service.operator.releaseChannels({ unsent: 'unknown' });
  expect(again).toEqual({ state: 'open', marked_tasks: 0, marked_numbers: 0, paused_tasks: 0 });
  expect((await service.operator.recovery()).under_way).toEqual([]);
});

test('with the choice to send, everything goes out', async () => {
  const { customer, task_no } = await holdInTheMiddle();
  const release = await service.operator.releaseChannels({ unsent: 'send' });
  expect(release.marked_numbers).toBe(0);
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered + counts.unknown === NUMBERS);
  const marked = await service.sql`select 1 from submit where code = 'commits_lost'`;
  expect(marked).toHaveLength(0);
});
