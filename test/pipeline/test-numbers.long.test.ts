// Every test number of the contract under every way of billing, short and long: what the customer sees in
// the end, held against a table written from the contract alone.

import type { ChargeOn, LedgerEntry, ReceiptResult, SubmitStatus, TaskDetail } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canMove } from '../../src/domain/task/stages.js';
import { auditAll } from '../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

interface Fate {
  readonly last: string;
  readonly result: ReceiptResult;
  readonly code: string;
  readonly submit: SubmitStatus;
  readonly submitCode: string | null;
  /** Null: no report comes. */
  readonly report: ReceiptResult | null;
  readonly wasUnknown?: boolean;
  readonly reply?: string;
}

const accepted = { submit: 'accepted', submitCode: null } as const;
const delivered = { ...accepted, result: 'delivered', code: 'DELIVRD', report: 'delivered' } as const;
const FATES: readonly Fate[] = [
  { last: '9001', ...delivered },
  { last: '9002', ...accepted, result: 'undelivered', code: 'UNDELIV', report: 'undelivered' },
  { last: '9003', result: 'rejected', code: 'REFUSED', submit: 'rejected', submitCode: 'REFUSED', report: null },
  { last: '9004', ...delivered, wasUnknown: true },
  {
    last: '9005',
    result: 'rejected',
    code: 'not_accepted',
    submit: 'rejected',
    submitCode: 'not_accepted',
    report: null,
    wasUnknown: true,
  },
  { last: '9006', ...accepted, result: 'expired', code: 'EXPIRED', report: 'expired' },
  { last: '9007', ...accepted, result: 'expired', code: 'no_receipt', report: null },
  { last: '9008', ...delivered, reply: 'OK' },
  { last: '9009', ...delivered, reply: 'STOP' },
];

interface Billing {
  readonly billing_mode: 'prepaid' | 'postpaid';
  readonly charge_on: ChargeOn;
  readonly refund_on_failure: boolean;
}

const BILLINGS: Billing[] = (['prepaid', 'postpaid'] as const).flatMap((billing_mode) =>
  (['submit', 'delivery'] as const).flatMap((charge_on) =>
    [true, false].map((refund_on_failure) => ({ billing_mode, charge_on, refund_on_failure })),
  ),
);

/** 400 characters of GSM 03.38 take three parts of 153. */
const LENGTHS = [
  { name: 'short', parts: 1, variable: 'x', prefix: '1380013' },
  { name: 'long', parts: 3, variable: 'x'.repeat(400), prefix: '1380014' },
] as const;

const PRICE = 50_000n;

/** The money of a number as the contract has it, written again in the simplest way. */
function moneyOf(fate: Fate, billing: Billing, price: bigint) {
  const reachedUpstream = fate.submit === 'accepted';
  const isCharged = billing.charge_on === 'submit' ? reachedUpstream : fate.result === 'delivered';
  const isRefunded =
    isCharged && billing.charge_on === 'submit' && billing.refund_on_failure && fate.result !== 'delivered';
  return { charged: isCharged ? price : 0n, released: isCharged ? 0n : price, refunded: isRefunded ? price : 0n };
}

const decimal = (millionths: bigint): string =>
  `${millionths < 0n ? '-' : ''}${(millionths < 0n ? -millionths : millionths) / 1_000_000n}.${String((millionths < 0n ? -millionths : millionths) % 1_000_000n).padStart(6, '0')}`;

const START = 1_000_000_000n;
const TERMS = {
  prepaid: { balance: '1000', credit_limit: '0' },
  postpaid: { balance: '0', credit_limit: '1000' },
} as const;

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_RECEIPT_TIMEOUT: '4s', POSTRIDER_UNKNOWN_TIMEOUT: '8s' } });
});
afterAll(() => service.stop());

