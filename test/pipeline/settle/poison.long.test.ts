// One customer or task whose rows cannot be written stops no other: the batch is split, the cause is quarantined and
// tried again, and everybody else's outcomes are recorded.

import type { SetAside } from '@postrider/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markInterruptedUnknown } from '../../../src/pipeline/channel/ownership/interrupted.js';
import { createRecorder } from '../../../src/pipeline/settle/recorder.js';
import type { Lease } from '../../../src/store/channel/channel-lease.js';
import { readInterrupted } from '../../../src/store/chunk/dispatch-queue.js';
import { auditAll } from '../../../src/store/money/audit-money.js';
import type { Snapshot } from '../../../src/store/snapshot/snapshot.js';
import { awaitQuarantine, poison } from '../../support/poison.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

/** Of the simulator, as of a session. */
const WINDOW = 100;
let service: Service;
let poisoned: ServiceCustomer;
let healthy: ServiceCustomer[];

beforeAll(async () => {
  service = await startService();
  poisoned = await service.addCustomer();
  healthy = await Promise.all([service.addCustomer(), service.addCustomer(), service.addCustomer()]);
});
afterAll(() => service.stop());

/** From its quarantine to its next try: all its pauses. */
function pauseOf(item: SetAside | undefined): number {
  return Date.parse(item?.next_try_at ?? '') - Date.parse(item?.since ?? '');
}

const MANUAL = { auto_prepare: false, auto_freeze: false, auto_submit: false };

const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => String(13_900_000_000 + from + at));

test('outcomes that cannot be written are quarantined; those of others in the same batch are recorded', async () => {
  const heal = await poison(service, 'submit', poisoned);
  const sick = await poisoned.send(numbers(0, 20));
  const tasks = await Promise.all(healthy.map((customer, at) => customer.send(numbers(1000 * (at + 1), 50))));
  for (const [at, task] of tasks.entries()) await healthy[at]?.completed(task.task_no);
  expect((await poisoned.client.task(sick.task_no)).counts).toMatchObject({ unsent: 20, delivered: 0 });
  // The operator sees whose they are, how many, and why.
  const items = await awaitQuarantine(service, (items) => items.some(({ parts, tries }) => parts === 20 && tries > 1));
  expect(items).toMatchObject([
    { kind: 'record', customer_no: poisoned.customerNo, task_no: sick.task_no, channel_no: service.channelNo },
  ]);
  expect(items[0]?.reason).toContain('poison_submit');
  // After a second came two, then four, and so on: pauses of one length would have come to less by now.
  expect(pauseOf(items[0])).toBeGreaterThanOrEqual((2 ** (items[0]?.tries ?? 0) - 1) * 1_000);
  await heal();
  // Nothing was forgotten, and nothing is sent a second time.
  const completed = await poisoned.completed(sick.task_no);
  expect(completed.counts).toMatchObject({ total: 20, delivered: 20 });
  expect(await allOf(poisoned.client.submits({ taskNo: sick.task_no }))).toHaveLength(20);
});

test('a report that cannot be written fails alone; the others of its task are recorded', async () => {
  const heal = await poison(service, 'receipt', poisoned, 'seq <> 7');
  const { task_no } = await poisoned.send(numbers(30_000, 40));
  // The upstream sends the refused one again and again meanwhile.
  await poisoned.taskWhen(task_no, ({ counts }) => counts.delivered === 39);
  await heal();
  expect((await poisoned.completed(task_no)).counts).toMatchObject({ total: 40, delivered: 40 });
  expect(await allOf(poisoned.client.deliveries({ taskNo: task_no }))).toHaveLength(40);
});

test('a customer whose outcomes cannot be written sends no more than is on its way, and the rest once they are', async () => {
  const heal = await poison(service, 'submit', poisoned);
  const count = 5 * WINDOW;
  const sick = await poisoned.send(numbers(200_000, count));
  const items = await awaitQuarantine(service, (items) =>
    items.some(({ task_no, tries }) => task_no === sick.task_no && tries > 1),
  );
  expect(items.map(({ kind, customer_no }) => [kind, customer_no])).toEqual([['record', poisoned.customerNo]]);
  // What failed, and what took its room in the same transaction.
  expect(items[0]?.parts).toBeLessThanOrEqual(2 * WINDOW);
  await heal();
  expect((await poisoned.completed(sick.task_no)).counts).toMatchObject({ total: count, delivered: count });
  expect(await allOf(poisoned.client.submits({ taskNo: sick.task_no }))).toHaveLength(count);
  await awaitQuarantine(service, (items) => items.length === 0);
});

test('a takeover gives up what it finds on the wire, also where one customer cannot be written', async () => {
  const { sql } = service;
  const channelNo = await service.addChannel(['cmcc'], { answer_ms: 3_000 });
  const sick = await service.addCustomer({ channelNos: [channelNo] });
  const well = await service.addCustomer({ channelNos: [channelNo] });
  await sick.send(numbers(300_000, 1));
  const { task_no: taskNo } = await well.send(numbers(300_001, 1));
  const [lease] = await sql<Lease[]>`
    select channel_id as "channelId", token from channel join channel_fence using (channel_id) where channel_no = ${channelNo}`;
  if (lease === undefined) throw new Error('the channel has no owner');
  const buckets = (await sql<{ bucket: number }[]>`select bucket from bucket`).map(({ bucket }) => bucket);
  await until(async () => {
    const found = await Promise.all(buckets.map((bucket) => readInterrupted(sql, bucket, lease.channelId)));
    return found.flat().length === 2;
  });
  const heal = await poison(service, 'submit', sick);
  const { signal } = new AbortController();
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const recorder = createRecorder({ sql, limits, concurrency: 1, signal });
  const snapshot = () => ({ buckets: () => buckets }) as Partial<Snapshot> as Snapshot;
  const log = pino({ level: 'silent' });
  const left = await markInterruptedUnknown({ sql, snapshot, recorder, log, now: Date.now }, lease);
  expect([...left.failed.values()].map(String)).toEqual([expect.stringContaining('poison_submit')]);
  expect((await well.client.task(taskNo)).counts.unknown).toBe(1);
  await heal();
});

