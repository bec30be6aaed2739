// A second way: what one channel refuses with a code that allows it, the next one of the firm is asked to carry. Every try is
// in the submit records; the number has one receipt and is paid for once.

import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const REFUSING = { reject_rate: 1, test_numbers: false };
const WILLING = { test_numbers: false };

/** Simulators, all of which let go of what they refuse with the given codes. */
async function addChannels(configs: readonly object[], failoverCodes = ['REFUSED']): Promise<string[]> {
  const { operator } = service;
  const channelNos: string[] = [];
  for (const config of configs) {
    const wish = { name: 'Simulator', kind: 'simulator', firms: ['cmcc'], failover_codes: failoverCodes } as const;
    const { channel_no: channelNo } = await operator.createChannel({ ...wish, config: { ...config } });
    await until(async () => (await operator.channel(channelNo)).health.state === 'up');
    channelNos.push(channelNo);
  }
  return channelNos;
}

const phonesOf = (count: number) => Array.from({ length: count }, (_, at) => String(13_800_100_000 + at));

interface Try {
  readonly seq: number;
  readonly part: number;
  readonly channel: string;
  readonly status: string;
}

async function triesOf({ customerNo }: ServiceCustomer): Promise<Try[]> {
  const rows = await service.sql<Try[]>`
    select s.seq, s.part, h.channel_no as channel, s.status
    from submit s join channel h using (channel_id) join customer c using (customer_id)
    where c.customer_no = ${customerNo} order by s.seq, s.part, s.submit_id, s.channel_id`;
  return [...rows];
}

async function resultsOf({ client }: ServiceCustomer): Promise<Record<string, number>> {
  const results: Record<string, number> = {};
  for (const { result, code } of await allOf(client.receipts())) {
    const key = `${result} ${code}`;
    results[key] = (results[key] ?? 0) + 1;
  }
  return results;
}

async function checkBooks(customer: ServiceCustomer): Promise<void> {
  expect(await auditAll(service.sql)).toEqual([]);
  const places = (await triesOf(customer)).map(({ seq, part, channel }) => `${seq}/${part} ${channel}`);
  expect(new Set(places).size).toBe(places.length);
  const left = await service.sql`
    select 1 from chunk join customer c using (customer_id) where c.customer_no = ${customer.customerNo}`;
  expect(left).toHaveLength(0);
}

