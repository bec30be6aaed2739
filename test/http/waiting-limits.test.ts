// What a customer may have waiting is limited, so that one without money cannot fill the disk with tasks for later.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWaitingVolume } from '../../src/store/task/waiting-volume.js';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';
import { until } from '../support/until.js';

const SEND = '/openapi/v1/messages/send/';
const PHONES = Array.from({ length: 10 }, (_, at) => `1380013800${at}`);

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.stop());

async function addLimited(name: string, limits: Readonly<Record<string, number>>): Promise<TestCustomer> {
  const customer = await service.addCustomer(name);
  await service.change(
    (sql, version) =>
      sql`update customer set ${sql({ ...limits, version })} where customer_id = ${customer.customerId}`,
  );
  return customer;
}

const sendIn89Days = (customer: TestCustomer, more: object = {}) =>
  service.call(customer, SEND, {
    body: {
      template_no: customer.templateNo,
      phones: PHONES,
      send_at: new Date(Date.now() + 89 * 86_400_000).toISOString(),
      ...more,
    },
  });

test.each([
  ['tasks', { waiting_tasks_limit: 5 }],
  ['numbers', { waiting_numbers_limit: 55 }],
])('above the limit of %s a send is answered 429 with the reason', async (what, limits) => {
  const customer = await addLimited(`limited-${what}`, limits);
  for (let nth = 0; nth < 5; nth++) {
    expect((await sendIn89Days(customer, { client_request_id: `${nth}` })).status).toBe(200);
  }
  const refused = await sendIn89Days(customer, { client_request_id: 'one too many' });
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('60');
  expect(refused.body).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining(`more ${what} would wait`),
  });
  // A repeat of what was accepted is answered as before.
  const repeated = await service.call(customer, SEND, {
    body: { template_no: customer.templateNo, phones: PHONES, client_request_id: '0' },
  });
  expect(repeated.status).toBe(409);
  // Others are not concerned.
  expect((await sendIn89Days(await service.addCustomer(`beside-${what}`))).status).toBe(200);
});

test('bytes are limited too', async () => {
  const customer = await addLimited('limited-bytes', { waiting_mebibytes_limit: 1 });
  // About 70 KiB a request.
  const phones = Array.from({ length: 5000 }, (_, at) => `138${at + 10_000_000}`);
  const statuses: number[] = [];
  for (let nth = 0; nth < 20; nth++)
    statuses.push((await sendIn89Days(customer, { phones, client_request_id: `${nth}` })).status);
  expect(new Set(statuses.slice(0, 10))).toEqual(new Set([200]));
  expect(statuses.at(-1)).toBe(429);
});

test('chunks of which nothing was sent wait; those that are on their way do not', async () => {
  const customer = await service.addCustomer('has-chunks');
  const { sql } = service;
  const tenant = { bucket: await bucketOf(customer), customerId: customer.customerId };
  for (const [at, intendedAt] of [null, new Date()].entries()) {
    await sql`
      insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_states,
        results, intended_at)
      values (${tenant.bucket}, ${tenant.customerId}, 7, ${at}, 1, 1, 'cmcc', 0, 'twelve bytes', ${Buffer.alloc(10)}, ${Buffer.alloc(10)},
        ${intendedAt})`;
  }
  expect(await readWaitingVolume(sql, tenant)).toEqual({ tasks: 1, numbers: 10, bytes: 12 });
});

async function bucketOf({ customerId }: TestCustomer): Promise<number> {
  const [row] = await service.sql<{ bucket: number }[]>`select bucket from customer where customer_id = ${customerId}`;
  return row?.bucket ?? 0;
}

test('what no longer waits makes room', async () => {
  const customer = await addLimited('makes-room', { waiting_tasks_limit: 2 });
  const first = await sendIn89Days(customer);
  await sendIn89Days(customer, { phones: PHONES.slice(1) });
  expect((await sendIn89Days(customer, { phones: PHONES.slice(2) })).status).toBe(429);
  const cancelled = await service.call(customer, `/openapi/v1/messages/tasks/${first.body.task_no}/cancel/`, {
    method: 'POST',
  });
  expect(cancelled.status).toBe(200);
  await until(
    'there is room again',
    async () => (await sendIn89Days(customer, { phones: PHONES.slice(3) })).status === 200,
  );
});
