// Tasks that are cancelled or paused while they are being handed over: what is unsent stays unsent, what is out finishes,
// and the books are exact at every moment.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { startMessageCentre } from '../../tools/message-centre/message-centre.js';
import { allOf, type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const phonesFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => String(first + at));

async function readCounts(customerNo: string) {
  const [row] = await service.sql`
    select count(*)::int as receipts, count(*) filter (where code = 'cancelled')::int as cancelled,
      count(*) filter (where code = 'cancelled' and exists (
        select 1 from submit s
        where s.bucket = r.bucket and s.customer_id = r.customer_id and s.task_id = r.task_id and s.seq = r.seq
      ))::int as sent
    from receipt r join customer c on c.customer_id = r.customer_id where c.customer_no = ${customerNo}`;
  return row ?? expect.fail('nothing counted');
}

test('many numbers cancelled half-way: each has one receipt, and none that was cancelled went out', async () => {
  const channelNo = await service.addChannel(['cmcc'], { receipt_ms: 5 }, 2000);
  const customer = await service.addCustomer({ channelNos: [channelNo], charge_on: 'submit' });
  const tasks = [];
  for (const at of [0, 1, 2, 3]) tasks.push(await customer.send(phonesFrom(13_800_100_000 + at * 2000, 2000)));
  await until(async () => (await readCounts(customer.customerNo)).receipts > 500);
  const cancelled = await Promise.all(tasks.map(({ task_no }) => customer.client.cancelTask(task_no)));
  expect(await auditAll(service.sql)).toEqual([]);
  // Released when it answers: what is still held is for what is under way.
  for (const { counts, amounts } of cancelled) {
    expect(Number(amounts.held)).toBeCloseTo(0.05 * counts.unsent, 6);
  }
  let counted = 0;
  for (const { task_no } of tasks) {
    const done = await customer.taskWhen(task_no, ({ stage }) => stage === 'completed' || stage === 'cancelled');
    counted += done.cancelled;
    const { total, delivered, rejected } = done.counts;
    expect(delivered + rejected).toBe(total);
    expect(done.stage).toBe(delivered > 0 ? 'completed' : 'cancelled');
    expect(done.amounts).toMatchObject({ held: '0.000000', charged: (delivered * 0.05).toFixed(6) });
  }
  const counts = await readCounts(customer.customerNo);
  expect(counts).toMatchObject({ receipts: 8000, sent: 0 });
  expect(counts.cancelled).toBeGreaterThan(1000);
  expect(counted).toBe(counts.cancelled);
  const chunks = await service.sql`select 1 from chunk where task_id = any(
    select task_id from task t join customer c on c.customer_id = t.customer_id where c.customer_no = ${customer.customerNo})`;
  expect(chunks.length).toBe(0);
});

test('what was cancelled is counted apart from what was rejected, in a task and its batch', async () => {
  const channelNo = await service.addChannel(['cmcc'], {});
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const request = { template_no: customer.templateNo, phones: ['13800139001', '123'], batch_id: 'apart' };
  const prepared = await customer.client.send({ ...request, auto_prepare: true });
  await customer.taskWhen(prepared.task_no, ({ stage }) => stage === 'prepared');
  const queued = await customer.client.send({ ...request, client_request_id: 'queued', auto_prepare: false });
  for (const { task_no } of [prepared, queued]) await customer.client.cancelTask(task_no);
  expect(await customer.client.task(prepared.task_no)).toMatchObject({ counts: { rejected: 2 }, cancelled: 1 });
  const { cancelled } = await customer.client.task(queued.task_no);
  const receipts = await allOf(customer.client.receipts({ taskNo: queued.task_no }));
  expect(receipts.filter(({ code }) => code === 'cancelled').length).toBe(cancelled);
  expect(await customer.client.batch('apart')).toMatchObject({ counts: { rejected: 4 }, cancelled: 1 + cancelled });
});

test('receipts show what was charged beside the price, also where it was refunded', async () => {
  const channelNo = await service.addChannel(['cmcc'], { receipt_ms: 5 });
  const customer = await service.addCustomer({ channelNos: [channelNo], charge_on: 'submit', refund_on_failure: true });
  const chargedBySeq = async (taskNo: string) =>
    Object.fromEntries(
      (await allOf(customer.client.receipts({ taskNo }))).map((one) => [one.seq, [one.price, one.charged]]),
    );
  // Delivered, undelivered and so refunded, refused.
  const done = await customer.completed((await customer.send(['13800139001', '13800139002', '13800139003'])).task_no);
  const receipts = await chargedBySeq(done.task_no);
  expect(done.amounts).toMatchObject({ charged: '0.100000', refunded: '0.050000', released: '0.050000' });
  expect(receipts).toEqual({
    1: ['0.050000', '0.050000'],
    2: ['0.050000', '0.050000'],
    3: ['0.050000', '0.000000'],
  });
  const { task_no } = await customer.client.send({
    template_no: customer.templateNo,
    phones: ['13800139004'],
    auto_prepare: true,
    auto_freeze: true,
  });
  // It has a price once it is prepared.
  await customer.taskWhen(task_no, ({ waits_for }) => waits_for === 'submit');
  await customer.client.cancelTask(task_no);
  expect(await chargedBySeq(task_no)).toEqual({ 1: ['0.050000', '0.000000'] });
});

