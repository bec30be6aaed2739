import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTaskId, parseNo } from '../../../src/domain/id.js';
import { MAX_SORTED } from '../../../src/store/lists/of-batch.js';
import { listReceipts } from '../../../src/store/lists/receipts.js';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';
import { until } from '../../support/until.js';

const SEND = '/openapi/v1/messages/send/';
const BATCHES = '/openapi/v1/messages/batches/';
const TASKS = '/openapi/v1/messages/tasks/';
const LISTS = ['messages/tasks', 'messages/receipts', 'finance/ledgers', 'downstream/submits', 'downstream/deliveries'];

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService({ hasWorker: true });
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
});
afterAll(() => service.stop());

const get = async (target: string, customer = ann) => (await service.call(customer, target)).body;
const batchPath = (batchId: string) => `${BATCHES}${encodeURIComponent(batchId)}/`;
const move = (batchId: string, name: string, customer = ann) =>
  service.call(customer, `${batchPath(batchId)}${name}/`, { method: 'POST' });
const send = async (batch_id: string, phones: readonly string[], more: object = {}, customer = ann) => {
  const answer = await service.call(customer, SEND, {
    body: { template_no: customer.templateNo, phones, batch_id, ...more },
  });
  expect(answer.status).toBe(200);
  return answer.body;
};
const setBalance = (millionths: number) =>
  service.sql`update account set available = ${millionths} where customer_id = ${ann.customerId}`;
const prepared = (batchId: string, tasks: number) =>
  until('all are prepared', async () => (await get(batchPath(batchId))).stages.prepared === tasks);

describe('the batch_id of a send', () => {
  it('is shown with the task, null where there is none', async () => {
    const task = await send('shown', ['13800138001'], { client_request_id: 'shown-1' });
    expect(task.batch_id).toBe('shown');
    expect((await get(`${TASKS}${task.task_no}/`)).batch_id).toBe('shown');
    expect((await get(`${TASKS}?client_request_id=shown-1`)).items[0].batch_id).toBe('shown');
    const other = { template_no: ann.templateNo, phones: ['13800138001'] };
    expect((await service.call(ann, SEND, { body: other })).body.batch_id).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['empty', '', 'too_short'],
    ['of 65 characters', 'x'.repeat(65), 'too_long'],
    ['with a control character', 'a\tb', 'format'],
    ['a number', 5, 'type'],
    ['null', null, 'type'],
  ])('is refused when it is %s', async (_, batch_id, code) => {
    const body = { template_no: ann.templateNo, phones: ['13800138001'], batch_id };
    const answer = await service.call(ann, SEND, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '/batch_id', code }]);
  });

  it('is part of the payload', async () => {
    const phones = ['13800138001'];
    const first = await send('payload', phones, { client_request_id: 'payload-1' });
    expect((await send('payload', phones, { client_request_id: 'payload-1' })).task_no).toBe(first.task_no);
    for (const batch of [{ batch_id: 'another' }, {}]) {
      const body = { template_no: ann.templateNo, phones, client_request_id: 'payload-1', ...batch };
      expect((await service.call(ann, SEND, { body })).body.code).toBe('idempotency_conflict');
    }
    expect((await get(batchPath('payload'))).tasks).toBe(1);
    expect((await service.call(ann, batchPath('another'))).status).toBe(404);
  });

  it('may be any 64 characters, also in a path', async () => {
    for (const batchId of ['a b/c?d#e%f+g&h', '退订'.repeat(32), '😀'.repeat(64)]) {
      await send(batchId, ['13800138001']);
      expect((await get(batchPath(batchId))).batch_id).toBe(batchId);
      expect((await get(`${TASKS}?batch_id=${encodeURIComponent(batchId)}`)).total).toBe(1);
      expect((await move(batchId, 'cancel')).body.applied).toBe(1);
    }
  });
});