test('what one channel refuses another delivers: two submit records, one receipt, one charge', async () => {
  const [refusing = '', willing = ''] = await addChannels([REFUSING, WILLING]);
  const customer = await service.addCustomer({ channelNos: [refusing, willing] });
  const sent = await customer.send(phonesOf(100));
  const { counts, amounts } = await customer.completed(sent.task_no);
  expect(counts).toMatchObject({ total: 100, delivered: 100 });
  expect(amounts).toMatchObject({ frozen: '5.000000', charged: '5.000000', released: '0.000000', held: '0.000000' });
  const tries = await triesOf(customer);
  const refused = tries.filter(({ channel }) => channel === refusing);
  // Half of them are planned for each of the two.
  expect(refused.map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
  expect(tries.filter(({ channel }) => channel === willing)).toHaveLength(100);
  expect(await allOf(customer.client.receipts())).toHaveLength(100);
  const [first] = await allOf(customer.client.submits({ phone: phonesOf(100)[(refused[0]?.seq ?? 1) - 1] ?? '' }));
  expect(first).toMatchObject({ status: 'rejected', code: 'REFUSED', upstream_message_id: null });
  await checkBooks(customer);
});

test('a number is tried on two more channels at most, and the last refusal is its receipt', async () => {
  const channelNos = await addChannels([REFUSING, REFUSING, REFUSING, WILLING]);
  const customer = await service.addCustomer({ channelNos });
  const sent = await customer.send(phonesOf(80));
  const { counts, amounts } = await customer.completed(sent.task_no);
  // Twenty are planned for each: those of the first are refused by three, and never ask the fourth.
  expect(counts).toMatchObject({ total: 80, delivered: 60, rejected: 20 });
  expect(amounts).toMatchObject({ charged: '3.000000', released: '1.000000', held: '0.000000' });
  expect(await resultsOf(customer)).toEqual({ 'delivered DELIVRD': 60, 'rejected REFUSED': 20 });
  const byChannel = (await triesOf(customer)).map(({ channel }) => channelNos.indexOf(channel));
  expect([0, 1, 2, 3].map((at) => byChannel.filter((one) => one === at).length)).toEqual([20, 40, 60, 60]);
  await checkBooks(customer);
});

test.each([
  ['the refusal is not among the codes', REFUSING, ['OTHER'], 'rejected'],
  ['its answer is lost', { unknown_rate: 1, test_numbers: false }, ['ANSWER_LOST', 'REFUSED'], 'unknown'],
])('a number stays where it is when %s', async (_, config, codes, count) => {
  const [channelNo = ''] = await addChannels([config], codes);
  const [other = ''] = await addChannels([WILLING]);
  const customer = await service.addCustomer({ channelNos: [channelNo, other] });
  const sent = await customer.send(phonesOf(40));
  const { counts } = await customer.taskWhen(sent.task_no, ({ stage }) =>
    ['completed', 'submit_unknown'].includes(stage),
  );
  expect(counts).toMatchObject({ [count]: 20, delivered: 20 });
  expect(await triesOf(customer)).toHaveLength(40);
});

test('a channel that the customer may not use is not asked', async () => {
  const [refusing = ''] = await addChannels([REFUSING, WILLING]);
  const customer = await service.addCustomer({ channelNos: [refusing] });
  const sent = await customer.send(phonesOf(3));
  expect((await customer.completed(sent.task_no)).counts).toMatchObject({ rejected: 3 });
  expect(await triesOf(customer)).toHaveLength(3);
});

test('a long message fails over as a whole, and not at all if a part of it was accepted', async () => {
  const [wavering = '', willing = ''] = await addChannels([{ ...REFUSING, reject_rate: 0.5 }, WILLING]);
  const body = 'A text that does not fit into one part, '.repeat(8);
  const customer = await service.addCustomer({ channelNos: [wavering, willing], body });
  const sent = await customer.send(phonesOf(200));
  await customer.completed(sent.task_no);
  const receipts = new Map((await allOf(customer.client.receipts())).map(({ seq, result }) => [seq, result]));
  expect(receipts.size).toBe(200);
  const ofNumber = new Map<number, Try[]>();
  for (const one of await triesOf(customer)) ofNumber.set(one.seq, [...(ofNumber.get(one.seq) ?? []), one]);
  const ways = new Map<string, number>();
  for (const [seq, tries] of ofNumber) {
    const first = tries.filter(({ channel }) => channel === wavering);
    const second = tries.filter(({ channel }) => channel === willing);
    const taken = first.filter(({ status }) => status === 'accepted').length;
    const way = first.length === 0 ? 'willing' : taken === 3 ? 'wavering' : taken > 0 ? 'stays' : 'goes on';
    ways.set(way, (ways.get(way) ?? 0) + 1);
    expect(second).toHaveLength(way === 'willing' || way === 'goes on' ? 3 : 0);
    expect(receipts.get(seq)).toBe(way === 'stays' ? 'rejected' : 'delivered');
  }
  expect([...ways.keys()].sort()).toEqual(['goes on', 'stays', 'wavering', 'willing']);
  const codes = await service.sql`
    select distinct code from receipt join customer c using (customer_id)
    where c.customer_no = ${customer.customerNo} and result = 'rejected'`;
  expect(codes.map(({ code }) => code)).toEqual(['REFUSED']);
  await checkBooks(customer);
});

test('between two channels a number is as unsent as any: paused, resumed and cancelled with its task', async () => {
  const [refusing = ''] = await addChannels([REFUSING]);
  const closed = await addClosedChannel();
  const customer = await service.addCustomer({ channelNos: [refusing, closed] });
  const sent = await customer.send(phonesOf(30));
  const waiting = await customer.taskWhen(sent.task_no, () => true);
  await until(async () => (await triesOf(customer)).length === 30);
  expect(waiting.counts).toMatchObject({ total: 30, unsent: 30 });
  const queued = async () => {
    const rows = await service.sql`
      select 1 from chunk k join customer c using (customer_id) join channel h using (channel_id)
      where c.customer_no = ${customer.customerNo} and h.channel_no = ${closed} and k.queue_no is not null`;
    return rows.length;
  };
  expect(await queued()).toBeGreaterThan(0);
  await customer.client.moveTask(sent.task_no, 'pause');
  expect(await queued()).toBe(0);
  await customer.client.moveTask(sent.task_no, 'resume');
  expect(await queued()).toBeGreaterThan(0);
  const task = await customer.client.task(sent.task_no);
  expect(task).toMatchObject({ stage: 'submitting', counts: { unsent: 30 }, amounts: { held: '1.500000' } });
  const ended = await customer.client.moveTask(sent.task_no, 'cancel');
  // Something was handed over, be it in vain.
  expect(ended).toMatchObject({ stage: 'completed', counts: { rejected: 30 }, amounts: { released: '1.500000' } });
  expect(await resultsOf(customer)).toEqual({ 'rejected cancelled': 30 });
  await checkBooks(customer);
});

/** A channel to a closed port. */
async function addClosedChannel(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await new Promise((resolve) => server.close(resolve));
  const config = { host: '127.0.0.1', port, system_id: 'nobody', password: 'secret' };
  const { channel_no: channelNo } = await service.operator.createChannel({
    name: 'Closed',
    kind: 'smpp',
    firms: ['cmcc'],
    config,
  });
  return channelNo;
}
