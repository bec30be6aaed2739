// What becomes of each number before it is sent: spelled twice, no number at all, no way to reach it, opted out, priced.

import type { Receipt } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asCustomerId } from '../../src/domain/id.js';
import { createUplinkStore } from '../../src/pipeline/channel/reports/uplinks.js';
import { createSnapshotView } from '../../src/store/snapshot/view.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;
let unicomChannel: string;

beforeAll(async () => {
  service = await startService();
  await service.operator.createFirm({ firm: 'unicom', prefixes: ['86130', '86131'] });
  await service.operator.createFirm({ firm: 'vip', prefixes: ['861301111'] });
  unicomChannel = await service.addChannel(['unicom', 'vip']);
});
afterAll(() => service.stop());

async function receiptsOf(customer: ServiceCustomer, taskNo: string): Promise<Receipt[]> {
  await customer.completed(taskNo);
  return (await allOf(customer.client.receipts({ taskNo }))).sort((a, b) => a.seq - b.seq);
}

async function outcomes(customer: ServiceCustomer, phones: readonly string[], more = {}): Promise<string[]> {
  const { task_no: taskNo } = await customer.send(phones, more);
  return (await receiptsOf(customer, taskNo)).map(({ firm, code }) => `${firm} ${code}`);
}

test('a number repeats itself in any spelling; the first is sent, the others are not priced', async () => {
  const customer = await service.addCustomer();
  const spellings = ['138 0013-8000', '13800138000', '+8613800138000', '0086 13800138000', '86 138 0013 8000'];
  const { task_no: taskNo } = await customer.send([...spellings, '13800138001', '13800138001']);
  const receipts = await receiptsOf(customer, taskNo);
  const repeated = 'duplicate_number';
  expect(receipts.map(({ phone, code }) => [phone, code])).toEqual([
    ['138 0013-8000', 'DELIVRD'],
    ...spellings.slice(1).map((phone) => [phone, repeated]),
    ['13800138001', 'DELIVRD'],
    ['13800138001', repeated],
  ]);
  const rejected = { result: 'rejected', parts: 0, price: '0.000000', firm: null, submitted_at: null, done_at: null };
  for (const receipt of receipts.filter(({ code }) => code === repeated)) expect(receipt).toMatchObject(rejected);
  expect(await customer.client.task(taskNo)).toMatchObject({
    counts: { total: 7, rejected: 5, delivered: 2 },
    amounts: { frozen: '0.100000', charged: '0.100000' },
  });
  const freezes = await allOf(customer.client.ledgers({ taskNo, type: 'freeze' }));
  expect(freezes.map((entry) => entry.numbers)).toEqual([2]);
});

test('what is no number gets its receipt, and a task of nothing else is completed without money', async () => {
  const customer = await service.addCustomer();
  const phones = ['123', 'hello', '+86 1380013800', '10000000000', '13800138000x', '你好'];
  const { task_no: taskNo } = await customer.send(phones);
  const receipts = await receiptsOf(customer, taskNo);
  expect(receipts.map(({ phone, result, code }) => [phone, result, code])).toEqual(
    phones.map((phone) => [phone, 'rejected', 'invalid_number']),
  );
  const task = await customer.client.task(taskNo);
  expect(task).toMatchObject({ accounting_state: 'none', receipt_state: 'complete', amounts: { frozen: '0.000000' } });
  expect(task.timeline.map((entry) => entry.stage)).toEqual(['queued', 'prepared', 'completed']);
  expect(await allOf(customer.client.ledgers({ taskNo }))).toEqual([]);
});

describe('routing', () => {
  const [mobile, unicom, vip] = ['13800138000', '13000138000', '13011118000'];
  const phones = [mobile, unicom, vip] as string[];

  test('the longest prefix wins, and each firm has its price', async () => {
    const customer = await service.addCustomer({ channelNos: [service.channelNo, unicomChannel] });
    await service.operator.createPrice(customer.customerNo, { firm: 'unicom', unit_price: '0.080000' });
    await service.operator.createPrice(customer.customerNo, { firm: 'vip', unit_price: '0' });
    const { task_no: taskNo } = await customer.send(phones);
    const receipts = await receiptsOf(customer, taskNo);
    expect(receipts.map(({ firm, price }) => [firm, price])).toEqual([
      ['cmcc', '0.050000'],
      ['unicom', '0.080000'],
      ['vip', '0.000000'],
    ]);
    const task = await customer.client.task(taskNo);
    expect(task.amounts).toMatchObject({ frozen: '0.130000', charged: '0.130000' });
  });

  test('no channel that the customer was granted, no way', async () => {
    const customer = await service.addCustomer({ channelNos: [unicomChannel] });
    expect(await outcomes(customer, phones)).toEqual(['null no_route', 'unicom DELIVRD', 'vip DELIVRD']);
    const sending = customer.send(phones, { target_firms: ['cmcc'] });
    await expect(sending).rejects.toMatchObject({ status: 422, code: 'firm_unavailable' });
  });

  test('only through the firms that were asked for', async () => {
    const customer = await service.addCustomer({ channelNos: [service.channelNo, unicomChannel] });
    const asked = { target_firms: ['unicom'] };
    expect(await outcomes(customer, phones, asked)).toEqual(['null no_route', 'unicom DELIVRD', 'unicom DELIVRD']);
  });

  test('only through the firms that the template is approved for', async () => {
    const channelNos = [service.channelNo, unicomChannel];
    const customer = await service.addCustomer({ channelNos, templateFirms: ['vip'] });
    expect(await outcomes(customer, phones)).toEqual(['null no_route', 'null no_route', 'vip DELIVRD']);
    const sending = customer.send(phones, { target_firms: ['unicom'] });
    await expect(sending).rejects.toMatchObject({ status: 422, code: 'firm_unavailable' });
  });

  test('two channels of a firm share the load, in one task and over many, until one is gone', async () => {
    const channelNos = [await service.addChannel(['cmcc']), await service.addChannel(['cmcc'])];
    const customer = await service.addCustomer({ channelNos });
    const sharesOf = async (taskNos: readonly string[]) => {
      for (const taskNo of taskNos) await customer.completed(taskNo);
      const rows = await service.sql<{ channelNo: string; parts: number }[]>`
        select c.channel_no as "channelNo", count(*)::int as parts from submit s
        join channel c on c.channel_id = s.channel_id
        join customer k on k.customer_id = s.customer_id and k.customer_no = ${customer.customerNo}
        group by c.channel_no`;
      return channelNos.map((channelNo) => rows.find((row) => row.channelNo === channelNo)?.parts ?? 0);
    };
    const many = Array.from({ length: 1000 }, (_, index) => String(13_800_100_000 + index));
    const { task_no: big } = await customer.send(many);
    const afterOne = await sharesOf([big]);
    expect(afterOne[0]).toBe(afterOne[1]);
    const sent = await Promise.all(many.slice(0, 60).map((phone) => customer.send([phone])));
    const afterMany = await sharesOf(sent.map((task) => task.task_no));
    for (const at of [0, 1]) expect((afterMany[at] ?? 0) - (afterOne[at] ?? 0)).toBeGreaterThan(10);
    const [gone = ''] = channelNos;
    await service.operator.updateChannel(gone, { status: 'disabled' });
    const { task_no: last } = await customer.send(many.slice(0, 100));
    expect(await sharesOf([last])).toEqual([afterMany[0], (afterMany[1] ?? 0) + 100]);
  });
});

