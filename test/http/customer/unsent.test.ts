// The numbers of a task that were not handed over yet: the rows behind `counts.unsent`.

import type { PostriderClient, UnsentNumber } from '@postrider/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;
let customer: ServiceCustomer;
beforeAll(async () => {
  service = await startService();
  const slow = await service.addChannel(['cmcc'], {}, 20);
  customer = await service.addCustomer({ channelNos: [slow] });
});
afterAll(() => service.stop());

const PHONES = ['13800138003', 'nonsense', '13800138001', '13800138002'];

const phonesOf = (rows: readonly UnsentNumber[]) => rows.map(({ phone }) => phone);

/** In the order of the list. */
async function unsentOf(client: PostriderClient, taskNo: string, pageSize = 100): Promise<UnsentNumber[]> {
  const rows: UnsentNumber[] = [];
  for await (const row of client.unsent(taskNo, { pageSize })) rows.push(row);
  return rows;
}

it('are all that was sent for, as long as the task is not prepared', async () => {
  const { task_no: taskNo } = await customer.send(PHONES, {
    auto_prepare: false,
    auto_freeze: false,
    auto_submit: false,
  });
  const rows = await unsentOf(customer.client, taskNo);
  expect(phonesOf(rows)).toEqual(PHONES);
  expect(rows[0]).toEqual({ seq: 1, phone: '13800138003', firm: null, parts: null, price: null });
});

it('are those that can be sent once it is prepared, in the order of the request, by pages and as a file', async () => {
  const { client } = customer;
  const { task_no: taskNo } = await customer.send(PHONES, { auto_freeze: false, auto_submit: false });
  await customer.taskWhen(taskNo, (task) => task.stage === 'prepared');
  const rows = await unsentOf(client, taskNo);
  expect(rows.map(({ seq }) => seq)).toEqual([1, 3, 4]);
  expect(rows[0]).toEqual({ seq: 1, phone: '13800138003', firm: 'cmcc', parts: 1, price: '0.050000' });

  const first = await client.unsent(taskNo, { pageSize: 2 }).page();
  expect(first).toMatchObject({ total: 3, items: rows.slice(0, 2) });
  expect(await unsentOf(client, taskNo, 1)).toEqual(rows);
  let file = '';
  for await (const piece of client.unsent(taskNo).csv()) file += piece;
  expect(file.trim().split('\n')).toHaveLength(4);
});

it('are what is left of a task that was paused half-way, and none in the end', async () => {
  const { client } = customer;
  const phones = Array.from({ length: 60 }, (_, index) => String(13_900_000_000 + index));
  const { task_no: taskNo } = await customer.send(phones);
  await customer.taskWhen(taskNo, (task) => task.counts.delivered > 0);
  await client.pauseTask(taskNo);
  // What is on the wire counts as unsent until it is answered, and is in the list no more.
  await until(async () => {
    const { counts } = await client.task(taskNo);
    const rest = phonesOf(await unsentOf(client, taskNo));
    const sent = (await allOf(client.receipts({ taskNo }))).map(({ phone }) => phone);
    const isWhole = [...rest, ...sent].sort().join() === phones.join();
    return isWhole && rest.length > 0 && rest.length === counts.unsent && sent.length === counts.delivered;
  });

  await client.resumeTask(taskNo);
  await customer.taskWhen(taskNo, (task) => task.stage === 'completed');
  expect(await unsentOf(client, taskNo)).toEqual([]);
});

it('are not shown to other customers', async () => {
  const other = await service.addCustomer();
  const { task_no: taskNo } = await customer.send(PHONES, {
    auto_prepare: false,
    auto_freeze: false,
    auto_submit: false,
  });
  await expect(other.client.unsent(taskNo).page()).rejects.toMatchObject({ status: 404 });
});
