// A number is sent to no more often than caps allow, of however many tasks at once; rejected numbers do not count.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ONE_AN_HOUR = { class: null, scope: 'customer', count: 1, per: '1h' } as const;

async function codesOf(customer: ServiceCustomer, taskNo: string): Promise<(string | null)[]> {
  await customer.completed(taskNo);
  const { items } = await customer.client.receipts({ taskNo }).page();
  return items.map(({ result, code }) => (result === 'delivered' ? result : code));
}

test('of many tasks at once with a cap of one, one is sent', async () => {
  const ann = await service.addCustomer({ caps: [ONE_AN_HOUR] });
  const sent = await Promise.all(Array.from({ length: 20 }, () => ann.send(['13910000001'])));
  const codes = await Promise.all(sent.map(({ task_no }) => codesOf(ann, task_no)));
  expect(codes.flat().toSorted()).toEqual(['delivered', ...Array(19).fill('frequency_capped')]);
  const preview = await ann.client.preview({ template_no: ann.templateNo, phones: ['13910000001', '13910000002'] });
  expect([preview.sendable, preview.rejections.map(({ code }) => code)]).toEqual([1, ['frequency_capped']]);
  // What is capped costs nothing.
  const { amounts } = await ann.client.task((await ann.send(['13910000001'])).task_no);
  expect(amounts.frozen).toBe('0.000000');
});

test('numbers that are rejected later do not count', async () => {
  const ann = await service.addCustomer({ caps: [ONE_AN_HOUR] });
  // Refused by the upstream.
  expect(await codesOf(ann, (await ann.send(['13800139003'])).task_no)).not.toEqual(['frequency_capped']);
  expect(await codesOf(ann, (await ann.send(['13800139003'])).task_no)).not.toEqual(['frequency_capped']);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await ann.send(['13910000003'], { send_at: later });
  await ann.taskWhen(scheduled.task_no, ({ stage }) => stage === 'prepared');
  expect(await codesOf(ann, (await ann.send(['13910000003'])).task_no)).toEqual(['frequency_capped']);
  await ann.client.cancelTask(scheduled.task_no);
  expect(await codesOf(ann, (await ann.send(['13910000003'])).task_no)).toEqual(['delivered']);
});

test('caps by class and template count for themselves, and exempt numbers are not capped', async () => {
  const ann = await service.addCustomer({ caps: [{ class: 'otp', scope: 'template', count: 1, per: '60s' }] });
  const create = () =>
    service.operator.createTemplate(ann.customerNo, {
      name: 'Code',
      body: 'Code',
      class: 'otp',
      service_account_no: ann.serviceAccountNo,
    });
  const [one, two] = [await create(), await create()];
  const sendBy = async (templateNo: string, phone = '13910000004') =>
    codesOf(ann, (await ann.send([phone], { template_no: templateNo })).task_no);
  expect([await sendBy(one.template_no), await sendBy(one.template_no), await sendBy(two.template_no)]).toEqual([
    ['delivered'],
    ['frequency_capped'],
    ['delivered'],
  ]);
  expect([await sendBy(ann.templateNo), await sendBy(ann.templateNo)]).toEqual([['delivered'], ['delivered']]);
  await service.operator.addCapExemption(ann.customerNo, '13910000004');
  expect(await sendBy(one.template_no)).toEqual(['delivered']);
  const exempt = await service.operator.capExemptions(ann.customerNo).page();
  expect(exempt.items.map(({ phone }) => phone)).toEqual(['13910000004']);
  await service.operator.removeCapExemption(ann.customerNo, '+86 139 1000 0004');
  expect(await sendBy(one.template_no)).toEqual(['frequency_capped']);
});

test('a number may be sent to again when the time has passed', async () => {
  const ann = await service.addCustomer({ caps: [{ ...ONE_AN_HOUR, per: '2s' }] });
  expect(await codesOf(ann, (await ann.send(['13910000005'])).task_no)).toEqual(['delivered']);
  await until(async () => {
    const preview = await ann.client.preview({ template_no: ann.templateNo, phones: ['13910000005'] });
    return preview.sendable === 1;
  });
  expect(await codesOf(ann, (await ann.send(['13910000005'])).task_no)).toEqual(['delivered']);
});

test('bad caps are refused, all faults at once, and customers without caps leave no rows', async () => {
  const ann = await service.addCustomer();
  const wrong = [{ class: 'sms', scope: 'all', count: 0, per: '61 minutes' }] as never;
  const refused = await service.operator.updateCustomer(ann.customerNo, { caps: wrong }).catch((error) => error);
  const pointers = (refused as { errors?: readonly { pointer: string }[] }).errors?.map(({ pointer }) => pointer);
  expect(pointers).toEqual(['class', 'scope', 'count', 'per'].map((field) => `/caps/0/${field}`));
  await ann.completed((await ann.send(['13910000006'])).task_no);
  const rows = await service.sql`
    select 1 from cap_use u join customer c using (customer_id) where c.customer_no = ${ann.customerNo}`;
  expect(rows.length).toBe(0);
});
