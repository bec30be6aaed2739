import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Clock,
  OperatorClient,
  PostriderClient,
  type PostriderClientOptions,
  PostriderConnectionError,
  PostriderError,
  signRequest,
  WaitTimeoutError,
} from '../src/index.js';
import {
  createTask,
  cutInTheMiddle,
  cutSocket,
  json,
  neverAnswer,
  page,
  problem,
  type StubServer,
  startStubServer,
} from './stub-server.js';

let server: StubServer;
let sleeps: number[];

/** Time stands still except that every sleep moves it on at once. */
function createTestClock(startMs = Date.now()): Clock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      sleeps.push(delayMs);
      nowMs += delayMs;
    },
  };
}

function createClient(options: Partial<PostriderClientOptions> = {}): PostriderClient {
  const base = { baseUrl: server.url, apiKey: 'key', apiSecret: 'secret', clock: createTestClock(), random: () => 1 };
  return new PostriderClient({ ...base, ...options });
}

function listMethods(): string[] {
  return server.seen.map((request) => request.method);
}

beforeAll(async () => {
  server = await startStubServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  sleeps = [];
});

const request = { template_no: 'TPL', phones: ['13800139001'] };

test('every request is signed over the target and the bytes that arrive', async () => {
  server.script(page([]));
  await createClient().tasks({ clientRequestId: 'a b&c=退' }).page();
  server.script(json(createTask()));
  await createClient().send({ ...request, variable_values: { p1: '退订' } });
  for (const seen of server.seen) {
    const content = {
      method: seen.method,
      target: seen.target,
      timestampMs: Number(seen.headers['x-timestamp']),
      body: seen.body,
    };
    expect(seen.headers['x-sign']).toBe(await signRequest('secret', content));
    expect(seen.headers['x-api-key']).toBe('key');
  }
});

test('a base URL may have a path, with or without a final slash', async () => {
  server.script(page([]));
  await createClient({ baseUrl: `${server.url}/sms/` })
    .tasks()
    .page();
  expect(server.seen[0]?.target).toBe('/sms/openapi/v1/messages/tasks/');
});

test('credentials that were left empty are missed at once', () => {
  expect(() => createClient({ apiSecret: '' })).toThrow('apiSecret is missing');
  expect(() => createClient({ baseUrl: 'localhost:8080' })).toThrow('baseUrl must be');
  expect(() => new OperatorClient({ baseUrl: server.url, token: '' })).toThrow('token is missing');
});

test('a send without a request id gets one', async () => {
  server.script(json(createTask()));
  await createClient().send(request);
  expect(JSON.parse(server.seen[0]?.body ?? '').client_request_id).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['the connection is cut', cutSocket],
  ['the answer is cut in the middle', cutInTheMiddle],
  ['a gateway gives up', problem(502, 'bad_gateway')],
  ['the service is unavailable', problem(503, 'unavailable', {}, { 'retry-after': '1' })],
])('when %s, the original is asked for and nothing is sent again if it is there', async (_case, failure) => {
  const original = createTask({ task_no: 'T-original' });
  server.script(failure, page([original]));
  const task = await createClient().send(request);
  expect(task.task_no).toBe('T-original');
  expect(listMethods()).toEqual(['POST', 'GET']);
  const { client_request_id } = JSON.parse(server.seen[0]?.body ?? '');
  expect(server.seen[1]?.target).toContain(`client_request_id=${client_request_id}`);
});

test('when no answer comes in time, the original is asked for first', async () => {
  server.script(neverAnswer, page([createTask({ task_no: 'T-original' })]));
  expect((await createClient({ timeoutMs: 300 }).send(request)).task_no).toBe('T-original');
  expect(listMethods()).toEqual(['POST', 'GET']);
});

test('when the original is not there, the same bytes are sent again under the same id', async () => {
  server.script(cutSocket, page([]), json(createTask()));
  await createClient().send(request);
  expect(listMethods()).toEqual(['POST', 'GET', 'POST']);
  expect(server.seen[2]?.body).toBe(server.seen[0]?.body);
});

