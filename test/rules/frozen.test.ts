// A changed price, text or cap applies to what is prepared after it. What is frozen keeps its price, text, parts and route, unless
// a filing (which a new signature ends), an opt-out or blocked words forbid it since: test/pipeline/rules/handover.test.ts.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const PHONE = '13800138000';
const BODY = 'Your parcel {p1} is here';

test('rules that change after the freeze leave a task as it is, and meet the next one', async () => {
  const { operator } = service;
  const strict = await service.addChannel(['cmcc']);
  await operator.updateChannel(strict, { requires_filing: true });
  const { customerNo, serviceAccountNo, templateNo, client, ...customer } = await service.addCustomer({
    body: BODY,
    channelNos: [strict],
  });
  await operator.updateServiceAccount(customerNo, serviceAccountNo, { signature: 'Acme' });
  await operator.setFiling(customerNo, serviceAccountNo, { channel_no: strict, status: 'filed' });
  const values = { variable_values: { p1: '4711' } };
  const { task_no: taskNo } = await customer.send([PHONE], { ...values, auto_submit: false });
  const frozen = await customer.taskWhen(taskNo, ({ accounting_state }) => accounting_state === 'frozen');
  expect(frozen.amounts).toMatchObject({ price: '0.050000', frozen: '0.050000' });

  await operator.createPrice(customerNo, { firm: 'cmcc', unit_price: '0.5' });
  await operator.updateCustomer(customerNo, { caps: [{ class: null, scope: 'customer', count: 1, per: '1h' }] });
  await operator.updateTemplate(customerNo, templateNo, { body: 'Another text {p1}'.repeat(20) });

  await client.submitTask(taskNo);
  const { amounts } = await customer.completed(taskNo);
  expect(amounts).toMatchObject({ price: '0.050000', charged: '0.050000', held: '0.000000' });
  const [receipt] = (await client.receipts({ taskNo, include: 'text' }).page()).items;
  expect(receipt).toMatchObject({
    result: 'delivered',
    parts: 1,
    price: '0.050000',
    text: '【Acme】Your parcel 4711 is here',
  });
  const [submit] = (await client.submits({ taskNo }).page()).items;
  expect(submit).toMatchObject({ status: 'accepted', parts: 1 });

  await operator.addBlockedWords({ words: ['parcel'], customer_no: customerNo });
  await operator.setFiling(customerNo, serviceAccountNo, { channel_no: strict, status: 'rejected' });
  await operator.updateServiceAccount(customerNo, serviceAccountNo, { signature: '另一个签名' });
  // The next one meets all of them: it has no route where it is not filed, and elsewhere another price, text and cap.
  const preview = async () => await client.preview({ template_no: templateNo, phones: [PHONE], ...values });
  expect((await preview()).rejections).toMatchObject([{ code: 'no_route' }]);
  await operator.grantChannel(customerNo, service.channelNo);
  const [sample] = (await preview()).samples;
  expect(sample?.text).toContain('【另一个签名】Another text 4711');
  expect(sample?.price).toBe(((sample?.parts ?? 0) * 0.5).toFixed(6));
  await customer.completed((await customer.send([PHONE], values)).task_no);
  expect((await preview()).rejections).toMatchObject([{ code: 'frequency_capped' }]);
});