test('a customer whose parts cannot be meant to go out waits, and the others go on', async () => {
  const channelNo = await service.addChannel(['cmcc'], { answer_ms: 5 });
  for (const customer of [poisoned, ...healthy]) await service.operator.grantChannel(customer.customerNo, channelNo);
  const paused = await poisoned.send(numbers(50_000, 30), { auto_submit: false });
  await poisoned.taskWhen(paused.task_no, ({ accounting_state }) => accounting_state === 'frozen');
  // It may be put into the queue, and no part of it may be meant to go out.
  const heal = await poison(
    service,
    'chunk',
    poisoned,
    "part_states = decode(repeat('00', length(part_states)), 'hex')",
  );
  await poisoned.client.submitTask(paused.task_no);
  const tasks = await Promise.all(healthy.map((customer, at) => customer.send(numbers(60_000 + 1000 * at, 50))));
  for (const [at, task] of tasks.entries()) await healthy[at]?.completed(task.task_no);
  const items = await awaitQuarantine(service, (items) => items.some(({ kind }) => kind === 'send'));
  expect(new Set(items.map(({ kind, customer_no }) => `${kind} ${customer_no}`))).toEqual(
    new Set([`send ${poisoned.customerNo}`]),
  );
  expect(items[0]?.reason).toContain('poison_chunk');
  expect(pauseOf(items[0])).toBeGreaterThan(0);
  await heal();
  expect((await poisoned.completed(paused.task_no)).counts.delivered).toBe(30);
  await awaitQuarantine(service, (items) => items.length === 0);
});

test('a task that cannot be prepared is quarantined with its reason, and the next ones are prepared', async () => {
  const { sql } = service;
  const sick = await poisoned.send(numbers(90_000, 3), MANUAL);
  await sql`update task set payload = 'no JSON' where queued_for = 'manual'`;
  await poisoned.client.prepareTask(sick.task_no);
  const [next, other] = await Promise.all([poisoned.send(numbers(91_000, 5)), healthy[0]?.send(numbers(92_000, 5))]);
  await poisoned.completed(next.task_no);
  await healthy[0]?.completed(other?.task_no ?? '');
  await until(async () => {
    const [row] = await sql`select prepare_error, prepare_tries from task where prepare_error is not null`;
    return row?.prepare_tries > 0 && row?.prepare_error.includes('JSON');
  });
  expect((await poisoned.client.task(sick.task_no)).stage).toBe('queued');
  const [items] = await awaitQuarantine(service, (items) => items.length > 0);
  expect(items).toMatchObject({ kind: 'prepare', customer_no: poisoned.customerNo, task_no: sick.task_no, node: null });
  expect(items?.reason).toContain('JSON');
  // Ended by hand, as it is, it concerns no customer any more. No receipt is made up for what cannot be read.
  await service.operator.moveTask(sick.task_no, 'cancel');
  expect(await poisoned.client.task(sick.task_no)).toMatchObject({
    stage: 'cancelled',
    counts: { total: 3, unsent: 3, rejected: 0 },
    amounts: { frozen: '0.000000', charged: '0.000000' },
  });
  expect(await allOf(poisoned.client.receipts({ taskNo: sick.task_no }))).toEqual([]);
  await awaitQuarantine(service, (items) => items.length === 0);
  expect(await auditAll(sql)).toEqual([]);
});

test('a task of which some numbers can be read ends with the receipts of those', async () => {
  const { sql } = service;
  const [known, , other] = numbers(95_000, 3);
  const sick = await poisoned.send(numbers(95_000, 3), MANUAL);
  await sql`update task set payload = ${JSON.stringify({ phones: [known, null, other] })} where queued_for = 'manual'`;
  await service.operator.moveTask(sick.task_no, 'cancel');
  expect((await poisoned.client.task(sick.task_no)).counts).toMatchObject({ total: 3, unsent: 1, rejected: 2 });
  const receipts = await allOf(poisoned.client.receipts({ taskNo: sick.task_no }));
  expect(receipts.map(({ seq, phone, code }) => [seq, phone, code])).toEqual([
    [1, known, 'cancelled'],
    [3, other, 'cancelled'],
  ]);
});

test('a task that cannot be read fails when its time is up', async () => {
  const { sql } = service;
  const expires_at = new Date(Date.now() + 2_000).toISOString();
  const sick = await poisoned.send(numbers(96_000, 2), { ...MANUAL, expires_at });
  await sql`update task set payload = 'no JSON' where queued_for = 'manual'`;
  const ended = await poisoned.taskWhen(sick.task_no, ({ stage }) => stage !== 'queued');
  expect(ended).toMatchObject({ stage: 'failed', failure: 'payload_unreadable', counts: { total: 2, unsent: 2 } });
});
