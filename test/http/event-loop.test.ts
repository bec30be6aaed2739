// What takes long is done in slices: while one customer's requests are worked on, those of others are served. Counted by what
// is served in between, not by time.

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';
import { hostileBodies, largestSend, oddNumbers } from '../support/large-bodies.js';

const SEND = '/openapi/v1/messages/send/';
const PREVIEW = '/openapi/v1/messages/preview/';
const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService({ hasWorker: true });
  ann = await service.addCustomer('ann', { templateBody: 'Hello {p1}' });
  bob = await service.addCustomer('bob');
});
afterAll(() => service.stop());

/** How many requests of Bob, one after the other, are answered before this is done. */
async function countServed(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let served = 0;
  while (!isDone) {
    const { status } = await service.call(bob, '/openapi/v1/firms/');
    expect(status).toBe(200);
    served += 1;
    await setTimeout(2);
  }
  await done;
  return served;
}

describe('a hostile body', () => {
  it.each(Object.entries(hostileBodies))('of %s is refused before it is parsed', async (name, build) => {
    const body = build();
    let longest = 0;
    const parse = JSON.parse;
    // Not a mock, which would keep every text.
    JSON.parse = (text, reviver) => {
      longest = Math.max(longest, text.length);
      return parse(text, reviver);
    };
    const answer = await service.call(ann, SEND, { body }).finally(() => {
      JSON.parse = parse;
    });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(name === 'nested lists' ? 'malformed_json' : 'invalid_request');
    expect(longest).toBeLessThan(512 * 1024);
  });
});

describe('while others are served', () => {
  it('the largest legal send is accepted', async () => {
    const body = Buffer.from(JSON.stringify(largestSend(ann.templateNo)));
    expect(body.length).toBeGreaterThan(14 * 1024 * 1024);
    const sent = service.call(ann, SEND, { body });
    expect(await countServed(sent)).toBeGreaterThan(20);
    expect((await sent).body).toMatchObject({ stage: 'queued', counts: { total: 5000 } });
  });

  it('the same request again is found to be the same', async () => {
    const request = { ...largestSend(ann.templateNo, 500), client_request_id: 'large' };
    const first = await service.call(ann, SEND, { body: request });
    const again = await service.call(ann, SEND, { body: request });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.task_no).toBe(first.body.task_no);
  });

  it('previews of numbers in odd spellings are made', async () => {
    const body = { template_no: ann.templateNo, phones: oddNumbers(2000), variable_values: { p1: 'Ann' } };
    const previews = [1, 2, 3, 4].map(() => service.call(ann, PREVIEW, { body }));
    expect(await countServed(Promise.all(previews))).toBeGreaterThan(20);
    for (const { status } of await Promise.all(previews)) expect(status).toBe(200);
  });

  it('a customer with too many of them at once is refused, and others are not', async () => {
    // Large, so that each is still worked on when the next ones arrive.
    const request = { template_no: ann.templateNo, phones: oddNumbers(600), variable_values: { p1: 'Ann' } };
    const body = Buffer.from(JSON.stringify(request));
    const previews = Array.from({ length: 80 }, () => service.call(ann, PREVIEW, { body }));
    await countServed(Promise.all(previews));
    const refused = (await Promise.all(previews)).filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(80);
    for (const { status, body, headers } of refused) {
      expect([status, body.code, headers['retry-after']]).toEqual([429, 'rate_limited', '1']);
    }
  });
});

describe('hundreds of requests at once', () => {
  const ask = () => service.call(ann, '/openapi/v1/firms/');

  it('leave others their turns', async () => {
    const requests = Array.from({ length: 400 }, ask);
    expect(await countServed(Promise.all(requests))).toBeGreaterThan(20);
    for (const { status } of await Promise.all(requests)) expect(status).toBe(200);
  });

  it('are answered when they are more than may wait', async () => {
    const answers = await Promise.all(Array.from({ length: 1300 }, ask));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(answers.length);
    for (const { body, headers } of refused) expect([body.code, headers['retry-after']]).toEqual(['rate_limited', '1']);
  });
});

describe('cancelling', () => {
  it('unprepared tasks in odd spellings reads their numbers in slices', async () => {
    const request = { template_no: ann.templateNo, phones: oddNumbers(2000), variable_values: { p1: 'Ann' } };
    for (let at = 0; at < 2; at += 1) {
      const body = { ...request, auto_prepare: false, batch_id: 'cancelled', client_request_id: `cancelled-${at}` };
      expect((await service.call(ann, SEND, { body })).status).toBe(200);
    }
    const path = '/openapi/v1/messages/batches/cancelled/';
    const cancelled = service.call(ann, `${path}cancel/`, { method: 'POST' });
    const served = await countServed(cancelled);
    expect((await cancelled).status).toBe(200);
    expect((await service.call(ann, path)).body.counts).toMatchObject({ rejected: 4000, unsent: 0 });
    expect(served).toBeGreaterThan(20);
  });
});

describe('preparing', () => {
  const stageOf = async (customer: TestCustomer, taskNo: string) =>
    (await service.call(customer, `${TASKS}${taskNo}/`)).body.stage;

  it.each([
    ['small', 20, 500],
    ['large', 2, 5000],
  ])('%s tasks in odd spellings do not block others', async (size, tasks, numbers) => {
    const request = { template_no: ann.templateNo, phones: oddNumbers(numbers), variable_values: { p1: 'Ann' } };
    const slow: string[] = [];
    for (let at = 0; at < tasks; at += 1) {
      const body = { ...request, auto_prepare: false, batch_id: size };
      slow.push((await service.call(ann, SEND, { body })).body.task_no);
    }
    await service.call(ann, `/openapi/v1/messages/batches/${size}/prepare/`, { method: 'POST' });
    const quick = await service.call(bob, SEND, { body: { template_no: bob.templateNo, phones: ['13800138000'] } });
    await expect.poll(() => stageOf(bob, quick.body.task_no), { interval: 1 }).toBe('prepared');
    const stages = await Promise.all(slow.map((taskNo) => stageOf(ann, taskNo)));
    expect(stages).toContain('queued');
    for (const taskNo of slow) await expect.poll(() => stageOf(ann, taskNo), { timeout: 90_000 }).toBe('prepared');
  });
});
