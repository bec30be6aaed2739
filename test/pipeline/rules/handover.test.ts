// What holds when a number is handed over, not only when its task was prepared: filings, opt-outs, blocked words, grants.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const PHONES = ['13800970001', '13800970002', '13800970003'];
const waiting = { auto_prepare: true, auto_freeze: true, auto_submit: false };

/** A task that is prepared and frozen, and not yet submitted. */
async function sendLater({ send, taskWhen }: ServiceCustomer, more: object = {}): Promise<string> {
  const { task_no } = await send(PHONES, { ...waiting, ...more });
  await taskWhen(task_no, (task) => task.accounting_state === 'frozen');
  return task_no;
}

async function outcomeOf({ client, completed }: ServiceCustomer, taskNo: string) {
  await client.submitTask(taskNo);
  const { amounts } = await completed(taskNo);
  const receipts = await allOf(client.receipts({ taskNo }));
  const codes = receipts.sort((one, other) => one.seq - other.seq).map(({ result, code }) => `${result} ${code}`);
  return { codes, amounts };
}

const delivered = 'delivered DELIVRD';
const nothingHeld = { held: '0.000000' };

async function fileCustomer(filed: readonly string[], others: readonly string[] = []) {
  const customer = await service.addCustomer({ channelNos: [...filed, ...others] });
  const { customerNo, serviceAccountNo } = customer;
  await service.operator.updateServiceAccount(customerNo, serviceAccountNo, { signature: 'Acme' });
  const setFiling = (channel_no: string, status: 'filed' | 'rejected') =>
    service.operator.setFiling(customerNo, serviceAccountNo, { channel_no, status });
  for (const channelNo of filed) await setFiling(channelNo, 'filed');
  return { customer, setFiling };
}

test('a filing that is withdrawn ends what was prepared, and its money is released', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  await service.operator.updateChannel(channelNo, { requires_filing: true });
  const { customer, setFiling } = await fileCustomer([channelNo]);
  const taskNo = await sendLater(customer);
  await setFiling(channelNo, 'rejected');
  const { codes, amounts } = await outcomeOf(customer, taskNo);
  expect(codes).toEqual(PHONES.map(() => 'rejected no_route'));
  expect(amounts).toMatchObject({ ...nothingHeld, charged: '0.000000', released: amounts.frozen });
  expect((await customer.client.submits({ taskNo }).page()).total).toBe(0);
});

test('another channel that needs no filing takes it over', async () => {
  const strict = await service.addChannel(['cmcc']);
  await service.operator.updateChannel(strict, { requires_filing: true });
  const { customer, setFiling } = await fileCustomer([strict]);
  const taskNo = await sendLater(customer);
  const open = await service.addChannel(['cmcc']);
  await service.operator.grantChannel(customer.customerNo, open);
  await setFiling(strict, 'rejected');
  expect((await outcomeOf(customer, taskNo)).codes).toEqual(PHONES.map(() => delivered));
  expect(await channelsUsed(customer)).toEqual([open]);
});

test('a channel that asks for filings from now on carries only what is filed, also of what was prepared', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const { customer } = await fileCustomer([], [channelNo]);
  const taskNo = await sendLater(customer);
  await service.operator.updateChannel(channelNo, { requires_filing: true });
  expect((await outcomeOf(customer, taskNo)).codes).toEqual(PHONES.map(() => 'rejected no_route'));
});

test('a number that opts out after its task was prepared is rejected, the others are sent', async () => {
  const customer = await service.addCustomer();
  const taskNo = await sendLater(customer);
  await service.operator.addOptOut(customer.customerNo, `+86${PHONES[1]}`);
  const { codes, amounts } = await outcomeOf(customer, taskNo);
  expect(codes).toEqual([delivered, 'rejected opted_out', delivered]);
  expect(amounts).toMatchObject({ ...nothingHeld, charged: '0.100000', released: '0.050000' });
  await service.operator.removeOptOut(customer.customerNo, `${PHONES[1]}`);
  const again = await sendLater(customer);
  expect((await outcomeOf(customer, again)).codes).toEqual(PHONES.map(() => delivered));
});

test('a long message of a number that opts out is rejected once, with all its money', async () => {
  const customer = await service.addCustomer({ body: 'x'.repeat(400) });
  const taskNo = await sendLater(customer);
  await service.operator.addOptOut(customer.customerNo, `${PHONES[0]}`);
  const { codes, amounts } = await outcomeOf(customer, taskNo);
  expect(codes).toEqual(['rejected opted_out', delivered, delivered]);
  expect(amounts).toMatchObject({ ...nothingHeld, charged: '0.300000', released: '0.150000' });
});

test('a word that is blocked after a task was prepared rejects the texts that contain it, and the operator sees the word', async () => {
  const customer = await service.addCustomer({ body: 'Win {p1}' });
  const recipients = PHONES.map((phone, at) => ({
    phone,
    variable_values: { p1: at === 2 ? 'a cup' : 'the Lot tery' },
  }));
  const { task_no: taskNo } = await customer.client.send({ template_no: customer.templateNo, recipients, ...waiting });
  await customer.taskWhen(taskNo, (task) => task.accounting_state === 'frozen');
  const { blocked_word_no } = await service.operator.addBlockedWords({
    words: ['lottery'],
    customer_no: customer.customerNo,
  });
  const { codes, amounts } = await outcomeOf(customer, taskNo);
  expect(codes).toEqual(['rejected blocked_content', 'rejected blocked_content', delivered]);
  expect(amounts).toMatchObject({ ...nothingHeld, charged: '0.050000', released: '0.100000' });
  const found = (await allOf(service.operator.blockedContent())).filter(({ task_no }) => task_no === taskNo);
  expect(found).toMatchObject([{ word: 'lottery', numbers: 2 }]);
  await service.operator.removeBlockedWords(blocked_word_no);
});

test('a grant that is taken away ends what was prepared where no other channel may carry it', async () => {
  const channelNo = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const taskNo = await sendLater(customer);
  await service.operator.revokeGrant(customer.customerNo, channelNo);
  const { codes, amounts } = await outcomeOf(customer, taskNo);
  expect(codes).toEqual(PHONES.map(() => 'rejected no_route'));
  expect(amounts).toMatchObject({ ...nothingHeld, released: amounts.frozen });
});

/** The channels that carried messages of this customer. */
async function channelsUsed({ customerNo }: ServiceCustomer): Promise<string[]> {
  const rows = await service.sql<{ channel: string }[]>`
    select distinct channel.channel_no as channel
    from submit join channel using (channel_id) join customer using (customer_id)
    where customer_no = ${customerNo}`;
  return rows.map(({ channel }) => channel);
}
