// Under load, every reader sees figures that add up: in one snapshot of the database, and through the API.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import type { Sql } from '../../../src/store/sql.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_UNKNOWN_TIMEOUT: '1500ms', POSTRIDER_RECEIPT_TIMEOUT: '2s' } });
});
afterAll(() => service.stop());

interface Look {
  readonly tasks: number;
  /** Tasks that were between the first and the last of their numbers. */
  readonly midway: number;
}

/** Every task and every account against their entries, at one moment. */
async function lookAtOnce(sql: Sql): Promise<Look> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    const tasks = await tx`
      select t.task_id, t.stage, t.total, t.rejected, t.unknown, t.awaiting, t.delivered, t.undelivered, t.expired,
        t.frozen, t.charged, t.released, t.refunded, r.receipts
      from task t
      cross join lateral (
        select count(*)::int as receipts from receipt r
        where r.bucket = t.bucket and r.customer_id = t.customer_id and r.task_id = t.task_id
      ) as r`;
    const sums = await tx`
      select task_id, type, sum(amount)::bigint as amount from ledger_entry where task_id is not null group by task_id, type`;
    const accounts = await tx`
      select a.available, a.frozen, a.entry_seq, sum(e.available_delta)::bigint as available_sum,
        sum(e.frozen_delta)::bigint as frozen_sum, count(*) as entries, max(e.seq) as last
      from account a join ledger_entry e on e.bucket = a.bucket and e.customer_id = a.customer_id
      group by a.bucket, a.customer_id`;
    const sumOf = (taskId: bigint, type: string) =>
      sums.find((sum) => sum.task_id === taskId && sum.type === type)?.amount ?? 0n;
    let midway = 0;
    for (const task of tasks) {
      const results = task.rejected + task.delivered + task.undelivered + task.expired;
      expect(task.receipts).toBe(results);
      const unsent = task.total - results - task.unknown - task.awaiting;
      expect(unsent).toBeGreaterThanOrEqual(0);
      if (results > 0 && results < task.total) midway += 1;
      expect(['frozen', 'charged', 'released', 'refunded'].map((name) => task[name])).toEqual(
        ['freeze', 'charge', 'release', 'refund'].map((type) => sumOf(task.task_id, type)),
      );
      if (task.stage === 'completed') expect(results).toBe(task.total);
      if (task.stage === 'submitting') expect(unsent).toBeGreaterThan(0);
      if (task.stage === 'waiting_receipt') expect([unsent, task.unknown]).toEqual([0, 0]);
    }
    for (const account of accounts) {
      expect([account.available, account.frozen]).toEqual([account.available_sum, account.frozen_sum]);
      expect([account.entry_seq, account.entry_seq]).toEqual([account.entries, account.last]);
    }
    return { tasks: tasks.length, midway };
  });
}

const millionths = (amount: string): bigint => BigInt(amount.replace('.', ''));

/** One task as its customer sees it. Entries are compared when the task stood still around them. */
async function lookThroughApi({ client }: ServiceCustomer, taskNo: string): Promise<boolean> {
  const task = await client.task(taskNo);
  const { total, ...counts } = task.counts;
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total);
  expect(Object.values(counts).every((count) => count >= 0)).toBe(true);
  const { currency, ...amounts } = task.amounts;
  expect(currency).toBe('CNY');
  const [frozen, charged, released, refunded, held] = (
    ['frozen', 'charged', 'released', 'refunded', 'held'] as const
  ).map((name) => millionths(amounts[name]));
  expect(frozen).toBe((charged ?? 0n) + (released ?? 0n) + (held ?? 0n));
  expect((refunded ?? 0n) <= (charged ?? 0n)).toBe(true);
  const entries = await allOf(client.ledgers({ taskNo }));
  const after = await client.task(taskNo);
  if (JSON.stringify(after.amounts) !== JSON.stringify(task.amounts)) return false;
  const sumOf = (type: string) =>
    entries.filter((entry) => entry.type === type).reduce((sum, entry) => sum + millionths(entry.amount), 0n);
  expect(['freeze', 'charge', 'release', 'refund'].map(sumOf)).toEqual([frozen, charged, released, refunded]);
  return true;
}

test('counts add up and amounts equal the ledger whenever anybody looks', async () => {
  const rates = { deliver_rate: 0.7, reject_rate: 0.1, unknown_rate: 0.05, receipt_ms: 30, answer_ms: 2 };
  const channelNos = [await service.addChannel(['cmcc'], rates)];
  const billings = [
    { charge_on: 'submit', refund_on_failure: true },
    { charge_on: 'delivery', refund_on_failure: false },
  ] as const;
  const customers = await Promise.all(billings.map((billing) => service.addCustomer({ ...billing, channelNos })));
  const phonesOf = (count: number, first: number) =>
    Array.from({ length: count }, (_, index) => String(13_800_100_000 + first * 1000 + index));
  const sent: { customer: ServiceCustomer; taskNo: string }[] = [];
  const load = Promise.all(
    customers.map(async (customer) => {
      for (let at = 0; at < 12; at += 1) {
        const { task_no: taskNo } = await customer.send(phonesOf(at % 3 === 0 ? 400 : 25, at));
        sent.push({ customer, taskNo });
      }
    }),
  );
  let looks = 0;
  let midway = 0;
  let stood = 0;
  const isDone = async () => {
    const look = await lookAtOnce(service.sql);
    looks += 1;
    midway += look.midway;
    const one = sent[looks % Math.max(1, sent.length)];
    if (one !== undefined && (await lookThroughApi(one.customer, one.taskNo))) stood += 1;
    const [row] = await service.sql`select count(*)::int as open from task where stage <> 'completed'`;
    return look.tasks === 24 && row?.open === 0;
  };
  await until(isDone);
  await load;
  // The test is meaningful only if some reads were in the middle of the run.
  expect(midway).toBeGreaterThan(10);
  expect(stood).toBeGreaterThan(3);
  for (const { customer, taskNo } of sent) expect(await lookThroughApi(customer, taskNo)).toBe(true);
  process.stdout.write(`readers: ${looks} looks, ${midway} tasks seen midway, ${stood} through the API\n`);
  expect(await auditAll(service.sql)).toEqual([]);
  expect(service.complaints).toEqual([]);
});
