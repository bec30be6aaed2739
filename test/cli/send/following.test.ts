// What a send says while it waits and when it ends, beyond the counts.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostriderClient } from '../../../packages/client/src/index.js';
import {
  createTask,
  json,
  page,
  problem,
  type Respond,
  type StubServer,
  startStubServer,
} from '../../../packages/client/test/stub-server.js';
import { runCommandLine } from '../../../src/cli/main.js';
import { runSend } from '../../../src/cli/send/run.js';
import { createTestTerminal } from '../capture.js';

let server: StubServer;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startStubServer();
  env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: 'key', POSTRIDER_API_SECRET: 'secret' };
});
afterAll(() => server.stop());

const none = { total: 1, unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };

async function run(words: string, input?: string) {
  const terminal = createTestTerminal({ env, ...(input === undefined ? {} : { input }) });
  const code = await runCommandLine(words.split(' '), terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

/** Follows one send with a clock that goes forward by `stepMs` at every look. */
async function follow(stepMs: number, signal?: AbortSignal) {
  const terminal = createTestTerminal(signal === undefined ? {} : { signal });
  let nowMs = 0;
  async function* numbers() {
    yield '13800139005';
  }
  const now = () => {
    nowMs += stepMs;
    return nowMs;
  };
  const client = new PostriderClient({ baseUrl: server.url, apiKey: 'key', apiSecret: 'secret' });
  const request = { template_no: 'T', batch_id: 'x' };
  const shared = { client, terminal, repeatHint: 'Run it again.', waitMs: 600_000, now };
  const result = await runSend({ ...shared, request, numbers: numbers() });
  return { result, err: terminal.err.text };
}

test('with nothing but unknown numbers left it explains itself and waits no longer', async () => {
  const unknown = createTask({ stage: 'submit_unknown', counts: { ...none, unknown: 1 } });
  const verification = { since: '2026-11-14T00:00:00.000Z', deadline: '2026-11-15T00:00:00.000Z', unknown: 1 };
  server.script(json(unknown), json({ ...unknown, timeline: [], verification }));
  const { result, err } = await follow(1_000);
  expect(result.tasks[0]?.stage).toBe('submit_unknown');
  expect(err).toContain('not known whether the upstream accepted');
  expect(err).toContain('At 2026-11-15 00:00:00 UTC they count as not accepted');
  expect(err).toContain('postrider task resolve T-1');
  expect(err).toContain('docs/guides/submit-unknown.md');
});

test('a report that is only late is still waited for', async () => {
  const unknown = createTask({ stage: 'submit_unknown', counts: { ...none, unknown: 1 } });
  const delivered = createTask({ stage: 'completed', counts: { ...none, delivered: 1 } });
  server.script(json(unknown), json(unknown), json(unknown), json(delivered));
  const { result, err } = await follow(10);
  expect(result.tasks[0]?.stage).toBe('completed');
  expect(err).not.toContain('not known');
});

test('receipts that do not come are mentioned once, and the waiting goes on', async () => {
  const controller = new AbortController();
  const awaiting = createTask({ stage: 'waiting_receipt', counts: { ...none, awaiting: 1 } });
  let looks = 0;
  const look: Respond = (request, response) => {
    json(awaiting)(request, response);
    looks += 1;
    if (looks === 7) controller.abort();
  };
  server.script(json(awaiting), look);
  const { err } = await follow(5_000, controller.signal);
  expect(err.match(/the receipt is outstanding/g)).toHaveLength(1);
  expect(err).toContain('Look later: postrider task T-1');
});

test('--stop-at waits for the stage that it names', async () => {
  server.script(json(createTask()), json(createTask()), json(createTask({ stage: 'prepared' })));
  const { code, out } = await run('send 13800139001 --template T --stop-at prepared --json');
  expect(code).toBe(0);
  expect(JSON.parse(out).stage).toBe('prepared');
});

test.each([
  ['queued', 'prepare', {}],
  ['prepared', 'freeze', { stage: 'prepared' }],
  ['frozen', 'submit', { stage: 'prepared', accounting_state: 'frozen' }],
] as const)('--stop-at %s ends with the command that goes on: %s', async (stage, move, state) => {
  server.script(json(createTask(state)));
  const { code, err } = await run(`send 13800139001 --template T --stop-at ${stage}`);
  expect(code).toBe(0);
  expect(err).toContain(`Go on: postrider task ${move} T-1\n`);
});

test('a wait that ends by its time says so, and how to go on', async () => {
  server.script(json(createTask({ stage: 'waiting_receipt', counts: { ...none, awaiting: 1 } })));
  const sent = await run('send 13800139007 --template T --timeout 1ms');
  expect(sent.code).toBe(5);
  expect(sent.err).toContain('1 of 1 have no result yet. Sending continues.');
  expect(sent.err).toContain('Go on watching: postrider task T-1 --follow');
  const followed = await run('task T-1 --follow --timeout 20ms');
  expect(followed.code).toBe(5);
  expect(followed.err).toContain('Waited 20ms, and it is still under way.');
  expect(followed.err).toContain('Go on watching: postrider task T-1 --follow');
});

test('following a task that waits for its owner ends with the command that goes on', async () => {
  server.script(json(createTask({ stage: 'prepared', auto_freeze: false, auto_submit: false })));
  const { code, err } = await run('task T-1 --follow');
  expect(code).toBe(5);
  expect(err).toContain('It does not continue automatically. Go on: postrider task freeze T-1');
});

test('a single request is not counted', async () => {
  server.script(json(createTask({ stage: 'completed', counts: { ...none, delivered: 1 } })));
  const { err } = await run('send 13800139001 --template T --json');
  expect(err).toBe('completed · 1 number: 1 delivered · charged 0.00 CNY\n');
});

test('requests after the first carry their number behind the id', async () => {
  server.script(json(createTask()));
  await run('send - --template T --no-wait --id may --chunk 1', '13800139001\n13800139002\n');
  const bodies = server.seen.map((seen) => JSON.parse(seen.body));
  expect(bodies.map((body) => body.client_request_id).sort()).toEqual(['may', 'may.2']);
  expect(bodies.map((body) => body.batch_id)).toEqual(['may', 'may']);
});

test('how to go on comes after the error, and only where something may have been accepted', async () => {
  server.script(json(createTask()));
  const input = 'phone,p1\n13800139001,a\n13800139002\n';
  const partial = await run('send - --template T --no-wait --id may --chunk 1', input);
  expect(partial.code).toBe(2);
  expect(partial.err).toMatch(/Line 3 has 1 columns .*\nRun the same command again to send what was not accepted/);
  server.script(problem(422, 'template_unavailable'));
  const refused = await run('send 13800139001 --template T --id may');
  expect(refused.code).toBe(3);
  expect(refused.err).toMatch(/^The service answered 422/);
  expect(refused.err).not.toContain('again');
});

test('a send that never reached the service says nothing of what was accepted', async () => {
  const gone = await startStubServer();
  await gone.stop();
  const terminal = createTestTerminal({});
  async function* numbers() {
    yield '13800139001';
  }
  const client = new PostriderClient({ baseUrl: gone.url, apiKey: 'key', apiSecret: 'secret', retry: { attempts: 1 } });
  const shared = { client, terminal, repeatHint: 'Run it again.', waitMs: null, now: Date.now };
  const sent = runSend({ ...shared, request: { template_no: 'T', batch_id: 'x' }, numbers: numbers() });
  await expect(sent).rejects.toMatchObject({ name: 'PostriderConnectionError', clientRequestId: null });
});

test('a large send says why numbers failed, by code, and counts cancelled ones apart', async () => {
  const counts = { ...none, total: 44, delivered: 39, rejected: 5 };
  const cancelled = 2;
  const receipts = ['invalid_number', 'duplicate_number', 'invalid_number'].map((code) => ({ code }));
  server.script(json(createTask({ stage: 'completed', counts, cancelled })), page(receipts));
  const { code, err } = await run('send 13800139001 --template T');
  expect(code).toBe(5);
  expect(err).toContain('44 numbers: 39 delivered, 3 rejected, 2 cancelled');
  expect(server.seen.at(-1)?.target).toContain('cancelled=false');
  expect(err).toContain(
    '3 rejected: 2 invalid_number, 1 duplicate_number. See: postrider receipts --task T-1 --result rejected',
  );
  const ofBatch = { batch_id: 'may sale', stage: 'completed', counts, cancelled } as const;
  server.script(json(createTask(ofBatch)), json(createTask({ ...ofBatch, task_no: 'T-2' })), page(receipts));
  const cut = await run('send - --template T --chunk 1', '13800139001\n13800139002\n');
  expect(cut.err).toContain("See: postrider receipts --batch 'may sale' --result rejected");
});

test('a send of several tasks goes on as one batch', async () => {
  const ofBatch = { batch_id: 'may', stage: 'prepared' } as const;
  server.script(json(createTask(ofBatch)), json(createTask({ ...ofBatch, task_no: 'T-2' })));
  const { err } = await run('send - --template T --chunk 1 --id may --stop-at prepared', '13800139001\n13800139002\n');
  expect(err).toContain('Go on: postrider batch freeze may\n');
});

const batch = (changes: object = {}) => ({
  batch_id: 'may',
  tasks: 2,
  deleted_tasks: 0,
  stages: { completed: 2 },
  paused: 0,
  counts: { ...none, total: 2, delivered: 2 },
  cancelled: 0,
  amounts: { ...createTask().amounts, frozen: '0.100000', charged: '0.100000' },
  created_at: '2026-11-14T00:00:00.000Z',
  updated_at: '2026-11-14T00:00:01.000Z',
  completed_at: '2026-11-14T00:00:01.000Z',
  ...changes,
});

test('a batch is followed until all its tasks have ended', async () => {
  const underWay = { stages: { waiting_receipt: 2 }, counts: { ...none, total: 2, awaiting: 2 }, completed_at: null };
  server.script(json(batch(underWay)), json(batch()));
  const { code, err } = await run('batch may --follow');
  expect(code).toBe(0);
  expect(err).toContain('completed 2 · 2 numbers: 2 delivered · charged 0.10 CNY\n');
  server.script(json(batch(underWay)));
  const late = await run('batch may --follow --timeout 1ms');
  expect(late.code).toBe(5);
  expect(late.err).toContain('Go on watching: postrider batch may --follow');
});

test('a move of a batch says how many tasks it was applied to', async () => {
  server.script(json({ ...batch({ stages: { cancelled: 2 } }), applied: 2 }));
  const { code, out, err } = await run('batch cancel may');
  expect([code, err]).toEqual([0, 'Applied to 2 of 2 tasks.\n']);
  expect(out).toMatch(/^batch_id +may\ntitle +–\ntasks +2\ndeleted_tasks +0\nstages +cancelled 2/);
  expect(server.seen.map(({ target }) => target)).toEqual(['/openapi/v1/messages/batches/may/cancel/']);
});
