// Messages of a class wait for their window or are rejected outside of it, by the rules as they are at the moment.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const phonesFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => `139${first + at}`);

/** A window of notices that is closed now: it opens in six hours and lasts one. */
function closedWindow(outside: 'hold' | 'reject') {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return {
    class: 'notice',
    from: inHours(6),
    to: inHours(7),
    time_zone: 'UTC',
    days: [1, 2, 3, 4, 5, 6, 7],
    outside,
  } as const;
}

const setWindows = (customer: ServiceCustomer, send_windows: readonly object[]) =>
  service.operator.updateCustomer(customer.customerNo, { send_windows: send_windows as never });

/** A message of a class that has no window. */
async function sendCode(customer: ServiceCustomer, phone: number): Promise<void> {
  const { template_no } = await service.operator.createTemplate(customer.customerNo, {
    name: 'Code',
    body: 'Code',
    class: 'otp',
    service_account_no: customer.serviceAccountNo,
  });
  await customer.completed((await customer.send(phonesFrom(phone, 1), { template_no })).task_no);
}

test('a held task shows what it waits for, and continues when the rule changes', async () => {
  const ann = await service.addCustomer();
  await setWindows(ann, [closedWindow('hold')]);
  const held = await ann.send(phonesFrom(10_000_000, 20));
  const waiting = await ann.taskWhen(held.task_no, ({ waits_for }) => waits_for === 'window');
  expect([waiting.stage, waiting.counts.unsent, waiting.amounts.charged]).toEqual(['submitting', 20, '0.000000']);
  expect(waiting.next_send_at?.slice(11, 16)).toBe(closedWindow('hold').from);
  // Another class of the customer is not held.
  await sendCode(ann, 10_000_100);
  expect((await ann.client.task(held.task_no)).counts.unsent).toBe(20);
  await setWindows(ann, []);
  const done = await ann.completed(held.task_no);
  expect([done.counts.delivered, done.next_send_at]).toEqual([20, null]);
});

test('a message that the express lane accepts outside of the hours gets no intent', async () => {
  const ann = await service.addCustomer();
  await setWindows(ann, [closedWindow('hold')]);
  const held = await ann.send(phonesFrom(10_000_300, 1));
  await ann.taskWhen(held.task_no, ({ waits_for }) => waits_for === 'window');
  const chunks = await service.sql<{ intendedAt: Date | null }[]>`
    select c.intended_at as "intendedAt" from chunk c join customer u using (customer_id) where u.customer_no = ${ann.customerNo}`;
  expect(chunks.map(({ intendedAt }) => intendedAt)).toEqual([null]);
});

test('a window that closes stops a backlog in the middle, and nothing of it is lost or sent twice', async () => {
  const channelNo = await service.addChannel(['cmcc'], { test_numbers: false }, 40);
  const ann = await service.addCustomer({ channelNos: [channelNo] });
  const task = await ann.send(phonesFrom(20_000_000, 120));
  await ann.taskWhen(task.task_no, ({ counts }) => counts.unsent < 110);
  await setWindows(ann, [closedWindow('hold')]);
  await ann.taskWhen(task.task_no, ({ waits_for, counts }) => waits_for === 'window' && counts.awaiting === 0);
  // The channel continues with others. A part that was on its way before the first of them is counted behind it.
  await sendCode(ann, 20_000_200);
  const { counts } = await ann.client.task(task.task_no);
  await sendCode(ann, 20_000_201);
  expect((await ann.client.task(task.task_no)).counts).toEqual(counts);
  expect(counts.unsent).toBeGreaterThan(0);
  await setWindows(ann, []);
  const done = await ann.completed(task.task_no);
  expect(done.counts.delivered).toBe(120);
  const [row] = await service.sql<{ submits: number }[]>`
    select count(*)::int as submits from submit s join customer c using (customer_id) where c.customer_no = ${ann.customerNo}`;
  expect(row?.submits).toBe(122);
});

test('outside a window that rejects, numbers are rejected unpriced, in the preview too', async () => {
  const ann = await service.addCustomer();
  await setWindows(ann, [closedWindow('reject')]);
  const phones = phonesFrom(30_000_000, 3);
  const preview = await ann.client.preview({ template_no: ann.templateNo, phones: [...phones] });
  expect([preview.sendable, preview.rejections.map(({ code }) => code)]).toEqual([0, Array(3).fill('outside_window')]);
  const { task_no } = await ann.send(phones);
  const { counts, amounts } = await ann.completed(task_no);
  expect([counts.rejected, amounts.frozen]).toEqual([3, '0.000000']);
  const { items } = await ann.client.receipts({ taskNo: task_no }).page();
  expect(new Set(items.map(({ code }) => code))).toEqual(new Set(['outside_window']));
  // What is scheduled into the window is not rejected for the present.
  const sendAt = new Date(Date.now() + 6.5 * 3_600_000).toISOString();
  const later = await ann.send(phonesFrom(30_000_100, 1), { send_at: sendAt });
  const scheduled = await ann.taskWhen(later.task_no, ({ stage }) => stage === 'prepared');
  expect([scheduled.counts.rejected, scheduled.waits_for]).toEqual([0, 'send_at']);
});

test('what is queued when a window that rejects closes is rejected, and its money released', async () => {
  const channelNo = await service.addChannel(['cmcc'], { test_numbers: false }, 20);
  const ann = await service.addCustomer({ channelNos: [channelNo] });
  const task = await ann.send(phonesFrom(40_000_000, 200));
  await ann.taskWhen(task.task_no, ({ counts }) => counts.unsent < 195);
  await setWindows(ann, [closedWindow('reject')]);
  const { counts, amounts, stage } = await ann.completed(task.task_no);
  expect([stage, counts.delivered + counts.rejected, counts.rejected > 100]).toEqual(['completed', 200, true]);
  expect(Number(amounts.released)).toBeCloseTo(counts.rejected * 0.05);
  const { items } = await ann.client.receipts({ taskNo: task.task_no, result: 'rejected' }).page();
  expect(items[0]?.code).toBe('outside_window');
});

test('what expires while it waits for a window ends as any other', async () => {
  const ann = await service.addCustomer();
  await setWindows(ann, [closedWindow('hold')]);
  const expiresAt = new Date(Date.now() + 3000).toISOString();
  const { task_no } = await ann.send(phonesFrom(50_000_000, 2), { expires_at: expiresAt });
  await ann.completed(task_no);
  const { items } = await ann.client.receipts({ taskNo: task_no }).page();
  expect(items.map(({ code }) => code)).toEqual(['expired_unsent', 'expired_unsent']);
});

test('bad windows are refused, all faults at once', async () => {
  const ann = await service.addCustomer();
  const good = closedWindow('hold');
  const refused = await setWindows(ann, [
    { ...good, time_zone: 'Mars/Base' },
    { ...good, class: 'otp', from: '25:00' },
    { ...good, class: 'promotion', from: '08:00', to: '08:00', days: [] },
  ]).catch((error) => error);
  const faults = (refused as { errors?: readonly { pointer: string }[] }).errors ?? [];
  expect(faults.map(({ pointer }) => pointer).toSorted()).toEqual([
    '/send_windows/0/time_zone',
    '/send_windows/1/from',
    '/send_windows/2/days',
    '/send_windows/2/to',
  ]);
});
