import type { SetAside } from '@postrider/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorText } from '../../../src/domain/fault/error-text.js';
import { asTaskId, type CustomerId, firstIdAt, formatNo, parseNo } from '../../../src/domain/id.js';
import { createOperatorApi } from '../../../src/http/operator/routes.js';
import { faultsOf, type OperatorApi, startOperatorApi } from '../../support/operator-api.js';

let api: OperatorApi;
let ann: { customerNo: string; bucket: number; customerId: CustomerId };
let bob: { customerNo: string; bucket: number; customerId: CustomerId };

beforeAll(async () => {
  api = await startOperatorApi();
  ann = await createCustomer('Ann');
  bob = await createCustomer('Bob');
});
afterAll(() => api.close());

async function createCustomer(name: string) {
  const customerNo: string = (await api.call('POST', '/customers', { name, unit_price: '0' })).body.customer_no;
  const customer = api.snapshot.current().customerByNo(customerNo);
  if (customer === undefined) throw new Error('the node does not see its own write');
  const path = `/customers/${customerNo}`;
  const account = (await api.call('POST', `${path}/service-accounts`, { name: 'Main', sender: '1069' })).body;
  await api.call('POST', `${path}/templates`, {
    name: 'Hi',
    body: 'Hi',
    service_account_no: account.service_account_no,
  });
  return { customerNo, bucket: customer.bucket, customerId: customer.customerId };
}

async function insertTask(
  customerId: CustomerId,
  at: string,
  stage: string,
  requestKey: string,
  title: string | null = null,
): Promise<string> {
  const taskId = asTaskId(firstIdAt(new Date(at)));
  const { sql } = api.database;
  await sql`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, queued_for, total, title, timeline, updated_at)
    select c.bucket, ${customerId}, ${taskId}, ${requestKey}, '', template_id, service_account_id, true, true, false, false, ${stage},
      case when ${stage} = 'queued' then 'manual' end, 2,
      ${title}, '[]', now() from template t join customer c on c.customer_id = t.customer_id where t.customer_id = ${customerId}`;
  return formatNo('T', taskId);
}

const auditOf = async (subject: string) => (await api.call('GET', `/audit?subject=${subject}`)).body.items;