describe('a batch', () => {
  it('adds its tasks up', async () => {
    await setBalance(150_000);
    const first = await send('sum', ['13800138001', 'x', '13800138002']);
    await send('sum', ['13800138003'], { auto_prepare: false });
    await send('sum', ['x']);
    await until('both are prepared', async () => (await get(batchPath('sum'))).stages.queued === 1);
    const none = { unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
    expect(await get(batchPath('sum'))).toEqual({
      batch_id: 'sum',
      title: null,
      tasks: 3,
      stages: { queued: 1, prepared: 1, completed: 1 },
      deleted_tasks: 0,
      paused: 0,
      moves: { prepare: 1, freeze: 1, cancel: 2, pause: 2 },
      counts: { total: 5, unsent: 3, rejected: 2, ...none },
      cancelled: 0,
      amounts: {
        currency: 'CNY',
        price: '0.100000',
        frozen: '0.000000',
        charged: '0.000000',
        released: '0.000000',
        refunded: '0.000000',
        held: '0.000000',
      },
      created_at: first.created_at,
      updated_at: expect.any(String),
      completed_at: null,
    });
    await move('sum', 'freeze');
    expect((await get(batchPath('sum'))).amounts).toMatchObject({ frozen: '0.100000', held: '0.100000' });
    const { body } = await move('sum', 'cancel');
    expect(body).toMatchObject({
      applied: 2,
      stages: { completed: 1, cancelled: 2 },
      cancelled: 3,
      amounts: { price: '0.100000', frozen: '0.100000', released: '0.100000', held: '0.000000' },
      completed_at: body.updated_at,
    });
  });

  it('has no price while none of its tasks is prepared', async () => {
    await send('unpriced', ['13800138001'], { auto_prepare: false });
    expect((await get(batchPath('unpriced'))).amounts.price).toBeNull();
  });

  it('that does not exist is not found, whatever is asked of it', async () => {
    expect((await service.call(ann, batchPath('nothing'))).status).toBe(404);
    expect((await move('nothing', 'cancel')).status).toBe(404);
    expect((await service.call(ann, `${BATCHES}${'x'.repeat(769)}/`)).status).toBe(404);
  });

  it('is one although its tasks are accepted at the same moment', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, at) => send('at-once', [`138001380${10 + at}`])));
    expect((await get(batchPath('at-once'))).tasks).toBe(40);
    const listed = (await get(`${BATCHES}?page_size=100`)).items.filter(
      (batch: { batch_id: string }) => batch.batch_id === 'at-once',
    );
    expect(listed).toHaveLength(1);
  });
});

