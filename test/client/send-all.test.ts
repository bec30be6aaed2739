// Sending more numbers than a task holds, through the client, to a real service.

import {
  cutRequests,
  PostriderClient,
  PostriderError,
  type SendAllNumber,
  type SendAllProgress,
} from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOf, type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;
let customer: ServiceCustomer;

beforeAll(async () => {
  service = await startService();
  customer = await service.addCustomer({ body: 'Hello {p1}' });
});
afterAll(() => service.stop());

/** None of the test numbers: those end in another digit. */
const phone = (at: number) => `139${String(at).padStart(7, '0')}0`;
const request = (batch_id?: string) => ({
  template_no: customer.templateNo,
  variable_values: { p1: 'all' },
  auto_freeze: true,
  auto_submit: true,
  ...(batch_id === undefined ? {} : { batch_id }),
});
async function* stream(count: number, seen: { read: number } = { read: 0 }): AsyncGenerator<string> {
  for (; seen.read < count; seen.read += 1) yield phone(seen.read);
}
const finished = async (batchId: string) => {
  await until(async () => (await customer.client.batch(batchId)).completed_at !== null);
  return await customer.client.batch(batchId);
};

describe('sendAll', () => {
  test('sends a stream of any length as one batch, each number once', async () => {
    const progress: SendAllProgress[] = [];
    const summary = await customer.client.sendAll(request('stream'), stream(12_345), {
      onProgress: (one) => void progress.push(one),
    });
    expect(summary).toEqual({ batch_id: 'stream', tasks: 3, numbers: 12_345, replayed: 0 });
    expect(progress.map(({ index }) => index).sort()).toEqual([1, 2, 3]);
    expect(progress.at(-1)).toMatchObject({ ...summary, isReplay: false });
    expect(await finished('stream')).toMatchObject({
      tasks: 3,
      stages: { completed: 3 },
      counts: { total: 12_345, delivered: 12_345 },
      amounts: { frozen: '617.250000', charged: '617.250000', held: '0.000000' },
    });
    const receipts = await allOf(customer.client.receipts({ batchId: 'stream' }));
    expect(new Set(receipts.map((receipt) => receipt.phone)).size).toBe(12_345);
    expect(receipts).toHaveLength(12_345);
    const ids = (await allOf(customer.client.tasks({ batchId: 'stream' }))).map((task) => task.client_request_id);
    expect(ids.sort()).toEqual(['stream', 'stream.2', 'stream.3']);
  });

  test('repeated, sends nothing again and goes on where it broke off', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield* stream(25);
      throw new Error('the disk is gone');
    }
    const options = { numbersPerTask: 10 };
    await expect(customer.client.sendAll(request('resumed'), broken(), options)).rejects.toThrow('the disk is gone');
    expect((await customer.client.batch('resumed')).tasks).toBe(2);
    const again = await customer.client.sendAll(request('resumed'), stream(45), options);
    expect(again).toEqual({ batch_id: 'resumed', tasks: 5, numbers: 45, replayed: 2 });
    expect((await customer.client.sendAll(request('resumed'), stream(45), options)).replayed).toBe(5);
    expect((await finished('resumed')).counts).toMatchObject({ total: 45, delivered: 45 });
    expect((await allOf(customer.client.submits({ batchId: 'resumed' }))).length).toBe(45);
  });

  test('refuses other numbers under a name that was used', async () => {
    await customer.client.sendAll(request('taken'), [phone(1)]);
    const other = customer.client.sendAll(request('taken'), [phone(2)]);
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect((await customer.client.batch('taken')).counts.total).toBe(1);
  });

  test('recognises an input without a name by its first numbers', async () => {
    const first = await customer.client.sendAll(request(), [phone(1), phone(2)]);
    expect(first.batch_id).toMatch(/^made-[0-9a-f]{32}$/);
    expect(await customer.client.sendAll(request(), [phone(1), phone(2)])).toEqual({ ...first, replayed: 1 });
    expect((await customer.client.sendAll(request(), [phone(2), phone(1)])).batch_id).not.toBe(first.batch_id);
  });

  test('lets a number have variables of its own, and the common ones where it has none', async () => {
    const numbers: SendAllNumber[] = [phone(1), { phone: phone(2), variable_values: ['Bob'] }];
    const seen: unknown[] = [];
    const common = { ...request('own'), variable_values: ['all', 'x'] };
    for await (const { request: one } of cutRequests(common, numbers)) seen.push(one.recipients);
    expect(seen).toEqual([
      [
        { phone: phone(1), variable_values: { p1: 'all', p2: 'x' } },
        { phone: phone(2), variable_values: { p1: 'Bob', p2: 'x' } },
      ],
    ]);
    await customer.client.sendAll(request('own'), numbers);
    expect((await finished('own')).counts).toMatchObject({ total: 2, delivered: 2 });
  });

  test('reads no further ahead than what is under way', async () => {
    const seen = { read: 0 };
    let underWay = 0;
    let most = 0;
    const counting: typeof fetch = async (input, init) => {
      underWay += 1;
      most = Math.max(most, underWay);
      // Five requests' worth: those under way, and the one that is being put together.
      const accepted = (await customer.client.tasks({ batchId: 'paced', pageSize: 1 }).page()).total;
      expect(seen.read).toBeLessThanOrEqual((accepted + 3 + 1) * 10);
      try {
        return await fetch(input, init);
      } finally {
        underWay -= 1;
      }
    };
    const { client } = await withFetch(counting);
    await client.sendAll(request('paced'), stream(200, seen), { numbersPerTask: 10, concurrency: 3 });
    expect(most).toBe(3);
  });

  test('waits where the service asks it to', async () => {
    let refused = 0;
    const busy: typeof fetch = async (input, init) => {
      if (refused < 3) {
        refused += 1;
        const status = refused === 2 ? 503 : 429;
        const code = status === 429 ? 'rate_limited' : 'unavailable';
        return Response.json({ code }, { status, headers: { 'retry-after': '0' } });
      }
      return await fetch(input, init);
    };
    const { client } = await withFetch(busy);
    const summary = await client.sendAll(request('busy'), stream(30), { numbersPerTask: 10 });
    expect(summary).toMatchObject({ tasks: 3, numbers: 30 });
  });

  test('stops at a refusal, and lets go of the input', async () => {
    let isOpen = true;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield phone(1);
      } finally {
        isOpen = false;
      }
    }
    const unknown = { ...request('refused'), template_no: 'M1' };
    await expect(customer.client.sendAll(unknown, endless(), { numbersPerTask: 5 })).rejects.toThrow(PostriderError);
    await expect.poll(() => isOpen).toBe(false);
  });

  test('of no numbers does nothing', async () => {
    expect(await customer.client.sendAll(request(), [])).toEqual({ batch_id: null, tasks: 0, numbers: 0, replayed: 0 });
  });

  test('names requests within 64 characters, whatever the batch is called', async () => {
    const ids: (string | undefined)[] = [];
    const long = request('😀'.repeat(64));
    for await (const cut of cutRequests(long, stream(3), 1)) ids.push(cut.request.client_request_id);
    expect(ids[0]).toBe('😀'.repeat(64));
    expect(ids.every((id) => [...(id ?? '')].length <= 64)).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });
});

async function withFetch(using: typeof fetch): Promise<{ client: PostriderClient }> {
  const credential = await service.operator.createCredential(customer.customerNo);
  const { api_key: apiKey, api_secret: apiSecret } = credential;
  return { client: new PostriderClient({ baseUrl: service.url, apiKey, apiSecret, fetch: using }) };
}