describe('top-ups and adjustments', () => {
  it('answer the ledger entry', async () => {
    const path = `/customers/${ann.customerNo}`;
    const topup = await api.call('POST', `${path}/topups`, { amount: '100', remark: 'Invoice 7', reference: 'inv-7' });
    expect(topup.status).toBe(201);
    expect(topup.body).toMatchObject({
      seq: 1,
      type: 'topup',
      amount: '100.000000',
      currency: 'CNY',
      task_no: null,
      numbers: null,
      available_delta: '100.000000',
      frozen_delta: '0.000000',
      available_after: '100.000000',
      frozen_after: '0.000000',
      remark: 'Invoice 7',
    });
    const adjusted = await api.call('POST', `${path}/adjustments`, { amount: '-0.5' });
    expect(adjusted.body).toMatchObject({
      seq: 2,
      type: 'adjustment',
      amount: '-0.500000',
      available_after: '99.500000',
      remark: null,
    });
    expect((await api.call('GET', path)).body.account).toEqual({ available: '99.500000', frozen: '0.000000' });
    expect((await api.call('GET', `${path}/topups`)).body.items).toEqual([topup.body]);
    expect((await api.call('GET', `${path}/adjustments`)).body.items).toEqual([adjusted.body]);
    expect((await auditOf(ann.customerNo)).slice(0, 2)).toMatchObject([
      { action: 'adjustment.create', change: { amount: '-0.500000' } },
      { action: 'topup.create', change: { amount: '100.000000', remark: 'Invoice 7', reference: 'inv-7' } },
    ]);
  });

  it('change nothing when the reference is repeated', async () => {
    const path = `/customers/${ann.customerNo}/topups`;
    const audited = (await auditOf(ann.customerNo)).length;
    const again = await api.call('POST', path, { amount: '100', reference: 'inv-7' });
    expect(again.body).toMatchObject({ seq: 1, amount: '100.000000', available_after: '100.000000' });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await api.call('GET', path)).body.total).toBe(1);
    expect(await auditOf(ann.customerNo)).toHaveLength(audited);
  });

  it('happen once when the same reference comes many times at once', async () => {
    const path = `/customers/${bob.customerNo}`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call('POST', `${path}/topups`, { amount: '3', reference: 'same' })),
    );
    expect(new Set(answers.map((answer) => answer.body.seq))).toEqual(new Set([1]));
    expect((await api.call('GET', path)).body.account.available).toBe('3.000000');
  });

  it('name every fault', async () => {
    const path = `/customers/${ann.customerNo}`;
    for (const amount of ['0', '-1', '0.000000']) {
      expect(faultsOf(await api.call('POST', `${path}/topups`, { amount }))).toEqual(['/amount out_of_range']);
    }
    expect(
      faultsOf(await api.call('POST', `${path}/topups`, { amount: 1, remark: 2, reference: '', note: 'x' })),
    ).toEqual(['/amount type', '/note unknown_field', '/reference too_short', '/remark type']);
    expect(faultsOf(await api.call('POST', `${path}/topups`, {}))).toEqual(['/amount required']);
    expect(faultsOf(await api.call('POST', `${path}/adjustments`, { amount: '0' }))).toEqual(['/amount out_of_range']);
    expect(faultsOf(await api.call('POST', `${path}/adjustments`, { amount: '+1' }))).toEqual(['/amount format']);
    for (const amount of ['1000000000.000001', '9223372036854.775807']) {
      expect(faultsOf(await api.call('POST', `${path}/topups`, { amount }))).toEqual(['/amount out_of_range']);
      const down = { amount: `-${amount}` };
      expect(faultsOf(await api.call('POST', `${path}/adjustments`, down))).toEqual(['/amount out_of_range']);
    }
    expect((await api.call('GET', path)).body.account.available).toBe('99.500000');
  });
});

