// A message of which a part is sent, on a channel whose grant is revoked, and no other channel: its rest is not sent, and it ends by every
// deadline that it has.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_RECEIPT_TIMEOUT: '3s', POSTRIDER_UNSENT_TIMEOUT: '8s' } });
});
afterAll(() => service.stop());

const THREE_PARTS = 'x'.repeat(450);
/** A test number that is accepted and never reported. */
const SILENT = '13800649007';

async function readStates({ customerNo }: ServiceCustomer): Promise<string> {
  const rows = await service.sql<{ states: string }[]>`
    select encode(part_states, 'hex') as states from chunk join customer using (customer_id) where customer_no = ${customerNo}`;
  return rows.map(({ states }) => states).join();
}

/** A long message that is in progress on a channel whose grant is revoked. */
async function sendAndRevoke(expiresInMs?: number) {
  const slow = await service.addChannel(['cmcc'], { test_numbers: true }, 1);
  const customer = await service.addCustomer({ channelNos: [slow], body: THREE_PARTS, charge_on: 'delivery' });
  // Counted from here: a channel and a customer take a while on a busy machine.
  const expiry = expiresInMs === undefined ? {} : { expires_at: new Date(Date.now() + expiresInMs).toISOString() };
  const { task_no } = await customer.send([SILENT], expiry);
  await until(async () => (await readStates(customer)).startsWith('0200'));
  await service.operator.revokeGrant(customer.customerNo, slow);
  const codesOf = async () => {
    const receipts = await customer.client.receipts({ taskNo: task_no }).page();
    return receipts.items.map(({ result, code }) => `${result} ${code}`);
  };
  return { customer, slow, taskNo: task_no, codesOf };
}

const ENDED = {
  stage: 'completed',
  counts: { rejected: 1, unsent: 0 },
  amounts: { charged: '0.000000', held: '0.000000' },
};

test('by cancelling', async () => {
  const { customer, taskNo, codesOf } = await sendAndRevoke();
  await customer.client.cancelTask(taskNo);
  expect(await customer.completed(taskNo)).toMatchObject(ENDED);
  expect(await codesOf()).toEqual(['rejected cancelled']);
});

test('by expires_at', async () => {
  const { customer, taskNo, codesOf } = await sendAndRevoke(5000);
  expect(await customer.completed(taskNo)).toMatchObject(ENDED);
  expect(await codesOf()).toEqual(['rejected expired_unsent']);
});

test('by the unsent timeout', async () => {
  const { customer, taskNo, codesOf } = await sendAndRevoke();
  expect((await customer.client.task(taskNo)).waits_for).toBe('channel');
  expect(await customer.completed(taskNo)).toMatchObject(ENDED);
  expect(await codesOf()).toEqual(['rejected no_channel']);
  expect(await service.sql`select 1 from chunk`).toHaveLength(0);
});

test('by its receipt timeout, when the grant is restored and the message completed', async () => {
  const { customer, slow, taskNo, codesOf } = await sendAndRevoke();
  await service.operator.grantChannel(customer.customerNo, slow);
  await customer.completed(taskNo);
  expect(await codesOf()).toEqual(['expired no_receipt']);
});

test('an accepted number of a paused task expires', async () => {
  const slow = await service.addChannel(['cmcc'], { test_numbers: true }, 1);
  const customer = await service.addCustomer({ channelNos: [slow], charge_on: 'delivery' });
  const { task_no } = await customer.send([SILENT, '13800659007', '13800650001', '13800650002', '13800650003']);
  await customer.taskWhen(task_no, ({ counts }) => counts.awaiting > 0);
  await customer.client.pauseTask(task_no);
  const { counts } = await customer.taskWhen(task_no, ({ counts: { expired } }) => expired > 0);
  expect(counts.unsent).toBeGreaterThan(0);
});