test('an older task under an id of the caller is left to the service to compare', async () => {
  const older = createTask({ created_at: '2020-01-01T00:00:00.000Z' });
  server.script(cutSocket, page([older]), problem(409, 'idempotency_conflict'));
  const sending = createClient().send({ ...request, client_request_id: 'order-1' });
  await expect(sending).rejects.toMatchObject({ status: 409, code: 'idempotency_conflict' });
  expect(listMethods()).toEqual(['POST', 'GET', 'POST']);
});

test('a task made by this very call is taken for the original, whoever chose the id', async () => {
  server.script(cutSocket, page([createTask({ task_no: 'T-new' })]));
  const task = await createClient().send({ ...request, client_request_id: 'order-1' });
  expect(task.task_no).toBe('T-new');
});

test('the question for the original survives failures of its own', async () => {
  server.script(cutSocket, cutSocket, problem(503, 'unavailable'), page([createTask({ task_no: 'T-found' })]));
  expect((await createClient().send(request)).task_no).toBe('T-found');
  expect(listMethods()).toEqual(['POST', 'GET', 'GET', 'GET']);
});

test('a send that stays unanswered names the id to ask for later', async () => {
  server.script(cutSocket);
  const failure = await createClient()
    .send({ ...request, client_request_id: 'order-1' })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PostriderConnectionError);
  expect(failure).toMatchObject({ reason: 'broken', clientRequestId: 'order-1' });
  expect(listMethods()).toEqual(['POST', 'GET', 'GET', 'GET', 'GET']);
});

test('a send that never reached the service leaves nothing to ask for', async () => {
  const gone = await startStubServer();
  await gone.stop();
  const sent = createClient({ baseUrl: gone.url }).send({ ...request, client_request_id: 'order-1' });
  await expect(sent).rejects.toMatchObject({ reason: 'unreachable', clientRequestId: null });
});

test('a refused send is not tried again, and carries its faults', async () => {
  const errors = [{ pointer: '/phones', code: 'too_many', message: 'at most 5000' }];
  server.script(problem(400, 'invalid_request', { errors, detail: 'The request is invalid.' }));
  const failure = await createClient()
    .send(request)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PostriderError);
  expect(failure).toMatchObject({ status: 400, code: 'invalid_request', requestId: 'req-1', errors });
  expect((failure as Error).message).toContain('/phones: at most 5000');
  expect(server.seen).toHaveLength(1);
});

test('a rate limit is waited out as long as it asks, and the send goes again without a question', async () => {
  server.script(problem(429, 'rate_limited', {}, { 'retry-after': '7' }), json(createTask()));
  await createClient({ random: () => 0 }).send(request);
  expect(sleeps).toEqual([7000]);
  expect(listMethods()).toEqual(['POST', 'POST']);
});

test('a wait longer than the caller allows is handed back', async () => {
  server.script(problem(503, 'unavailable', {}, { 'retry-after': '3600' }));
  await expect(createClient().account()).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 3_600_000 });
  expect(server.seen).toHaveLength(1);
});

test('queries back off exponentially and give up after the last attempt', async () => {
  server.script(cutSocket);
  await expect(createClient().account()).rejects.toMatchObject({ reason: 'broken' });
  expect(sleeps).toEqual([200, 400, 800, 1600]);
});

test('a clock that is off is corrected once, for this call and the ones after it', async () => {
  const serverTime = Date.now() + 3_600_000;
  const refused = problem(401, 'timestamp_out_of_range', { server_time: new Date(serverTime).toISOString() });
  server.script(refused, json({ available: '1.000000' }));
  const client = createClient({ clock: createTestClock(serverTime - 3_600_000) });
  await client.account();
  await client.account();
  expect(server.seen.slice(1).map((seen) => Number(seen.headers['x-timestamp']))).toEqual([serverTime, serverTime]);
  server.script(refused);
  await expect(client.account()).rejects.toMatchObject({ code: 'timestamp_out_of_range' });
  expect(server.seen).toHaveLength(2);
});