function checkTimeline(task: TaskDetail, fate: Fate): void {
  const stages = task.timeline.map((entry) => entry.stage);
  expect(stages[0]).toBe('queued');
  expect(stages.at(-1)).toBe('completed');
  for (const [index, stage] of stages.slice(1).entries()) expect(canMove(stages[index] ?? stage, stage)).toBe(true);
  expect(stages.includes('submit_unknown')).toBe(fate.wasUnknown === true);
  if (fate.code === 'no_receipt') expect(stages).toContain('waiting_receipt');
  const times = task.timeline.map((entry) => Date.parse(entry.at));
  expect(times).toEqual([...times].sort((a, b) => a - b));
}

function checkLedger(entries: readonly LedgerEntry[], money: ReturnType<typeof moneyOf>, price: bigint): void {
  const expected: [string, bigint, bigint, bigint][] = [['freeze', price, -price, price]];
  if (money.charged > 0n) expected.push(['charge', price, 0n, -price]);
  if (money.released > 0n) expected.push(['release', price, price, -price]);
  if (money.refunded > 0n) expected.push(['refund', price, price, 0n]);
  expect(entries.map((e) => [e.type, e.amount, e.available_delta, e.frozen_delta, e.numbers])).toEqual(
    expected.map(([type, amount, available, frozen]) => [
      type,
      decimal(amount),
      decimal(available),
      decimal(frozen),
      1,
    ]),
  );
}

async function checkNumber(
  customer: ServiceCustomer,
  taskNo: string,
  fate: Fate,
  billing: Billing,
  length: (typeof LENGTHS)[number],
): Promise<void> {
  const { client } = customer;
  const phone = length.prefix + fate.last;
  const price = PRICE * BigInt(length.parts);
  const money = moneyOf(fate, billing, price);
  const task = await customer.completed(taskNo);
  const none = { unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
  expect(task).toMatchObject({
    stage: 'completed',
    accounting_state: 'settled',
    receipt_state: 'complete',
    failure: null,
    counts: { ...none, total: 1, [fate.result]: 1 },
    amounts: {
      currency: 'CNY',
      frozen: decimal(price),
      charged: decimal(money.charged),
      released: decimal(money.released),
      refunded: decimal(money.refunded),
      held: '0.000000',
    },
  });
  expect(task.completed_at).not.toBeNull();
  checkTimeline(task, fate);
  const [receipts, submits, deliveries, entries] = await Promise.all([
    allOf(client.receipts({ taskNo })),
    allOf(client.submits({ taskNo })),
    allOf(client.deliveries({ taskNo })),
    allOf(client.ledgers({ taskNo })),
  ]);
  const number = { task_no: taskNo, seq: 1, phone, firm: 'cmcc' };
  const { parts } = length;
  expect(receipts).toMatchObject([{ ...number, parts, price: decimal(price), result: fate.result, code: fate.code }]);
  expect(submits.map((submit) => submit.submitted_at)).toContain(receipts[0]?.submitted_at);
  expect(receipts[0]?.done_at === null).toBe(fate.report === null);
  // The parts that follow a refused one may stay at home.
  if (fate.submit === 'accepted' || fate.wasUnknown) expect(submits).toHaveLength(parts);
  else expect(submits.length).toBeGreaterThan(0);
  expect(new Set(submits.map((submit) => submit.part)).size).toBe(submits.length);
  for (const submit of submits) {
    expect(submit).toMatchObject({ ...number, parts, status: fate.submit, code: fate.submitCode });
    expect(submit.answered_at).not.toBeNull();
    expect(submit.upstream_message_id !== null).toBe(fate.submit === 'accepted');
  }
  expect(deliveries.map((delivery) => delivery.part).sort()).toEqual(
    fate.report === null ? [] : Array.from({ length: parts }, (_, index) => index + 1),
  );
  const messageIds = new Map(submits.map((submit) => [submit.part, submit.upstream_message_id]));
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({ ...number, parts, status: fate.report, code: fate.code });
    expect(delivery.upstream_message_id).toBe(messageIds.get(delivery.part));
  }
  checkLedger(entries, money, price);
}