describe('opting out', () => {
  test('a handset that replies STOP is not written to again by this customer, and by others is', async () => {
    const customer = await service.addCustomer();
    const other = await service.addCustomer();
    expect(await outcomes(customer, ['13800139009'])).toEqual(['cmcc DELIVRD']);
    await until(async () => (await customer.client.uplinks().page()).total === 1);
    expect(await outcomes(customer, ['+86 138 0013 9009', '13800139001'])).toEqual(['null opted_out', 'cmcc DELIVRD']);
    expect(await outcomes(other, ['13800139001', '13800139009'])).toEqual(['cmcc DELIVRD', 'cmcc DELIVRD']);
  });

  test("the operator's list works the same, in any spelling, both ways", async () => {
    const customer = await service.addCustomer();
    await service.operator.addOptOut(customer.customerNo, '138 0013 8000');
    const { task_no: taskNo } = await customer.send(['+8613800138000', '13800138001']);
    const receipts = await receiptsOf(customer, taskNo);
    expect(receipts[0]).toMatchObject({ result: 'rejected', code: 'opted_out', price: '0.000000' });
    expect(await customer.client.task(taskNo)).toMatchObject({ amounts: { frozen: '0.050000' } });
    await service.operator.removeOptOut(customer.customerNo, '+8613800138000');
    expect(await outcomes(customer, ['13800138000'])).toEqual(['cmcc DELIVRD']);
  });

  test('the words, in any case and alone', async () => {
    const customer = await service.addCustomer();
    const [row] = await service.sql<
      { bucket: number; customerId: bigint; serviceAccountId: bigint; channelId: bigint; token: bigint }[]
    >`
      select u.bucket, a.customer_id as "customerId", a.service_account_id as "serviceAccountId", c.channel_id as "channelId",
        f.token
      from service_account a join customer u on u.customer_id = a.customer_id, channel c
      join channel_fence f on f.channel_id = c.channel_id
      where a.service_account_no = ${customer.serviceAccountNo} and c.channel_no = ${service.channelNo}`;
    const { bucket, customerId, serviceAccountId, channelId, token } = row ?? expect.fail('no service account');
    const view = createSnapshotView();
    const account = { serviceAccountId, serviceAccountNo: '', customerId: asCustomerId(customerId), name: '' };
    const accounts = [
      {
        ...account,
        sender: customer.sender,
        status: 'active' as const,
        signature: null,
        signaturePosition: 'head' as const,
      },
    ];
    const none = {
      firms: [],
      channels: [],
      customers: [],
      credentials: [],
      operators: [],
      templates: [],
      grants: [],
      prices: [],
      costs: [],
      filings: [],
      blockedWords: [],
    };
    view.apply({ ...none, version: 1n, serviceAccounts: accounts });
    const from = '8613800138000';
    const write = async (text: string): Promise<string> => {
      const message = { kind: 'uplink', from, to: customer.sender, text, ack: () => {}, nack: () => {} } as const;
      const deps = {
        sql: service.sql,
        snapshot: () => ({ ...view, tenants: () => [{ bucket, customerId: asCustomerId(customerId) }] }),
        region: 'CN',
        recorder: { flush: async () => {} },
        now: Date.now,
      } as const;
      expect(await createUplinkStore(deps, { channelId, token })(message)).toBe(true);
      const [outcome] = await outcomes(customer, ['13800138000']);
      return outcome ?? '';
    };
    const [out, sent] = ['null opted_out', 'cmcc DELIVRD'];
    for (const word of ['STOP', 'stop', 'Unsubscribe', 'td', '退订', ' Stop\n']) {
      expect([word, await write(word)]).toEqual([word, out]);
      // Anything else leaves it as it is.
      expect([word, await write('hello, start again?')]).toEqual([word, out]);
      expect([word, await write('Start')]).toEqual([word, sent]);
    }
    for (const text of ['please stop', 'STOP!', '不退订', 'stopstop']) {
      expect([text, await write(text)]).toEqual([text, sent]);
    }
  });
});