test('a host that cannot be reached is told apart from a connection that broke', async () => {
  const gone = await startStubServer();
  await gone.stop();
  const client = createClient({ baseUrl: gone.url });
  await expect(client.account()).rejects.toMatchObject({ reason: 'unreachable' });
});

test('an answer that is not of this API says that the address may be wrong', async () => {
  server.script((_request, response) => response.end('<html>'));
  await expect(createClient().account()).rejects.toMatchObject({ reason: 'unreadable' });
  expect(server.seen).toHaveLength(1);
});

test('an abort ends a call with its reason, in flight and between attempts', async () => {
  const controller = new AbortController();
  server.script(() => controller.abort(new Error('enough')));
  await expect(createClient().send(request, { signal: controller.signal })).rejects.toThrow('enough');
  expect(server.seen).toHaveLength(1);
  await expect(createClient().send(request, { signal: controller.signal })).rejects.toThrow('enough');
  expect(server.seen).toHaveLength(1);
});

test('a walk over a list follows cursors and fetches no page before it is wanted', async () => {
  server.script(page([{ seq: 1 }, { seq: 2 }], 'c1'), page([{ seq: 3 }], 'c2'), page([{ seq: 4 }]));
  const seqs: number[] = [];
  for await (const receipt of createClient().receipts({ taskNo: 'T-1', startAt: new Date(0) })) {
    seqs.push(receipt.seq);
    if (receipt.seq === 3) break;
  }
  expect(seqs).toEqual([1, 2, 3]);
  const query = 'task_no=T-1&start_at=1970-01-01T00%3A00%3A00.000Z&page_size=100';
  expect(server.seen.map((seen) => seen.target.split('?')[1])).toEqual([query, `${query}&cursor=c1`]);
});

test('single pages are reached by number or by cursor', async () => {
  server.script(page([]));
  await createClient().ledgers({ pageSize: 5 }).page({ page: 3 });
  await createClient().ledgers({ type: 'topup' }).page({ cursor: 'c1' });
  expect(server.seen.map((seen) => seen.target.split('?')[1])).toEqual(['page_size=5&page=3', 'type=topup&cursor=c1']);
});

test('waiting for a task reports each change once and slows down while nothing changes', async () => {
  const queued = json(createTask({ updated_at: '1' }));
  const waiting = json(createTask({ stage: 'waiting_receipt', updated_at: '2' }));
  const completed = json(createTask({ stage: 'completed', updated_at: '3' }));
  server.script(queued, queued, queued, waiting, completed);
  const stages: string[] = [];
  const task = await createClient().waitForTask('T-1', { onProgress: (seen) => stages.push(seen.stage) });
  expect(task.stage).toBe('completed');
  expect(stages).toEqual(['queued', 'waiting_receipt', 'completed']);
  expect(sleeps).toEqual([150, 225, 337.5, 150]);
});

test('waiting for a task ends where the caller says, or with the signal', async () => {
  server.script(json(createTask({ stage: 'prepared' })));
  const task = await createClient().waitForTask('T-1', { until: (seen) => seen.stage === 'prepared' });
  expect(task.stage).toBe('prepared');
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(createClient().waitForTask('T-1', { signal })).rejects.toThrow('enough');
});

test.each([
  ['prepare', { stage: 'queued', auto_prepare: false, auto_freeze: false, auto_submit: false }],
  ['freeze', { stage: 'prepared', auto_freeze: false, auto_submit: false }],
  ['freeze', { stage: 'prepared', auto_freeze: true }],
  ['submit', { stage: 'prepared', accounting_state: 'frozen', auto_submit: false }],
  ['funds', { stage: 'prepared', accounting_state: 'insufficient_funds' }],
] as const)('waiting for a task that waits for its caller ends, and says %s', async (waitsFor, state) => {
  server.script(json(createTask(state)));
  expect((await createClient().waitForTask('T-1')).waits_for).toBe(waitsFor);
});