describe('tasks', () => {
  let first = '';
  let second = '';
  let foreign = '';
  beforeAll(async () => {
    first = await insertTask(ann.customerId, '2026-11-01T00:00:00Z', 'queued', 'c:order-1', 'Spring sale');
    foreign = await insertTask(bob.customerId, '2026-11-02T00:00:00Z', 'queued', 'c:order-1', 'Spring news');
    second = await insertTask(ann.customerId, '2026-11-03T00:00:00Z', 'prepared', 's:abc');
  });

  const listed = async (query: string) =>
    (await api.call('GET', `/tasks?${query}`)).body.items.map((task: { task_no: string }) => task.task_no);

  it('of all customers are listed newest first, with every filter', async () => {
    expect(await listed('')).toEqual([second, foreign, first]);
    expect(await listed(`customer_no=${ann.customerNo}`)).toEqual([second, first]);
    expect(await listed('customer_no=C0')).toEqual([]);
    expect(await listed('stage=queued')).toEqual([foreign, first]);
    expect(await listed('client_request_id=order-1')).toEqual([foreign, first]);
    expect(await listed(`client_request_id=order-1&customer_no=${bob.customerNo}`)).toEqual([foreign]);
    expect(await listed('title=Spring')).toEqual([foreign, first]);
    expect(await listed('title=Spring%20s')).toEqual([first]);
    expect(await listed('start_at=2026-11-02T00:00:00Z&end_at=2026-11-03T00:00:00Z')).toEqual([foreign]);
    expect(faultsOf(await api.call('GET', '/tasks?stage=lost&who=me'))).toEqual([
      '?stage out_of_range',
      '?who unknown_field',
    ]);
  });

  it('are paged by page and cursor over customers', async () => {
    const page = await api.call('GET', '/tasks?page_size=2');
    expect(page.body).toMatchObject({ total: 3, total_is_exact: true });
    expect(await listed(`page_size=2&cursor=${page.body.next_cursor}`)).toEqual([first]);
    expect(await listed('page_size=2&page=2')).toEqual([first]);
    expect(await listed('page_size=1&page=2')).toEqual([foreign]);
  });

  it('are shown as their customer sees them', async () => {
    const { body } = await api.call('GET', `/tasks/${first}/`);
    expect(body).toMatchObject({
      customer_no: ann.customerNo,
      task_no: first,
      client_request_id: 'order-1',
      stage: 'queued',
      counts: { total: 2, unsent: 2 },
      timeline: [],
    });
    expect((await api.call('GET', '/tasks/T0000000000000')).status).toBe(404);
    expect((await api.call('GET', '/tasks/nonsense')).status).toBe(404);
  });

  it('are moved on, and each move is audited', async () => {
    for (const move of ['prepare', 'freeze', 'submit', 'cancel']) {
      const { status, body } = await api.call('POST', `/tasks/${first}/${move}`);
      expect([status, body.task_no]).toEqual([200, first]);
      expect(api.moved.at(-1)?.name).toBe(move);
    }
    expect((await api.call('POST', `/tasks/${first}/prepare/`, {})).status).toBe(200);
    expect((await auditOf(first)).map((item: { action: string }) => item.action)).toEqual([
      'task.prepare',
      'task.cancel',
      'task.submit',
      'task.freeze',
      'task.prepare',
    ]);
    expect(faultsOf(await api.call('POST', `/tasks/${first}/prepare`, { now: true }))).toEqual(['/now unknown_field']);
    expect((await api.call('POST', '/tasks/T0000000000000/cancel')).status).toBe(404);
  });

  it('say why they cannot move', async () => {
    const audited = (await auditOf(first)).length;
    api.setMoveResult({
      kind: 'invalid_stage',
      stage: 'completed',
      detail: errorText('stage_cannot_cancel', { stage: 'completed' }),
    });
    const stage = await api.call('POST', `/tasks/${first}/cancel`);
    expect([stage.status, stage.body.code, stage.body.stage]).toEqual([409, 'invalid_stage', 'completed']);
    api.setMoveResult({ kind: 'insufficient_funds', waitsFor: 'limit', detail: errorText('balance_too_low') });
    const funds = await api.call('POST', `/tasks/${first}/freeze`);
    expect([funds.status, funds.body.code, funds.body.waits_for]).toEqual([409, 'insufficient_funds', 'limit']);
    api.setMoveResult({ kind: 'not_found' });
    expect((await api.call('POST', `/tasks/${first}/submit`)).status).toBe(404);
    api.setMoveResult({ kind: 'ok' });
    expect(await auditOf(first)).toHaveLength(audited);
  });

  it('are resolved with an outcome', async () => {
    const path = `/tasks/${first}/resolve`;
    expect((await api.call('POST', path, { outcome: 'accepted' })).status).toBe(200);
    expect(api.moved.at(-1)).toMatchObject({ name: 'resolve', resolution: { outcome: 'accepted' } });
    await api.call('POST', path, { outcome: 'not_accepted', seqs: [2, 1, 2], remark: 'Asked the carrier' });
    expect(api.moved.at(-1)?.resolution).toEqual({
      outcome: 'not_accepted',
      seqs: [2, 1],
      remark: 'Asked the carrier',
    });
    expect((await auditOf(first))[0]).toMatchObject({
      action: 'task.resolve',
      change: { outcome: 'not_accepted', remark: 'Asked the carrier' },
    });
    expect(faultsOf(await api.call('POST', path, { outcome: 'maybe', seqs: [0, 'x', 5001] }))).toEqual([
      '/outcome out_of_range',
      '/seqs/0 out_of_range',
      '/seqs/1 type',
      '/seqs/2 out_of_range',
    ]);
    expect(faultsOf(await api.call('POST', path, { seqs: [] }))).toEqual(['/outcome required', '/seqs too_few']);
  });
});

