// What a task is called and what it says stay with it: in the task, its receipts and its batch.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';

let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer({ body: 'Hello {p1}, 100%' });
});
afterAll(() => service.stop());

const all = { auto_prepare: true, auto_freeze: true, auto_submit: true };

describe('the text', () => {
  test.each([
    ['goes all the way in one step', all],
    ['waits to be prepared', { auto_prepare: false }],
  ])('of a task that %s is what was sent, whatever becomes of its template', async (_, automation) => {
    const { client, templateNo } = customer;
    const request = { template_no: templateNo, phones: ['13800139001'], variable_values: { p1: 'Ann' }, ...automation };
    const { task_no: taskNo } = await client.send(request);
    await service.operator.updateTemplate(customer.customerNo, templateNo, { body: 'Other {p1}' });
    await service.operator.updateTemplate(customer.customerNo, templateNo, { body: 'Hello {p1}, 100%' });
    if (automation === all) await customer.completed(taskNo);
    else await client.cancelTask(taskNo);
    const shown = { template_body: 'Hello {p1}, 100%', variable_values: { p1: 'Ann' } };
    expect(await client.task(taskNo)).toMatchObject(shown);
    expect(await allOf(client.receipts({ taskNo, include: 'text' }))).toMatchObject([{ text: 'Hello Ann, 100%' }]);
    const [plain] = await allOf(client.receipts({ taskNo }));
    expect(plain).not.toHaveProperty('text');
  });

  test('of numbers with values of their own is that of each, also in a file', async () => {
    const { client, templateNo } = customer;
    const recipients = ['Ann', 'Bob'].map((p1, at) => ({ phone: `1380013900${at + 1}`, variable_values: { p1 } }));
    const { task_no: taskNo } = await client.send({ template_no: templateNo, recipients, ...all });
    await customer.completed(taskNo);
    expect(await client.task(taskNo)).toMatchObject({ template_body: 'Hello {p1}, 100%', variable_values: null });
    const receipts = await allOf(client.receipts({ taskNo, include: 'text' }));
    expect(Object.fromEntries(receipts.map(({ seq, text }) => [seq, text]))).toEqual({
      1: 'Hello Ann, 100%',
      2: 'Hello Bob, 100%',
    });
    const readCsv = async (filters: object) => {
      let file = '';
      for await (const piece of client.receipts({ taskNo, ...filters }).csv()) file += piece;
      return file.split('\r\n');
    };
    const [head, ...rows] = await readCsv({ include: 'text' });
    expect(head).toMatch(/received_at,text,cursor$/);
    const texts = rows.map((row) => /,"(Hello .*)",[\w-]+$/.exec(row)?.[1]);
    expect(texts.sort()).toEqual(['Hello Ann, 100%', 'Hello Bob, 100%', undefined]);
    expect((await readCsv({}))[0]).toMatch(/received_at,cursor$/);
  });
});

describe('the title', () => {
  test('is shown and found by its beginning, and a repeat under another one is the same task', async () => {
    const { client, templateNo } = customer;
    const request = { template_no: templateNo, phones: ['13800139001'], variable_values: { p1: 'x' } };
    const send = (title: string, id: string) => client.send({ ...request, title, client_request_id: id });
    const first = await send('May 50%_a', 'title-1');
    await send('May 50% b', 'title-2');
    await send('may', 'title-3');
    expect(first.title).toBe('May 50%_a');
    expect(await send('June', 'title-1')).toMatchObject({ task_no: first.task_no, title: 'May 50%_a' });
    const titles = async (title: string) => (await allOf(client.tasks({ title }))).map((task) => task.title);
    expect(await titles('May')).toEqual(['May 50%_a', 'May 50% b']);
    expect(await titles('May 50%_')).toEqual(['May 50%_a']);
    expect(await titles('y 50')).toEqual([]);
    await expect(send('x'.repeat(101), 'title-4')).rejects.toMatchObject({
      errors: [expect.objectContaining({ pointer: '/title', code: 'too_long' })],
    });
  });

  test('of a batch is that of its first task', async () => {
    const { client, templateNo } = customer;
    const request = {
      template_no: templateNo,
      phones: ['13800139001'],
      variable_values: { p1: 'x' },
      batch_id: 'spring',
    };
    await client.send({ ...request, title: 'Spring sale' });
    expect(await client.batch('spring')).toMatchObject({ title: 'Spring sale' });
    expect((await allOf(client.batches({ title: 'Spring' }))).map(({ batch_id: id }) => id)).toEqual(['spring']);
    expect(await allOf(client.batches({ title: 'Summer' }))).toEqual([]);
  });
});
