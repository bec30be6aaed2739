// The client against the service itself. What happens on the wire is made to fail by a fetch that lets the request through
// and loses the answer.

import { PostriderClient, type PostriderClientOptions } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';

let service: HttpService;
let customer: TestCustomer;
let baseUrl: string;

beforeAll(async () => {
  service = await startHttpService();
  customer = await service.addCustomer('sdk', { templateBody: 'Hello {p1}' });
  baseUrl = `http://127.0.0.1:${await service.listen()}`;
});
afterAll(() => service.stop());

function createClient(options: Partial<PostriderClientOptions> = {}): PostriderClient {
  return new PostriderClient({
    baseUrl,
    apiKey: customer.apiKey,
    apiSecret: customer.secret,
    retry: { firstDelayMs: 1 },
    ...options,
  });
}

const request = (id?: string) => ({
  template_no: customer.templateNo,
  phones: ['13800139001', '退'],
  variable_values: { p1: '安娜' },
  ...(id === undefined ? {} : { client_request_id: id }),
});

/** The service hears everything; the first answers that match are lost on the way back. */
function loseAnswers(method: string, count: number): { fetch: typeof fetch; seen: string[] } {
  const seen: string[] = [];
  let left = count;
  return {
    seen,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      seen.push(init?.method ?? 'GET');
      if (init?.method !== method || left === 0) return response;
      left -= 1;
      await response.arrayBuffer();
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    },
  };
}

async function countTasks(client: PostriderClient, clientRequestId: string): Promise<number> {
  return (await client.tasks({ clientRequestId }).page()).total;
}

test('a signed send is accepted, found and read back in every script', async () => {
  const client = createClient();
  const task = await client.send(request('order/1 & 退=?'));
  expect(task).toMatchObject({
    client_request_id: 'order/1 & 退=?',
    template_no: customer.templateNo,
    stage: 'queued',
  });
  expect(task.counts.total).toBe(2);
  expect((await client.findTask('order/1 & 退=?'))?.task_no).toBe(task.task_no);
  expect((await client.task(task.task_no)).timeline[0]?.stage).toBe('queued');
  expect(await client.findTask('never sent')).toBeNull();
});

test('the same request again is a replay, another payload is a conflict', async () => {
  const client = createClient();
  const first = await client.sendOrReplay(request('twice'));
  const second = await client.sendOrReplay(request('twice'));
  expect([first.replayed, second.replayed]).toEqual([false, true]);
  expect(second.task.task_no).toBe(first.task.task_no);
  const other = client.send({ ...request('twice'), phones: ['13800139002'] });
  await expect(other).rejects.toMatchObject({ status: 409, code: 'idempotency_conflict' });
});

test('a lost answer makes one task, found by its id instead of being sent again', async () => {
  const wire = loseAnswers('POST', 1);
  const client = createClient({ fetch: wire.fetch });
  const task = await client.send(request('lost'));
  expect(wire.seen).toEqual(['POST', 'GET']);
  expect(await countTasks(client, 'lost')).toBe(1);
  expect(task.client_request_id).toBe('lost');
});

test('a lost answer to a request that conflicts with an older one still ends as a conflict', async () => {
  await createClient().send(request('older'));
  const wire = loseAnswers('POST', 1);
  // A task carries its time in its number and cannot be made older; the clock of the service can be put on instead.
  const anHourLater: typeof fetch = async (input, init) => {
    const response = await wire.fetch(input, init);
    const headers = { date: new Date(Date.now() + 3_600_000).toUTCString() };
    return new Response(await response.text(), { status: response.status, headers });
  };
  const sending = createClient({ fetch: anHourLater }).send({ ...request('older'), phones: ['13800139002'] });
  await expect(sending).rejects.toMatchObject({ code: 'idempotency_conflict' });
});

test('the faults of a request come back with their pointers', async () => {
  const sending = createClient().send({ ...request(), phones: [], auto_prepare: false, auto_freeze: true });
  await expect(sending).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    requestId: expect.stringMatching(/./),
    errors: expect.arrayContaining([expect.objectContaining({ pointer: '/phones', code: 'too_few' })]),
  });
});

test('a clock that is an hour off is corrected by what the service says', async () => {
  const clock = { now: () => Date.now() - 3_600_000, sleep: () => Promise.resolve() };
  const account = await createClient({ clock }).account();
  expect(account).toMatchObject({ customer_no: customer.customerNo, currency: 'CNY', available: '0.000000' });
});

test('a wrong secret is reported as such', async () => {
  await expect(createClient({ apiSecret: 'other' }).account()).rejects.toMatchObject({ code: 'invalid_signature' });
});

test('a walk sees every task once, newest first', async () => {
  const walker = await service.addCustomer('walker');
  const client = createClient({ apiKey: walker.apiKey, apiSecret: walker.secret });
  const sent: string[] = [];
  for (let count = 0; count < 25; count += 1) {
    sent.push((await client.send({ template_no: walker.templateNo, phones: ['13800139001'] })).task_no);
  }
  const seen: string[] = [];
  for await (const task of client.tasks({ pageSize: 7 })) seen.push(task.task_no);
  expect(seen).toEqual(sent.reverse());
  const second = await client.tasks({ pageSize: 10 }).page({ page: 2 });
  expect(second.items.map((task) => task.task_no)).toEqual(seen.slice(10, 20));
  expect(second).toMatchObject({ page: 2, page_size: 10, total: 25, total_is_exact: true });
});

test('every list answers, and an unknown filter value is a fault of the query', async () => {
  const client = createClient();
  const lists = [client.receipts(), client.uplinks(), client.ledgers(), client.submits(), client.deliveries()];
  for (const list of lists) expect((await list.page()).items).toEqual([]);
  const wrong = client.receipts({ result: 'lost' as never }).page();
  await expect(wrong).rejects.toMatchObject({ errors: [expect.objectContaining({ pointer: '?result' })] });
  await expect(client.tasks({ startAt: new Date(0), endAt: new Date() }).page()).resolves.toMatchObject({ page: 1 });
});
