// A hundred thousand numbers, scheduled as one batch and cancelled half-way: the books are exact at every look, each number has
// one receipt, and none that was cancelled went out.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const TASKS = 20;
const NUMBERS_A_TASK = 5000;
const NUMBERS = TASKS * NUMBERS_A_TASK;
const PRICE = 50_000n;
const PATIENCE_MS = 120_000;

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const millionths = (amount: string) => BigInt(amount.replace('.', ''));

async function sendBatch(customer: ServiceCustomer, batchId: string, sendAt: string): Promise<void> {
  const tasks = Array.from({ length: TASKS }, (_, at) => at * NUMBERS_A_TASK);
  for (const first of tasks) {
    const phones = Array.from({ length: NUMBERS_A_TASK }, (_, at) => String(13_900_000_000 + first + at));
    await customer.send(phones, { batch_id: batchId, send_at: sendAt });
  }
}

async function countSubmits(): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`select count(*)::int as count from submit`;
  return row?.count ?? 0;
}

test(`a scheduled batch of ${NUMBERS} numbers cancelled half-way leaves exact books`, async () => {
  const channelNo = await service.addChannel(['cmcc'], { test_numbers: false, receipt_ms: 50 });
  const customer = await service.addCustomer({ channelNos: [channelNo], balance: '10000', charge_on: 'submit' });
  const { client } = customer;
  const batch = () => client.batch('campaign');
  // Far enough for all of it to be accepted, priced and paid for; then its time is brought forward.
  await sendBatch(customer, 'campaign', new Date(Date.now() + 3_600_000).toISOString());
  const isFrozen = async () => millionths((await batch()).amounts.frozen) === BigInt(NUMBERS) * PRICE;
  await until('all of it is frozen', isFrozen, PATIENCE_MS);
  expect(await countSubmits()).toBe(0);
  const startAt = new Date();
  for await (const { task_no } of client.tasks({ batchId: 'campaign', pageSize: 100 })) {
    expect(await client.rescheduleTask(task_no, startAt.toISOString())).toMatchObject({ stage: 'submitting' });
  }
  await until('half of it is out', async () => (await batch()).counts.unsent < NUMBERS / 2, PATIENCE_MS);
  const asked = performance.now();
  const cancelled = await client.moveBatch('campaign', 'cancel');
  const cancelMs = Math.round(performance.now() - asked);
  expect(cancelled.applied).toBeGreaterThan(0);
  expect(await auditAll(service.sql)).toEqual([]);
  // Released when it answers: what is still held is for what is under way.
  const { counts, amounts } = cancelled;
  expect(millionths(amounts.held)).toBe(BigInt(counts.unsent + counts.unknown) * PRICE);
  expect(counts.rejected).toBeGreaterThan(0);
  expect((await client.moveBatch('campaign', 'cancel')).applied).toBe(0);

  await until('all has ended', async () => (await batch()).completed_at !== null, PATIENCE_MS);
  const done = await batch();
  expect(done.counts.delivered + done.counts.rejected).toBe(NUMBERS);
  const charged = BigInt(done.counts.delivered) * PRICE;
  expect([millionths(done.amounts.charged), millionths(done.amounts.released), done.amounts.held]).toEqual([
    charged,
    BigInt(NUMBERS) * PRICE - charged,
    '0.000000',
  ]);
  const account = await client.account();
  expect([millionths(account.available), account.frozen]).toEqual([10_000_000_000n - charged, '0.000000']);
  const [row] = await service.sql`
    select count(*)::int as receipts, count(distinct (task_id, seq))::int as numbers,
      count(*) filter (where code = 'cancelled')::int as cancelled, (
        select count(*)::int from (
          select task_id, seq from receipt where code = 'cancelled' intersect select task_id, seq from submit
        ) as both_ways
      ) as sent
    from receipt`;
  expect(row).toMatchObject({ receipts: NUMBERS, numbers: NUMBERS, cancelled: done.counts.rejected, sent: 0 });
  expect(await countSubmits()).toBe(done.counts.delivered);
  expect((await service.sql`select 1 from chunk`).length).toBe(0);
  const [first] = await service.sql`select min(submit_id >> 20)::bigint as at from submit`;
  expect(Number(first?.at)).toBeGreaterThanOrEqual(startAt.getTime());
  expect(await auditAll(service.sql)).toEqual([]);
  tell(`${done.counts.delivered} sent, ${done.counts.rejected} cancelled in ${cancelMs} ms`);
}, 300_000);