test('a task that is only late with its next step is waited for', async () => {
  const prepared = json(createTask({ stage: 'prepared' }));
  server.script(prepared, prepared, prepared, json(createTask({ stage: 'completed' })));
  expect(await createClient().waitForTask('T-1')).toMatchObject({ stage: 'completed', waits_for: null });
});

test('the time for a wait is for all of it, and its end names the task', async () => {
  server.script(json(createTask({ stage: 'waiting_receipt' })));
  const failure = createClient().waitForTask('T-1', { timeoutMs: 60_000 });
  await expect(failure).rejects.toThrow(WaitTimeoutError);
  await expect(failure).rejects.toMatchObject({ task: { task_no: 'T-1' } });
  expect(sleeps.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(66_000);
  server.script(neverAnswer);
  await expect(createClient().waitForTask('T-1', { timeoutMs: 50 })).rejects.toMatchObject({ task: null });
});

test('every public method has a description with an example', async () => {
  const counts: number[] = [];
  for (const file of [
    'client.ts',
    'operator-client.ts',
    'customer-calls.generated.ts',
    'operator-calls.generated.ts',
  ]) {
    const source = await readFile(new URL(`../src/${file}`, import.meta.url), 'utf8');
    const body = source.slice(source.search(/\nexport (?:abstract )?class /));
    const methods = [...body.matchAll(/(\*\/)?\n {2}(?:async )?([a-z]\w*)\(/g)];
    counts.push(methods.length);
    for (const { index, 1: end, 2: name } of methods) {
      expect(end, `${file}: ${name}`).toBe('*/');
      const doc = body.slice(body.lastIndexOf('/**', index), index);
      expect(doc, `${file}: ${name}`).toMatch(/@example\n \s*\* \S/);
    }
  }
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(150);
});

test('an operator creates once: a lost answer is not repeated, a refusal to serve is', async () => {
  const operator = new OperatorClient({ baseUrl: server.url, token: 'tok', clock: createTestClock() });
  server.script(cutSocket);
  await expect(operator.createCustomer({ name: 'Ann', unit_price: '0.05' })).rejects.toMatchObject({
    reason: 'broken',
  });
  expect(server.seen).toHaveLength(1);
  server.script(problem(503, 'unavailable'), json({ customer_no: 'C-1' }));
  expect((await operator.createCustomer({ name: 'Ann', unit_price: '0.05' })).customer_no).toBe('C-1');
  expect(server.seen[1]?.headers.authorization).toBe('Bearer tok');
});

test('an operator creates once: an outcome that the service does not know is not repeated', async () => {
  const operator = new OperatorClient({ baseUrl: server.url, token: 'tok', clock: createTestClock() });
  server.script(problem(503, 'unavailable', { outcome: 'unknown' }));
  await expect(operator.createCustomer({ name: 'Ann', unit_price: '0.05' })).rejects.toMatchObject({
    status: 503,
    isOutcomeUnknown: true,
  });
  expect(server.seen).toHaveLength(1);
});

test('a send whose outcome the service does not know is asked for before it is repeated', async () => {
  server.script(problem(503, 'unavailable', { outcome: 'unknown' }), page([createTask({ task_no: 'T-found' })]));
  const task = await createClient().send({ template_no: 'M-1', phones: ['13800138000'] });
  expect(task.task_no).toBe('T-found');
  expect(server.seen.map((seen) => seen.method)).toEqual(['POST', 'GET']);
});

test('a top-up gets a reference and is repeated under it', async () => {
  const operator = new OperatorClient({ baseUrl: server.url, token: 'tok', clock: createTestClock() });
  server.script(cutSocket, json({ ledger_no: 'L-1' }));
  await operator.topUp('C/1', { amount: '5.00' });
  expect(server.seen.map((seen) => seen.target)).toEqual(Array(2).fill('/operator/v1/customers/C%2F1/topups'));
  expect(JSON.parse(server.seen[0]?.body ?? '').reference).toMatch(/^[0-9a-f-]{36}$/);
  expect(server.seen[1]?.body).toBe(server.seen[0]?.body);
});