describe('the audit log', () => {
  it('says who, when and what, newest first, and can be narrowed', async () => {
    const { body } = await api.call('GET', '/audit?action=customer.create');
    expect(body.items).toHaveLength(2);
    expect(body.items[0]).toMatchObject({ actor: 'root', action: 'customer.create', subject: bob.customerNo });
    expect(new Date(body.items[0].at).getTime()).toBeGreaterThan(new Date(body.items[1].at).getTime());
    const first = await api.call('GET', '/audit?action=customer.create&page_size=1');
    const rest = await api.call('GET', `/audit?action=customer.create&page_size=1&cursor=${first.body.next_cursor}`);
    expect([...first.body.items, ...rest.body.items]).toEqual(body.items);
    expect((await api.call('GET', '/audit?actor=root&action=customer.create')).body.total).toBe(2);
    expect((await api.call('GET', '/audit?actor=nobody')).body.items).toEqual([]);
    expect((await api.call('GET', '/audit?end_at=2020-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await api.call('GET', '/audit?start_at=2020-01-01T00:00:00Z&page_size=1')).body.next_cursor).not.toBeNull();
  });

  it('is written with the change or not at all', async () => {
    const { sql } = api.database;
    await sql`alter table audit add constraint audit_refused check (action <> 'firm.create') not valid`;
    expect((await api.call('POST', '/firms', { firm: 'unaudited' })).status).toBe(503);
    await sql`alter table audit drop constraint audit_refused`;
    expect((await api.call('GET', '/firms/unaudited')).status).toBe(404);
  });
});

describe('unclaimed inbound messages', () => {
  it('are listed', async () => {
    await api.call('POST', '/firms', { firm: 'any' });
    const { channel_no } = (await api.call('POST', '/channels', { name: 'Sim', kind: 'simulator', firms: ['any'] }))
      .body;
    const id = api.snapshot.current().channelByNo(channel_no)?.channelId ?? 0n;
    await api.database.sql`
      insert into unclaimed_uplink (channel_id, sender, recipient, content) values (${id}, '8613800138000', '9999', 'hello')`;
    expect((await api.call('GET', '/unclaimed-uplinks')).body.items).toMatchObject([
      { channel_no, sender: '8613800138000', recipient: '9999', content: 'hello' },
    ]);
  });
});

describe('what waits for a decision', () => {
  let channel_no = '';
  let taskNo = '';
  beforeAll(async () => {
    channel_no = (await api.call('GET', '/channels')).body.items[0].channel_no;
    const channelId = api.snapshot.current().channelByNo(channel_no)?.channelId ?? 0n;
    const { sql } = api.database;
    taskNo = await insertTask(ann.customerId, '2026-11-05T00:00:00Z', 'submit_unknown', 'c:order-5');
    const foreign = await insertTask(bob.customerId, '2026-11-05T00:00:01Z', 'submit_unknown', 's:x');
    for (const [{ bucket, customerId }, task, seq, hour] of [
      [ann, taskNo, 2, 3],
      [ann, taskNo, 1, 2],
      [bob, foreign, 1, 1],
    ] as const) {
      const taskId = parseNo('T', task) ?? 0n;
      const since = `2026-11-05T0${hour}:00:00.123456Z`;
      await sql`
        insert into unknown_part (bucket, customer_id, task_id, seq, part, chunk_no, channel_id, phone_key, since, deadline)
        values (${bucket}, ${customerId}, ${taskId}, ${seq}, 1, 0, ${channelId}, ${8613800138000n + BigInt(seq)}, ${since},
          ${since}::timestamptz + interval '1 day')`;
      const submitId = firstIdAt(new Date(`2026-11-05T0${hour}:00:00Z`));
      await sql`
        insert into submit (bucket, customer_id, submit_id, submitted_at, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status)
        values (${bucket}, ${customerId}, ${submitId}, ${`2026-11-05T0${hour}:00:00Z`}, ${taskId}, ${seq}, 1, 2, ${channelId}, ${8613800138000n + BigInt(seq)},
          ${`1380013800${seq}`}, 'any', 'unknown')`;
    }
    await sql`
      insert into unmatched_report (channel_id, message_key, message_id, phone, status, code)
      values (${channelId}, '1', '0001', '8613800138000', 'delivered', 'DELIVRD'),
        (${channelId}, '2', '0002', null, 'undelivered', 'UNDELIV')`;
  });

  const listed = async (query: string) =>
    (await api.call('GET', `/unknown?${query}`)).body.items.map(
      (item: { customer_no: string; seq: number }) =>
        `${item.customer_no === ann.customerNo ? 'ann' : 'bob'} ${item.seq}`,
    );

  it('is listed over all customers, with what is known of it, the most urgent first', async () => {
    expect(await listed('')).toEqual(['bob 1', 'ann 1', 'ann 2']);
    expect((await api.call('GET', '/unknown')).body.items[1]).toEqual({
      customer_no: ann.customerNo,
      task_no: taskNo,
      client_request_id: 'order-5',
      seq: 1,
      phone: '13800138001',
      firm: 'any',
      part: 1,
      parts: 2,
      price: null,
      currency: 'CNY',
      channel_no,
      submit_no: formatNo('S', firstIdAt(new Date('2026-11-05T02:00:00Z'))),
      upstream_message_id: null,
      submitted_at: '2026-11-05T02:00:00.000Z',
      since: '2026-11-05T02:00:00.123Z',
      deadline: '2026-11-06T02:00:00.123Z',
    });
  });

  it('is narrowed by customer and channel', async () => {
    expect(await listed(`customer_no=${ann.customerNo}`)).toEqual(['ann 1', 'ann 2']);
    expect(await listed(`channel_no=${channel_no}&customer_no=${bob.customerNo}`)).toEqual(['bob 1']);
    expect(await listed('channel_no=H0')).toEqual([]);
    expect(await listed('customer_no=C0')).toEqual([]);
    expect(await listed(`task_no=${taskNo}`)).toEqual(['ann 1', 'ann 2']);
    expect(await listed('task_no=T0')).toEqual([]);
  });

  it('has the text beside it where that is asked for', async () => {
    const { body } = await api.call('GET', `/unknown?include=text&task_no=${taskNo}`);
    expect(body.items).toMatchObject([{ text: null }, { text: null }]);
    await api.database.sql`
      update task set content = ${JSON.stringify({ body: 'Hello {p1}', variables: { p1: 'Ann' } })}
      where task_id = ${parseNo('T', taskNo) ?? 0n}`;
    const { body: known } = await api.call('GET', `/unknown?include=text&task_no=${taskNo}&page_size=1`);
    expect(known.items).toMatchObject([{ seq: 1, text: 'Hello Ann' }]);
  });

  it('is walked by cursor, each part once', async () => {
    let cursor: string | null = null;
    const seen: string[] = [];
    do {
      const query: string = cursor === null ? 'page_size=1' : `page_size=1&cursor=${cursor}`;
      seen.push(...(await listed(query)));
      cursor = (await api.call('GET', `/unknown?${query}`)).body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['bob 1', 'ann 1', 'ann 2']);
  });

  it('has beside it the reports that match nothing, newest first', async () => {
    const ids = async (query: string) =>
      (await api.call('GET', `/kept-reports?${query}`)).body.items.map(
        ({ message_id }: { message_id: string }) => message_id,
      );
    expect(await ids('')).toEqual(['0002', '0001']);
    expect(await ids(`channel_no=${channel_no}`)).toEqual(['0002', '0001']);
    expect(await ids('channel_no=H0')).toEqual([]);
    expect((await api.call('GET', '/kept-reports')).body.items[1]).toMatchObject({
      channel_no,
      phone: '8613800138000',
      status: 'delivered',
      code: 'DELIVRD',
      done_at: null,
    });
  });
});

describe('the quarantine', () => {
  const held = (task_id: string | null) => ({
    kind: task_id === null ? 'send' : 'record',
    customer_id: String(ann.customerId),
    task_id,
    channel_id: '1',
    parts: task_id === null ? null : 3,
    reason: 'something is wrong with it',
    tries: 2,
    since: '2026-11-15T00:00:00.000Z',
    ...(task_id === null ? {} : { next_try_at: '2026-11-15T00:00:04.000Z' }),
  });

  it('is listed from all processes that live, and from the rows of tasks that could not be prepared', async () => {
    const { sql } = api.database;
    const taskNo = await insertTask(ann.customerId, '2026-11-07T00:00:00Z', 'queued', 'c:aside');
    const taskId = parseNo('T', taskNo) ?? 0n;
    for (const [node, agoS, task] of [
      ['one', 0, null],
      ['two', 1, String(taskId)],
      ['gone', 60, String(taskId)],
    ] as const) {
      const figures = { books: null, set_aside: [held(task)] };
      await sql`insert into node (node, roles, version, started_at, seen_at, figures)
        values (${node}, '{api}', '1', now() - ${agoS} * interval '1 second', now() - ${agoS} * interval '1 second', ${sql.json(figures)})`;
    }
    await sql`update task set queued_for = 'prepare', prepare_error = 'no JSON', prepare_tries = 4, prepare_after = now()
      where task_id = ${taskId}`;
    const { items } = (await api.call('GET', '/set-aside')).body;
    expect(items.map(({ kind, node, task_no }: SetAside) => `${kind} ${node} ${task_no}`)).toEqual([
      `record two ${taskNo}`,
      'send one null',
      `prepare null ${taskNo}`,
    ]);
    expect(items[0]).toMatchObject({ customer_no: ann.customerNo, parts: 3, tries: 2 });
    expect(items[0].next_try_at).toBe('2026-11-15T00:00:04.000Z');
    expect(items[1]).toMatchObject({ task_no: null, parts: null, next_try_at: null });
    expect(items[2]).toMatchObject({ reason: 'no JSON', tries: 4, channel_no: null, since: null });
    const page = await api.call('GET', '/set-aside?page_size=2');
    const rest = await api.call('GET', `/set-aside?page_size=2&cursor=${page.body.next_cursor}`);
    expect([...page.body.items, ...rest.body.items]).toEqual(items);
    await sql`delete from node`;
  });
});

describe('the reference', () => {
  it('names the fields that lists answer', async () => {
    const path = `/customers/${ann.customerNo}`;
    const { channel_no } = (await api.call('GET', '/channels')).body.items[0];
    await api.call('POST', `${path}/credentials`, {});
    await api.call('POST', `${path}/grants`, { channel_no });
    await api.call('POST', `${path}/prices`, { firm: 'any', unit_price: '1' });
    await api.call('POST', `/channels/${channel_no}/costs`, { firm: 'any', unit_price: '1' });
    await api.call('POST', `${path}/opt-outs`, { phone: '13800138000' });
    await api.call('POST', `${path}/cap-exemptions`, { phone: '13800138000' });
    const account = { name: 'Main', sender: '1069', signature: 'Acme' };
    const { service_account_no } = (await api.call('POST', `${path}/service-accounts`, account)).body;
    const filings = `${path}/service-accounts/${service_account_no}/filings`;
    await api.call('POST', filings, { channel_no, status: 'filed' });
    await api.call('POST', '/blocked-words', { words: ['lottery'] });
    await api.call('POST', '/erasures', { phone: '13900139001' });
    await api.deps.sql`
      insert into blocked_content (bucket, customer_id, task_id, word, numbers)
      select bucket, customer_id, 7, 'lottery', 1 from customer where customer_no = ${ann.customerNo}`;
    await api.call('POST', '/users', { email: 'ann@example.com', name: 'Ann', role: 'viewer' });
    await api.call('POST', `${path}/users`, { email: 'bob@example.com', name: 'Bob', role: 'admin' });
    await api.call('POST', '/operators', { name: 'Ann', role: 'viewer' });
    const webhook = { url: 'https://nowhere.test/', events: ['receipts'] };
    const { webhook_no } = (await api.call('POST', `${path}/webhooks`, webhook)).body;
    await api.call('POST', `${path}/webhooks/${webhook_no}/test`);
    const audit = await api.deps.sql`select action, subject, change from audit where action = 'webhook.test'`;
    expect(audit).toMatchObject([{ subject: webhook_no, change: { customer_no: ann.customerNo } }]);
    await api.call('POST', `/channels/${channel_no}/tests`, { phone: '13800138000' });
    await api.deps.sql`
      insert into channel_event (channel_id, slot, event_no, at, owner, event, detail)
      select channel_id, 0, 1, now(), 'here', 'bound', '' from channel where channel_no = ${channel_no}`;
    await api.deps.sql`
      insert into submit (bucket, customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status, code)
      select bucket, customer_id, 7, 7, 1, 1, 1, channel_id, 8613800138000, '13800138000', 'any', 'rejected', 'E1'
      from customer cross join channel where customer_no = ${ann.customerNo} and channel_no = ${channel_no}`;
    await api.deps.sql`
      insert into uplink (bucket, customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
      select bucket, customer_id, ${BigInt(Date.now()) << 20n}, 8613800138000, 1, 1, '13800138000', 'x' from customer
      where customer_no = ${ann.customerNo}`;
    await api.deps
      .sql`update template set review = 'pending', submission_id = 1 where template_id = (select min(template_id) from template)`;
    const lists = createOperatorApi(api.deps).operations.filter((operation) => operation.list !== undefined);
    expect(lists.length).toBeGreaterThan(10);
    for (const { path: listPath, answer } of lists) {
      const ownPath = listPath.replace('/operator/v1', '').replace('{customer_no}', ann.customerNo);
      const named = ownPath
        .replace('{webhook_no}', webhook_no)
        .replace('{channel_no}', channel_no)
        .replace('{service_account_no}', service_account_no);
      const url = named
        .replace('{phone}', '13800138000')
        .replace('/failures', '/failures?event=refused&code=E1')
        .replace('/unknown', '/unknown?include=text');
      const [item] = (await api.call('GET', url)).body.items;
      const described = Object.keys(answer.schema?.properties.items.items.properties);
      expect({ url, fields: Object.keys(item).sort() }).toEqual({ url, fields: described.sort() });
    }
  });
});

describe('whatever is sent', () => {
  it('is answered with less than 500', async () => {
    const paths = createOperatorApi(api.deps)
      .operations.filter(({ method }) => method === 'POST' || method === 'PATCH')
      .map(({ method, path }) => ({
        method,
        path: path.replace('/operator/v1', '').replace('{customer_no}', ann.customerNo),
      }));
    const names = [
      'name',
      'firm',
      'firms',
      'prefixes',
      'kind',
      'config',
      'status',
      'amount',
      'unit_price',
      'policy',
      'phone',
      'body',
      'ip_allow',
      'channel_no',
      'outcome',
      'seqs',
      'sender',
      'reference',
    ];
    const field = fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'binary' }));
    const value = fc.oneof(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.constantFrom('any', 'simulator', 'active', '1', 'accepted', ['any'], {}),
    );
    const body = fc.oneof(fc.dictionary(field, value), value);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.string({ minLength: 1 }),
        body,
        async ({ method, path }, text, json) => {
          const url = path.replaceAll(/\{\w+\}/g, encodeURIComponent(text));
          expect((await api.call(method, url, JSON.stringify(json))).status).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('with another method gets the allowed methods', async () => {
    const { status, headers } = await api.call('PUT', '/firms', {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
  });

  it('with unknown parameters is refused', async () => {
    expect(faultsOf(await api.call('POST', '/firms?dry_run=1', { firm: 'x' }))).toEqual(['?dry_run unknown_field']);
  });
});