describe('the list of batches', () => {
  it('is newest first, by pages and by cursor, each with its sums', async () => {
    const cy = await service.addCustomer('cy');
    const names = Array.from({ length: 7 }, (_, at) => `batch ${at}`);
    for (const name of names) await send(name, ['13800138001', '13800138002'], { auto_prepare: false }, cy);
    await send('batch 2', ['13800138003'], { auto_prepare: false }, cy);
    const seen: string[] = [];
    let target: string | null = `${BATCHES}?page_size=3`;
    while (target !== null) {
      const page: { items: { batch_id: string }[]; total: number; next_cursor: string | null } = await get(target, cy);
      expect(page.total).toBe(7);
      seen.push(...page.items.map(({ batch_id }) => batch_id));
      target = page.next_cursor === null ? null : `${BATCHES}?page_size=3&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([...names].reverse());
    const { items } = await get(`${BATCHES}?page=2&page_size=3`, cy);
    expect(items[1]).toEqual(await get(batchPath('batch 2'), cy));
    expect(items[1]).toMatchObject({ tasks: 2, counts: { total: 3 } });
    const since = encodeURIComponent(items[1].created_at);
    expect((await get(`${BATCHES}?start_at=${since}`, cy)).total).toBe(5);
    expect((await get(`${BATCHES}?end_at=${since}`, cy)).total).toBe(2);
  });
});

describe('a move of a batch', () => {
  it('moves the tasks that it applies to, and says how many', async () => {
    await setBalance(1_000_000);
    for (const phone of ['13800138001', '13800138002', '13800138003']) {
      await send('moves', [phone], { auto_prepare: false });
    }
    expect((await move('moves', 'freeze')).body).toMatchObject({ applied: 0, stages: { queued: 3 } });
    expect((await move('moves', 'prepare')).body.applied).toBe(3);
    await prepared('moves', 3);
    expect((await move('moves', 'submit')).body.applied).toBe(0);
    expect((await move('moves', 'freeze')).body).toMatchObject({ applied: 3, amounts: { frozen: '0.150000' } });
    expect((await move('moves', 'freeze')).body).toMatchObject({ applied: 0, amounts: { frozen: '0.150000' } });
    expect((await move('moves', 'submit')).body).toMatchObject({ applied: 3, stages: { submitting: 3 } });
    expect((await move('moves', 'submit')).body.applied).toBe(0);
  });

  it('freezes what the balance covers, and lets the rest wait', async () => {
    await setBalance(100_000);
    for (const phone of ['13800138001', '13800138002', '13800138003']) await send('poor', [phone]);
    await prepared('poor', 3);
    expect((await move('poor', 'freeze')).body).toMatchObject({ applied: 2, amounts: { frozen: '0.100000' } });
    const { items } = await get(`${TASKS}?batch_id=poor`);
    expect(items.map((task: { accounting_state: string }) => task.accounting_state)).toEqual([
      'insufficient_funds',
      'frozen',
      'frozen',
    ]);
  });

  it('counts what it changed, and nothing on a repeat', async () => {
    for (const at of [1, 2, 3]) await send('repeated', [`1380013800${at}`], { auto_prepare: false });
    const applied = async (name: string) => (await move('repeated', name)).body.applied;
    expect([await applied('pause'), await applied('pause')]).toEqual([3, 0]);
    expect([await applied('prepare'), await applied('prepare')]).toEqual([3, 0]);
    await prepared('repeated', 3);
    expect([await applied('resume'), await applied('resume')]).toEqual([3, 0]);
    expect([await applied('cancel'), await applied('cancel')]).toEqual([3, 0]);
  });

  it('is offered where it would change a task, and changes as many as it said', async () => {
    await setBalance(1_000_000);
    for (const phone of ['13800138001', '13800138002']) await send('offered', [phone], { auto_prepare: false });
    const offered = async () => (await get(batchPath('offered'))).moves;
    expect(await offered()).toEqual({ prepare: 2, pause: 2, cancel: 2 });
    await move('offered', 'prepare');
    await prepared('offered', 2);
    expect(await offered()).toEqual({ freeze: 2, pause: 2, cancel: 2 });
    const [{ task_no }] = (await get(`${TASKS}?batch_id=offered`)).items;
    await service.call(ann, `${TASKS}${task_no}/freeze/`, { method: 'POST' });
    expect(await offered()).toEqual({ freeze: 1, submit: 1, pause: 2, cancel: 2 });
    await service.call(ann, `${TASKS}${task_no}/pause/`, { method: 'POST' });
    for (const name of ['freeze', 'pause', 'submit', 'resume', 'cancel']) {
      const { [name]: count } = await offered();
      expect([name, (await move('offered', name)).body.applied]).toEqual([name, count]);
      expect(await offered()).not.toHaveProperty(name);
    }
    expect(await offered()).toEqual({});
  });

  it('says how many of its tasks are paused, and no more of those that have ended', async () => {
    const first = await send('halted', ['13800138001'], { auto_prepare: false });
    await send('halted', ['13800138002'], { auto_prepare: false });
    const pausedNow = async () => (await get(batchPath('halted'))).paused;
    await service.call(ann, `${TASKS}${first.task_no}/pause/`, { method: 'POST' });
    expect(await pausedNow()).toBe(1);
    expect((await move('halted', 'pause')).body).toMatchObject({ applied: 1, paused: 2 });
    await service.call(ann, `${TASKS}${first.task_no}/resume/`, { method: 'POST' });
    expect(await pausedNow()).toBe(1);
    expect((await move('halted', 'cancel')).body).toMatchObject({ applied: 2, paused: 0 });
  });

  it('moves many tasks in one transaction', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, at) => send('together', [`138001381${10 + at}`])));
    await prepared('together', 40);
    await move('together', 'pause');
    const rows = await service.sql`select distinct xmin::text from task where batch_id = 'together'`;
    expect(rows.length).toBe(1);
  });

  it('goes through more tasks than a page holds', async () => {
    await Promise.all(
      Array.from({ length: 501 }, (_, at) => send('many', [`1380013${1000 + at}`], { auto_prepare: false })),
    );
    expect((await move('many', 'cancel')).body).toMatchObject({ applied: 501, stages: { cancelled: 501 } });
  });

  it('takes no body and no parameters', async () => {
    await send('bare', ['13800138001']);
    expect((await service.call(ann, `${batchPath('bare')}cancel/`, { body: { all: true } })).status).toBe(400);
    expect((await service.call(ann, `${batchPath('bare')}cancel/?all=1`, { method: 'POST' })).status).toBe(400);
  });
});

describe('batches of others', () => {
  it('are neither seen, filtered by nor moved', async () => {
    await send('shared name', ['13800138001', 'x']);
    await send('of ann alone', ['13800138001', 'x']);
    const own = await send('shared name', ['13800138002', 'y'], {}, bob);
    await until('both are prepared', async () => {
      const [one, other] = await Promise.all([get(batchPath('shared name')), get(batchPath('shared name'), bob)]);
      return one.stages.prepared === 1 && other.stages.prepared === 1;
    });
    expect((await get(batchPath('shared name'), bob)).tasks).toBe(1);
    expect((await service.call(bob, batchPath('of ann alone'))).status).toBe(404);
    expect((await get(BATCHES, bob)).items.map((batch: { batch_id: string }) => batch.batch_id)).toEqual([
      'shared name',
    ]);
    for (const list of LISTS) {
      const { items } = await get(`/openapi/v1/${list}/?batch_id=shared%20name`, bob);
      expect(items.every((item: { task_no: string }) => item.task_no === own.task_no)).toBe(true);
      expect((await get(`/openapi/v1/${list}/?batch_id=of%20ann%20alone`, bob)).total).toBe(0);
    }
    for (const name of ['prepare', 'freeze', 'submit', 'cancel']) {
      expect((await move('of ann alone', name, bob)).status).toBe(404);
    }
    expect((await move('shared name', 'cancel', bob)).body.applied).toBe(1);
    expect((await get(batchPath('shared name'))).stages).toEqual({ prepared: 1 });
  });
});

describe('records of a batch', () => {
  const receipts = (query: string) => get(`/openapi/v1/messages/receipts/?${query}`);
  const seqs = (items: { task_no: string; seq: number }[]) => items.map(({ task_no, seq }) => `${task_no} ${seq}`);

  async function walk(query: string): Promise<{ task_no: string; seq: number; received_at: string }[]> {
    const seen = [];
    for (let cursor = ''; ; ) {
      const page = await receipts(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.items);
      if (page.next_cursor === null) return seen;
      cursor = page.next_cursor;
    }
  }

  it('are those of its tasks, newest first, with every other filter', async () => {
    const first = await send('records', ['x1', 'x2', '13800138001']);
    const second = await send('records', ['x3', 'x2']);
    await send('other records', ['x1', 'x2']);
    await until('all are prepared', async () => (await receipts('batch_id=records')).total === 4);
    const all = await walk('batch_id=records&page_size=3');
    expect(new Set(seqs(all))).toEqual(
      new Set([`${first.task_no} 1`, `${first.task_no} 2`, `${second.task_no} 1`, `${second.task_no} 2`]),
    );
    expect(all.map(({ received_at }) => received_at)).toEqual(
      all
        .map(({ received_at }) => received_at)
        .sort()
        .reverse(),
    );
    expect(seqs((await receipts('batch_id=records&phone=x2')).items).sort()).toEqual(
      [`${first.task_no} 2`, `${second.task_no} 2`].sort(),
    );
    expect(seqs((await receipts(`batch_id=records&task_no=${second.task_no}`)).items)).toHaveLength(2);
    expect((await receipts('batch_id=records&result=rejected')).total).toBe(4);
    expect((await receipts('batch_id=records&result=delivered')).total).toBe(0);
    expect((await receipts(`batch_id=other%20records&task_no=${second.task_no}`)).total).toBe(0);
    expect((await receipts(`batch_id=records&end_at=${Date.now() - 3_600_000}`)).total).toBe(0);
    expect((await receipts('batch_id=nothing')).total).toBe(0);
  });

  it('come task by task in a large batch, each once, also when it grew large on the way', async () => {
    const tasks = [];
    for (let at = 0; at < 3; at++) tasks.push(await send('large', ['x1', 'x2', 'x3', 'x4', 'x5']));
    await until('all are prepared', async () => (await receipts('batch_id=large')).total === 15);
    const { next_cursor: small } = await receipts('batch_id=large&page_size=4');
    const restOfSmall = (await receipts(`batch_id=large&page_size=100&cursor=${small}`)).items;
    const taskId = asTaskId(parseNo('T', tasks[0].task_no) ?? 0n);
    await service.sql`update task set total = ${MAX_SORTED.numbers} where task_id = ${taskId}`;
    const all = await walk('batch_id=large&page_size=4');
    expect(seqs(all)).toHaveLength(15);
    expect(new Set(seqs(all)).size).toBe(15);
    expect([...new Set(all.map(({ task_no }) => task_no))]).toEqual(tasks.map(({ task_no }) => task_no).reverse());
    expect(seqs((await receipts('batch_id=large&page=2&page_size=4')).items)).toEqual(seqs(all.slice(4, 8)));
    expect((await receipts(`batch_id=large&page_size=100&cursor=${small}`)).items).toEqual(restOfSmall);
    // A place in the list of a batch is one in the list of all, too.
    const { next_cursor: large } = await receipts('batch_id=large&page_size=4');
    expect((await receipts(`cursor=${large}`)).items.length).toBeGreaterThan(0);
    const source = listReceipts(
      service.sql,
      { bucket: 0, ...ann, startMs: undefined, endMs: undefined },
      { batchId: 'large' },
    );
    expect(await source.count(10)).toBe(10);
  });

  it('of the ledger are those of its tasks', async () => {
    await setBalance(1_000_000);
    const task = await send('ledger', ['13800138001'], { auto_freeze: true });
    await send('other ledger', ['13800138001'], { auto_freeze: true });
    await until('it is frozen', async () => (await get(batchPath('ledger'))).amounts.frozen === '0.050000');
    await move('ledger', 'cancel');
    const ledger = (query: string) => get(`/openapi/v1/finance/ledgers/?batch_id=ledger${query}`);
    expect((await ledger('')).items).toMatchObject([
      { type: 'release', task_no: task.task_no },
      { type: 'freeze', task_no: task.task_no },
    ]);
    expect((await ledger('&type=freeze')).total).toBe(1);
    expect((await ledger(`&task_no=${task.task_no}`)).total).toBe(2);
  });
});
