// Codes go before notices before promotions on a channel, of any customers, and a change of class moves what is queued.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const phonesFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => `139${first + at}`);

async function addTemplate(customer: ServiceCustomer, messageClass: 'otp' | 'notice' | 'promotion'): Promise<string> {
  const { template_no } = await service.operator.createTemplate(customer.customerNo, {
    name: messageClass,
    body: messageClass,
    class: messageClass,
    service_account_no: customer.serviceAccountNo,
  });
  return template_no;
}

/** The classes of what the upstream was given, in order, by the texts of the templates. */
async function submitted(customerNo: string): Promise<readonly string[]> {
  const rows = await service.sql<{ class: string }[]>`
    select m.class from submit s join task t using (bucket, customer_id, task_id) join template m using (template_id)
    join customer c on c.customer_id = s.customer_id where c.customer_no = ${customerNo} order by s.submit_id`;
  return rows.map((row) => row.class);
}

test('a code overtakes the backlog of promotions of its own customer and of others', async () => {
  const channelNo = await service.addChannel(['cmcc'], { test_numbers: false }, 5);
  const [ann, bob] = [
    await service.addCustomer({ channelNos: [channelNo] }),
    await service.addCustomer({ channelNos: [channelNo] }),
  ];
  const promotion = await addTemplate(ann, 'promotion');
  const codes = [await addTemplate(ann, 'otp'), await addTemplate(bob, 'otp')];
  const backlog = await ann.send(phonesFrom(10_000_000, 500), { template_no: promotion });
  await ann.taskWhen(backlog.task_no, ({ counts }) => counts.unsent < 498);
  const sent = [await ann.send(phonesFrom(20_000_000, 1), { template_no: codes[0] ?? '' })];
  sent.push(await bob.send(phonesFrom(20_000_001, 1), { template_no: codes[1] ?? '' }));
  await ann.completed(sent[0]?.task_no ?? '');
  await bob.completed(sent[1]?.task_no ?? '');
  const { counts, class: shown } = await ann.client.task(backlog.task_no);
  expect([counts.unsent > 350, shown, sent[0]?.class]).toEqual([true, 'promotion', 'otp']);
  await ann.client.cancelTask(backlog.task_no);
});

test('with the class of a template, the place of what is queued changes', async () => {
  const channelNo = await service.addChannel(['cmcc'], { test_numbers: false }, 5);
  const ann = await service.addCustomer({ channelNos: [channelNo] });
  const [promotion, other] = [await addTemplate(ann, 'promotion'), await addTemplate(ann, 'promotion')];
  const first = await ann.send(phonesFrom(30_000_000, 300), { template_no: promotion });
  await ann.taskWhen(first.task_no, ({ counts }) => counts.unsent < 300);
  const second = await ann.send(phonesFrom(40_000_000, 10), { template_no: other });
  await ann.taskWhen(second.task_no, ({ stage }) => stage === 'submitting');
  await service.operator.updateTemplate(ann.customerNo, other, { class: 'otp' });
  await ann.completed(second.task_no);
  expect((await ann.client.task(first.task_no)).counts.unsent).toBeGreaterThan(150);
  expect((await ann.client.task(second.task_no)).class).toBe('otp');
  await ann.client.cancelTask(first.task_no);
});

test('tasks and templates are listed by class', async () => {
  const ann = await service.addCustomer();
  const [code] = [await addTemplate(ann, 'otp'), await addTemplate(ann, 'promotion')];
  const task = await ann.send(phonesFrom(50_000_000, 1), { template_no: code });
  await ann.send(phonesFrom(50_000_001, 1));
  await ann.completed(task.task_no);
  const numbersOf = async (list: AsyncIterable<{ task_no?: string; template_no?: string | null }>) => {
    const found: (string | null | undefined)[] = [];
    for await (const item of list) found.push(item.task_no ?? item.template_no);
    return found;
  };
  expect(await numbersOf(ann.client.tasks({ class: 'otp' }))).toEqual([task.task_no]);
  expect(await numbersOf(ann.client.tasks({ class: 'promotion' }))).toEqual([]);
  expect(await numbersOf(ann.client.templates({ class: 'otp' }))).toEqual([code]);
  expect(await numbersOf(service.operator.templates(ann.customerNo, { class: 'otp' }))).toEqual([code]);
  const own = { customerNo: ann.customerNo, class: 'otp' } as const;
  expect(await numbersOf(service.operator.tasks(own))).toEqual([task.task_no]);
  await until(async () => (await submitted(ann.customerNo)).length === 2);
  expect((await submitted(ann.customerNo)).toSorted()).toEqual(['notice', 'otp']);
});
