// A grant that is taken away: what is queued goes elsewhere or is rejected, and nothing is sent twice.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { allOf, type Service, startService } from '../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const phonesFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => String(first + at));

async function countSubmits(channelNo: string): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from submit s join channel c on c.channel_id = s.channel_id
    where c.channel_no = ${channelNo}`;
  return row?.count ?? 0;
}

test('chunks on a channel whose grant is revoked move to another one, and each number is sent once', async () => {
  const slow = await service.addChannel(['cmcc'], {}, 20);
  const customer = await service.addCustomer({ channelNos: [slow] });
  const neighbour = await service.addCustomer({ channelNos: [slow] });
  const { task_no } = await customer.send(phonesFrom(13_800_600_000, 1200));
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered > 5);
  const other = await service.addChannel(['cmcc'], {});
  await service.operator.grantChannel(customer.customerNo, other);
  expect(await service.operator.revokeGrant(customer.customerNo, slow)).toMatchObject({ channel_no: slow });
  const done = await customer.completed(task_no);
  expect(done.counts).toMatchObject({ delivered: 1200 });
  const submits = await allOf(customer.client.submits({ taskNo: task_no }));
  expect(new Set(submits.map(({ seq }) => seq)).size).toBe(1200);
  expect(submits.length).toBe(1200);
  expect(await countSubmits(other)).toBeGreaterThan(500);
  // Others go on there.
  await neighbour.completed((await neighbour.send(['13800139001'])).task_no);
  await expect(service.operator.revokeGrant(customer.customerNo, slow)).rejects.toMatchObject({ code: 'not_found' });
});

test('without another channel what is unsent is rejected, and what is on the wire finishes', async () => {
  const slow = await service.addChannel(['cmcc'], {}, 50);
  const customer = await service.addCustomer({ channelNos: [slow] });
  const { task_no } = await customer.send(phonesFrom(13_800_700_000, 300));
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered > 5);
  await service.operator.revokeGrant(customer.customerNo, slow);
  expect((await allOf(service.operator.grants(customer.customerNo))).map(({ channel_no }) => channel_no)).toEqual([]);
  const { counts, amounts } = await customer.completed(task_no);
  expect(counts.delivered + counts.rejected).toBe(300);
  expect(counts.rejected).toBeGreaterThan(0);
  expect(amounts.held).toBe('0.000000');
  const rejected = await allOf(customer.client.receipts({ taskNo: task_no, result: 'rejected' }));
  expect(new Set(rejected.map(({ code }) => code))).toEqual(new Set(['no_route']));
  expect((await customer.client.submits({ taskNo: task_no }).page()).total).toBe(counts.delivered);
  // Others go on there, and so does the customer when the grant is restored.
  const neighbour = await service.addCustomer({ channelNos: [slow] });
  await neighbour.completed((await neighbour.send(['13800139001'])).task_no);
  await service.operator.grantChannel(customer.customerNo, slow);
  expect((await customer.completed((await customer.send(['13800139001'])).task_no)).counts.delivered).toBe(1);
});

test('a channel that is just coming up is waited for', async () => {
  const [slow, other] = [await service.addChannel(['cmcc'], {}, 50), await service.addChannel(['cmcc'], {})];
  await service.operator.updateChannel(other, { status: 'disabled' });
  const customer = await service.addCustomer({ channelNos: [slow] });
  const { task_no } = await customer.send(phonesFrom(13_800_710_000, 300));
  await service.operator.updateChannel(other, { status: 'active' });
  await service.operator.grantChannel(customer.customerNo, other);
  await service.operator.revokeGrant(customer.customerNo, slow);
  expect((await customer.completed(task_no)).counts).toMatchObject({ delivered: 300 });
});