test('what the carrier only ever throttles can be cancelled', async () => {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, throttleRate: 1 });
  onTestFinished(() => centre.stop());
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'postrider', password: 'secret' };
  const { channel_no } = await service.operator.createChannel({ name: 'Busy', kind: 'smpp', firms: ['cmcc'], config });
  const customer = await service.addCustomer({ channelNos: [channel_no] });
  const { task_no } = await customer.send(phonesFrom(13_800_150_000, 2));
  await until(() => centre.counts().throttled > 0);
  await customer.client.cancelTask(task_no);
  // Completed where it was under way at that moment, cancelled where everything had been given back.
  const done = await customer.taskWhen(task_no, ({ stage }) => stage === 'completed' || stage === 'cancelled');
  expect([done.counts.rejected, done.amounts.released, centre.counts().accepted]).toEqual([2, '0.100000', 0]);
});

test('a paused task sends nothing more, and continues where it stopped', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 500);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const { task_no } = await customer.send(phonesFrom(13_800_200_000, 1500));
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered > 50);
  await customer.client.pauseTask(task_no);
  // What was on the wire is answered; from then on the number of submissions stands still.
  const intended = () => service.sql`select 1 from chunk where position('\\x01'::bytea in part_states) > 0`;
  await until(async () => (await intended()).length === 0);
  const submits = async () => (await customer.client.submits({ taskNo: task_no }).page()).total;
  const before = await submits();
  // Another task on the same channel goes through meanwhile: the channel works.
  await customer.completed((await customer.send(['13800139001'])).task_no);
  expect(await submits()).toBe(before);
  expect((await customer.client.task(task_no)).stage).toBe('submitting');
  await customer.client.resumeTask(task_no);
  const done = await customer.completed(task_no);
  expect(done.counts).toMatchObject({ delivered: 1500 });
  expect(await submits()).toBe(1500);
});

test('what was cancelled takes nothing of the pace of its channel', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 10);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const { task_no } = await customer.send(phonesFrom(13_800_400_000, 100));
  await customer.taskWhen(task_no, ({ counts }) => counts.unsent < 98);
  const { completed_at } = await customer.client.cancelTask(task_no).then(() => customer.completed(task_no));
  const next = await customer.send(['13800138000']);
  await customer.completed(next.task_no);
  const [submit] = await allOf(customer.client.submits({ taskNo: next.task_no }));
  // At ten a second, those that are still in memory would take nine.
  expect(Date.parse(submit?.submitted_at ?? '') - Date.parse(completed_at ?? '')).toBeLessThan(5000);
});

test('a paused task can be cancelled', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 100);
  const customer = await service.addCustomer({ channelNos: [channelNo], body: 'x'.repeat(200) });
  const { task_no } = await customer.send(phonesFrom(13_800_300_000, 200));
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered > 5);
  await customer.client.pauseTask(task_no);
  await customer.client.cancelTask(task_no);
  // Of a message of which one part is out, the other is not sent.
  const done = await customer.completed(task_no);
  expect(done.counts.delivered + done.counts.rejected).toBe(200);
  const submits = await allOf(customer.client.submits({ taskNo: task_no }));
  const receipts = await allOf(customer.client.receipts({ taskNo: task_no, result: 'delivered' }));
  const delivered = new Set(receipts.map(({ seq }) => seq));
  expect(submits.filter(({ seq }) => delivered.has(seq)).length).toBe(2 * done.counts.delivered);
});

test('the rest of a message in progress is not sent, and its money is released', async () => {
  const channelNo = await service.addChannel(['cmcc'], {}, 1);
  const customer = await service.addCustomer({ channelNos: [channelNo], body: 'x'.repeat(450), charge_on: 'submit' });
  const { task_no } = await customer.send(['13800301001']);
  const submits = () => allOf(customer.client.submits({ taskNo: task_no }));
  await until(async () => (await submits()).length === 1);
  const cancelled = await customer.client.cancelTask(task_no);
  expect(cancelled).toMatchObject({
    stage: 'completed',
    counts: { rejected: 1 },
    amounts: { charged: '0.000000', held: '0.000000' },
  });
  const [receipt] = await allOf(customer.client.receipts({ taskNo: task_no }));
  expect(receipt).toMatchObject({ result: 'rejected', code: 'cancelled' });
  // Another message goes over the channel meanwhile. A part that was on the wire at the moment of the call may be recorded.
  const next = await customer.send(['13800301002']);
  await customer.completed(next.task_no);
  expect((await submits()).length).toBeLessThan(3);
});