async function checkReplies(customer: ServiceCustomer, taskNos: ReadonlyMap<string, string>): Promise<void> {
  const { client } = customer;
  const replies = FATES.flatMap(({ last, reply }) =>
    LENGTHS.flatMap(({ prefix }) => (reply === undefined ? [] : [{ phone: prefix + last, content: reply }])),
  );
  await until(async () => (await client.uplinks().page()).total >= replies.length);
  const uplinks = await allOf(client.uplinks());
  expect(uplinks).toHaveLength(replies.length);
  for (const { phone, content } of replies) {
    expect(uplinks.filter((uplink) => uplink.phone === phone)).toMatchObject([
      {
        content,
        firm: 'cmcc',
        service_account_no: customer.serviceAccountNo,
        task_no: taskNos.get(phone) ?? '',
      },
    ]);
  }
  const optOuts = await allOf(service.operator.optOuts(customer.customerNo));
  expect(optOuts.map(({ phone, source }) => [phone, source]).sort()).toEqual(
    LENGTHS.map(({ prefix }) => [`${prefix}9009`, 'uplink']),
  );
}

/** Sends to every test number, short and long, at once; the checks come when all has come to its end. */
async function sendAll(customer: ServiceCustomer): Promise<Map<string, string>> {
  const taskNos = new Map<string, string>();
  for (const { prefix, variable } of LENGTHS) {
    for (const { last } of FATES) {
      const task = await customer.send([prefix + last], { variable_values: { p1: variable } });
      taskNos.set(prefix + last, task.task_no);
    }
  }
  return taskNos;
}

const sent = new Map<Billing, { customer: ServiceCustomer; taskNos: Map<string, string> }>();

beforeAll(async () => {
  await Promise.all(
    BILLINGS.map(async (billing) => {
      const customer = await service.addCustomer({ ...billing, ...TERMS[billing.billing_mode], body: '{p1}' });
      sent.set(billing, { customer, taskNos: await sendAll(customer) });
    }),
  );
});

test.each(BILLINGS)('$billing_mode, charged on $charge_on, refunds $refund_on_failure', async (billing) => {
  const { customer, taskNos } = sent.get(billing) ?? expect.fail('nothing was sent');
  // One question for all of them: a hundred and fifty that ask for their own would be a load of their own.
  await until(async () => (await customer.client.tasks({ stage: 'completed' }).page()).total === taskNos.size);
  let spent = 0n;
  for (const length of LENGTHS) {
    for (const fate of FATES) {
      await checkNumber(customer, taskNos.get(length.prefix + fate.last) ?? '', fate, billing, length);
      const { charged, refunded } = moneyOf(fate, billing, PRICE * BigInt(length.parts));
      spent += charged - refunded;
    }
  }
  await checkReplies(customer, taskNos);
  const start = billing.billing_mode === 'prepaid' ? START : 0n;
  expect(await customer.client.account()).toMatchObject({ available: decimal(start - spent), frozen: '0.000000' });
});

test('all nine in one task', async () => {
  const customer = await service.addCustomer({ charge_on: 'submit', refund_on_failure: true });
  const { task_no: taskNo } = await customer.send(FATES.map(({ last }) => `1380015${last}`));
  const early = await customer.taskWhen(taskNo, (task) => task.stage === 'submit_unknown');
  expect(early).toMatchObject({ accounting_state: 'frozen', receipt_state: 'partial', completed_at: null });
  const task = await customer.completed(taskNo);
  expect(task).toMatchObject({
    accounting_state: 'settled',
    receipt_state: 'complete',
    counts: { total: 9, unsent: 0, rejected: 2, unknown: 0, awaiting: 0, delivered: 4, undelivered: 1, expired: 2 },
    amounts: { frozen: '0.450000', charged: '0.350000', released: '0.100000', refunded: '0.150000' },
  });
  const receipts = await allOf(customer.client.receipts({ taskNo }));
  const bySeq = receipts.sort((a, b) => a.seq - b.seq).map(({ seq, result, code }) => [seq, result, code]);
  expect(bySeq).toEqual(FATES.map(({ result, code }, index) => [index + 1, result, code]));
});

test('nothing was complained about, and the books are right', async () => {
  expect(service.complaints).toEqual([]);
  expect(await auditAll(service.sql)).toEqual([]);
});
