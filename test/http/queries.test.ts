import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTaskId, firstIdAt, formatNo } from '../../src/domain/id.js';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';

const paths = {
  tasks: '/openapi/v1/messages/tasks/',
  receipts: '/openapi/v1/messages/receipts/',
  uplinks: '/openapi/v1/messages/uplinks/',
  ledgers: '/openapi/v1/finance/ledgers/',
  submits: '/openapi/v1/downstream/submits/',
  deliveries: '/openapi/v1/downstream/deliveries/',
} as const;
const ACCOUNT = '/openapi/v1/finance/account/';

const START_MS = Date.UTC(2026, 10, 14, 23, 57);
const id = (minute: number) => firstIdAt(new Date(START_MS + minute * 60_000));
const at = (minute: number) => new Date(START_MS + minute * 60_000).toISOString();
const taskNo = (minute: number) => formatNo('T', asTaskId(id(minute)));

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
  // The same history for both, distinguished by firm and content, so that a dropped filter shows at once.
  for (const customer of [ann, bob]) await insertHistory(customer);
});
afterAll(() => service.stop());

/** Two tasks a minute apart, the first with two numbers, one of them in two parts. */
async function insertHistory({ customerId, templateId, serviceAccountId, apiKey }: TestCustomer): Promise<void> {
  const { sql } = service;
  const own = apiKey;
  for (const [minute, stage, total] of [
    [0, 'completed', 2],
    [1, 'submit_unknown', 1],
  ] as const) {
    await sql`
      insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
        account_defaulted, target_firms, auto_prepare, auto_freeze, auto_submit, stage, frozen_at, price, total,
        delivered, undelivered, unknown, timeline, updated_at, completed_at, frozen, charged, released, charge_on,
        refund_on_failure)
      values (${customerId}, ${id(minute)}, ${`c:order-${minute}`}, '\\x00', ${templateId}, ${serviceAccountId}, true,
        null, true, true, true, ${stage}, ${at(minute)}, 150000, ${total}, ${minute === 0 ? 1 : 0},
        ${minute === 0 ? 1 : 0}, ${minute}, ${sql.json([{ stage: 'queued', at: at(minute) }])}, ${at(minute)},
        ${minute === 0 ? at(5) : null}, ${minute === 0 ? 150000 : 50000}, ${minute === 0 ? 100000 : 0},
        ${minute === 0 ? 50000 : 0}, 'submit', false)`;
  }
  // A task under way has chunks; by them it is found.
  await sql`
    insert into chunk (customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers, part_states,
      results)
    values (${customerId}, ${id(1)}, 1, 1, ${serviceAccountId}, 'cmcc', 50000, '{}', '\\x04', '\\x00')`;
  await sql`
    insert into unknown_part (customer_id, task_id, seq, part, chunk_no, channel_id, phone_key, since, deadline)
    values (${customerId}, ${id(1)}, 1, 1, 0, 1, 8613800138000, ${at(2)}, ${at(1442)})`;
  await sql`
    insert into submit (customer_id, submit_id, submitted_at, task_id, seq, part, parts, channel_id, phone_key, answered_at, phone,
      firm, status, code, upstream_message_id)
    values (${customerId}, ${id(2)}, ${at(2)}, ${id(0)}, 1, 1, 2, 1, 8613800138000, ${at(2)}, '138 0013 8000', ${own}, 'accepted', null, 'm1'),
      (${customerId}, ${id(3)}, ${at(3)}, ${id(0)}, 1, 2, 2, 1, 8613800138000, ${at(3)}, '138 0013 8000', ${own}, 'accepted', null, 'm2'),
      (${customerId}, ${id(4)}, ${at(4)}, ${id(0)}, 2, 1, 1, 1, 8613800138001, ${at(4)}, '13800138001', ${own}, 'rejected', '11', null),
      (${customerId}, ${id(5)}, ${at(5)}, ${id(1)}, 1, 1, 1, 1, 8613800138000, null, '+8613800138000', ${own}, 'unknown', null, null)`;
  await sql`
    insert into delivery (customer_id, delivery_id, task_id, seq, part, parts, phone_key, done_at, phone, firm, status,
      code, upstream_message_id)
    values (${customerId}, ${id(6)}, ${id(0)}, 1, 1, 2, 8613800138000, ${at(5)}, '138 0013 8000', ${own}, 'intermediate', 'ENROUTE', 'm1'),
      (${customerId}, ${id(7)}, ${id(0)}, 1, 1, 2, 8613800138000, ${at(5)}, '138 0013 8000', ${own}, 'delivered', 'DELIVRD', 'm1'),
      (${customerId}, ${id(8)}, ${id(0)}, 1, 2, 2, 8613800138000, null, '138 0013 8000', ${own}, 'delivered', 'DELIVRD', 'm2')`;
  await sql`
    insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, submitted_at, done_at, phone,
      firm, result, code, is_charged)
    values (${customerId}, ${id(8)}, ${id(0)}, 1, 2, 8613800138000, 100000, ${at(2)}, ${at(5)}, '138 0013 8000', ${own}, 'delivered', 'DELIVRD', true),
      (${customerId}, ${id(9)}, ${id(0)}, 2, 0, -5, 0, null, null, 'nonsense', null, 'rejected', 'invalid_number', false)`;
  await sql`
    insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, task_id, phone, firm, content)
    values (${customerId}, ${id(10)}, 8613800138000, ${serviceAccountId}, 1, ${id(0)}, '8613800138000', ${own}, 'OK'),
      (${customerId}, ${id(11)}, 8613800138001, ${serviceAccountId}, 1, null, '8613800138001', ${own}, 'STOP')`;
  await sql`
    insert into ledger_entry (customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta,
      available_after, frozen_after, remark, created_at)
    values (${customerId}, 1, 'topup', 1000000, null, null, 1000000, 0, 1000000, 0, ${own}, ${at(0)}),
      (${customerId}, 2, 'freeze', 150000, ${id(0)}, 2, -150000, 150000, 850000, 150000, null, ${at(1)}),
      (${customerId}, 3, 'charge', 100000, ${id(0)}, 1, 0, -100000, 850000, 50000, null, ${at(2)}),
      (${customerId}, 4, 'release', 50000, ${id(0)}, 1, 50000, -50000, 900000, 0, null, ${at(3)})`;
  await sql`update account set available = 900000, frozen = 0, entry_seq = 4 where customer_id = ${customerId}`;
}

const get = async (target: string, customer = ann) => (await service.call(customer, target)).body;
const items = async (target: string, key: string) =>
  (await get(target)).items.map((item: Record<string, unknown>) => item[key]);

describe('what each list shows', () => {
  it('tasks', async () => {
    const body = await get(paths.tasks);
    expect(body).toMatchObject({ page: 1, page_size: 20, total: 2, total_is_exact: true, next_cursor: null });
    expect(body.items[1]).toEqual({
      task_no: taskNo(0),
      client_request_id: 'order-0',
      batch_id: null,
      title: null,
      class: 'notice',
      template_no: ann.templateNo,
      service_account_no: ann.serviceAccountNo,
      target_firms: [],
      auto_prepare: true,
      auto_freeze: true,
      auto_submit: true,
      stage: 'completed',
      accounting_state: 'settled',
      receipt_state: 'complete',
      failure: null,
      waits_for: null,
      send_at: null,
      expires_at: null,
      next_send_at: null,
      counts: { total: 2, unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 1, undelivered: 1, expired: 0 },
      cancelled: 0,
      amounts: {
        currency: 'CNY',
        price: null,
        frozen: '0.150000',
        charged: '0.100000',
        released: '0.050000',
        refunded: '0.000000',
        held: '0.000000',
      },
      created_at: at(0),
      updated_at: at(0),
      completed_at: at(5),
    });
  });

  it('a task in submit_unknown, with what is being verified', async () => {
    const body = await get(`${paths.tasks}${taskNo(1)}/`);
    expect(body).toMatchObject({
      stage: 'submit_unknown',
      accounting_state: 'frozen',
      receipt_state: 'pending',
      template_body: null,
      variable_values: null,
      timeline: [{ stage: 'queued', at: at(1) }],
      verification: { since: at(2), deadline: at(1442), unknown: 1 },
    });
    expect(await get(`${paths.tasks}${taskNo(0)}`)).not.toHaveProperty('verification');
  });

  it('receipts', async () => {
    expect((await get(paths.receipts)).items).toEqual([
      {
        task_no: taskNo(0),
        client_request_id: 'order-0',
        seq: 2,
        phone: 'nonsense',
        firm: null,
        result: 'rejected',
        code: 'invalid_number',
        description: 'The phone is not a valid number.',
        parts: 0,
        price: '0.000000',
        charged: '0.000000',
        submitted_at: null,
        done_at: null,
        received_at: at(9),
      },
      {
        task_no: taskNo(0),
        client_request_id: 'order-0',
        seq: 1,
        phone: '138 0013 8000',
        firm: ann.apiKey,
        result: 'delivered',
        code: 'DELIVRD',
        description: 'Delivered to the handset.',
        parts: 2,
        price: '0.100000',
        charged: '0.100000',
        submitted_at: at(2),
        done_at: at(5),
        received_at: at(8),
      },
    ]);
  });

  it('uplinks', async () => {
    expect((await get(paths.uplinks)).items[1]).toEqual({
      uplink_no: formatNo('U', id(10)),
      phone: '8613800138000',
      service_account_no: ann.serviceAccountNo,
      firm: ann.apiKey,
      content: 'OK',
      task_no: taskNo(0),
      received_at: at(10),
    });
  });

  it('ledger entries', async () => {
    expect((await get(paths.ledgers)).items[2]).toEqual({
      ledger_no: formatNo('L', 2n),
      seq: 2,
      type: 'freeze',
      amount: '0.150000',
      currency: 'CNY',
      task_no: taskNo(0),
      client_request_id: 'order-0',
      title: null,
      numbers: 2,
      available_delta: '-0.150000',
      frozen_delta: '0.150000',
      available_after: '0.850000',
      frozen_after: '0.150000',
      remark: null,
      created_at: at(1),
    });
  });

  it('submits', async () => {
    expect((await get(paths.submits)).items[3]).toEqual({
      submit_no: formatNo('S', id(2)),
      task_no: taskNo(0),
      seq: 1,
      phone: '138 0013 8000',
      firm: ann.apiKey,
      part: 1,
      parts: 2,
      status: 'accepted',
      code: null,
      upstream_message_id: 'm1',
      submitted_at: at(2),
      answered_at: at(2),
    });
  });

  it('deliveries', async () => {
    expect((await get(paths.deliveries)).items[1]).toEqual({
      delivery_no: formatNo('D', id(7)),
      task_no: taskNo(0),
      seq: 1,
      phone: '138 0013 8000',
      firm: ann.apiKey,
      part: 1,
      parts: 2,
      status: 'delivered',
      code: 'DELIVRD',
      upstream_message_id: 'm1',
      done_at: at(5),
      received_at: at(7),
    });
  });

  it('the account', async () => {
    expect(await get(ACCOUNT)).toEqual({
      customer_no: ann.customerNo,
      currency: 'CNY',
      billing_mode: 'prepaid',
      charge_on: 'submit',
      refund_on_failure: false,
      credit_limit: '0.000000',
      available: '0.900000',
      frozen: '0.000000',
      daily_limit: null,
      frozen_today: '0.000000',
      low_balance: null,
      billing_time_zone: 'UTC',
      ledger_seq: 4,
    });
  });
});

describe('filters', () => {
  it.each<[keyof typeof paths, string, string, unknown[]]>([
    ['tasks', 'client_request_id=order-1', 'created_at', [at(1)]],
    ['tasks', 'client_request_id=nope', 'created_at', []],
    ['tasks', 'stage=completed', 'created_at', [at(0)]],
    ['tasks', 'stage=failed', 'created_at', []],
    ['tasks', 'template_no=M_ann', 'created_at', [at(1), at(0)]],
    ['tasks', 'template_no=M_bob', 'created_at', []],
    ['tasks', 'template_no=nope', 'created_at', []],
    ['tasks', 'stage=completed&client_request_id=order-1', 'created_at', []],
    ['receipts', 'task_no=TASK0', 'seq', [2, 1]],
    ['receipts', 'task_no=TASK1', 'seq', []],
    ['receipts', 'task_no=nope', 'seq', []],
    ['receipts', 'client_request_id=order-0', 'seq', [2, 1]],
    ['receipts', 'client_request_id=nope', 'seq', []],
    ['receipts', 'client_request_id=order-0&task_no=TASK1', 'seq', []],
    ['receipts', 'client_request_id=order-0&task_no=TASK0&result=delivered', 'seq', [1]],
    ['receipts', 'phone=13800138000', 'seq', [1]],
    ['receipts', 'phone=%2B86%20138-0013-8000', 'seq', [1]],
    ['receipts', 'phone=+8613800138000', 'seq', [1]],
    ['receipts', 'phone=13800138009', 'seq', []],
    ['receipts', 'result=rejected', 'seq', [2]],
    ['receipts', 'result=expired', 'seq', []],
    ['receipts', 'firm=OWN', 'seq', [1]],
    ['receipts', 'firm=OWN&result=delivered', 'seq', [1]],
    ['receipts', 'firm=OWN&result=rejected', 'seq', []],
    ['receipts', 'firm=OWN&task_no=TASK0', 'seq', [1]],
    ['receipts', 'firm=OWN&phone=13800138000', 'seq', [1]],
    ['receipts', 'firm=-', 'seq', [2]],
    ['receipts', 'firm=-&task_no=TASK0&result=rejected', 'seq', [2]],
    ['receipts', 'firm=nobody', 'seq', []],
    ['receipts', 'cancelled=true', 'seq', []],
    ['receipts', 'cancelled=false', 'seq', [2, 1]],
    ['receipts', 'cancelled=false&result=rejected', 'seq', [2]],
    ['receipts', 'cancelled=false&task_no=TASK0&firm=OWN', 'seq', [1]],
    ['uplinks', 'phone=138 0013 8000', 'content', ['OK']],
    ['uplinks', 'service_account_no=A_ann', 'content', ['STOP', 'OK']],
    ['uplinks', 'service_account_no=A_bob', 'content', []],
    ['uplinks', 'service_account_no=nope', 'content', []],
    ['ledgers', 'task_no=TASK0', 'seq', [4, 3, 2]],
    ['ledgers', 'task_no=nope', 'seq', []],
    ['ledgers', 'type=topup', 'seq', [1]],
    ['ledgers', 'type=refund', 'seq', []],
    ['ledgers', 'task_no=TASK0&type=charge', 'seq', [3]],
    ['submits', 'task_no=TASK1', 'status', ['unknown']],
    ['submits', 'phone=13800138000', 'submitted_at', [at(5), at(3), at(2)]],
    ['submits', 'phone=13800138000&status=accepted', 'submitted_at', [at(3), at(2)]],
    ['submits', 'status=rejected', 'code', ['11']],
    ['submits', 'status=accepted&task_no=TASK0', 'part', [2, 1]],
    ['deliveries', 'task_no=TASK0', 'received_at', [at(8), at(7), at(6)]],
    ['deliveries', 'phone=13800138000', 'received_at', [at(8), at(7), at(6)]],
    ['deliveries', 'phone=13800138000&status=delivered', 'received_at', [at(8), at(7)]],
    ['deliveries', 'phone=13800138000&task_no=TASK1', 'received_at', []],
    ['deliveries', 'phone=13800138001', 'received_at', []],
    ['deliveries', 'status=intermediate', 'received_at', [at(6)]],
  ])('%s?%s', async (list, query, key, expected) => {
    const filled = query
      .replace('TASK0', taskNo(0))
      .replace('TASK1', taskNo(1))
      .replace('OWN', ann.apiKey)
      .replaceAll(' ', '%20');
    expect(await items(`${paths[list]}?${filled}`, key)).toEqual(expected);
  });

  it.each<[keyof typeof paths, string, number, string]>([
    ['tasks', 'created_at', 0, ''],
    ['receipts', 'received_at', 8, ''],
    ['receipts', 'received_at', 8, '&result=delivered'],
    ['receipts', 'received_at', 8, '&phone=13800138000'],
    ['receipts', 'received_at', 8, '&firm=OWN'],
    ['receipts', 'received_at', 8, '&firm=OWN&result=delivered'],
    ['receipts', 'received_at', 8, '&client_request_id=order-0'],
    ['uplinks', 'received_at', 10, ''],
    ['uplinks', 'received_at', 10, '&service_account_no=A_ann'],
    ['ledgers', 'created_at', 2, ''],
    ['ledgers', 'created_at', 2, '&type=charge'],
    ['submits', 'submitted_at', 3, ''],
    ['submits', 'submitted_at', 3, '&status=accepted'],
    ['deliveries', 'received_at', 7, ''],
    ['deliveries', 'received_at', 7, '&phone=13800138000'],
    ['deliveries', 'received_at', 7, '&status=delivered'],
  ])(
    'times of %s, as %s shows them, go from start_at until before end_at (minute %i%s)',
    async (list, key, minute, rest) => {
      const filter = rest.replace('OWN', ann.apiKey);
      const ms = START_MS + minute * 60_000;
      const within = (from: number, until: number) =>
        items(`${paths[list]}?start_at=${from}&end_at=${until}${filter}`, key);
      expect(await within(ms, ms + 1)).toEqual([at(minute)]);
      expect(await within(ms - 1, ms)).toEqual([]);
      expect(await within(ms + 1, ms + 2)).toEqual([]);
      expect(await within(ms, ms)).toEqual([]);
      const offset = encodeURIComponent(new Date(ms + 8 * 3_600_000).toISOString().replace('Z', '+08:00'));
      const until = encodeURIComponent(new Date(ms + 1).toISOString());
      expect(await items(`${paths[list]}?start_at=${offset}&end_at=${until}${filter}`, key)).toEqual([at(minute)]);
    },
  );
});

describe('paging', () => {
  it.each(Object.entries(paths))('%s: every row once, by page and by cursor', async (_, path) => {
    const all = (await get(path)).items;
    const byPage: unknown[] = [];
    const byCursor: unknown[] = [];
    let cursor: string | null = '';
    for (let page = 1; page <= all.length; page += 1) {
      const one = await get(`${path}?page=${page}&page_size=1`);
      expect(one).toMatchObject({ page, page_size: 1, total: all.length, total_is_exact: true });
      expect(one.next_cursor === null).toBe(page === all.length);
      byPage.push(...one.items);
      const next = await get(`${path}?page_size=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(next).toMatchObject({ page, total: all.length });
      byCursor.push(...next.items);
      cursor = next.next_cursor;
    }
    expect(cursor).toBeNull();
    expect(byPage).toEqual(all);
    expect(byCursor).toEqual(all);
  });

  it.each(['status=accepted', 'phone=13800138000', `task_no=TASK0`])(
    'submits by %s: every row once',
    async (filter) => {
      const path = `${paths.submits}?${filter.replace('TASK0', taskNo(0))}`;
      const all = (await get(path)).items;
      const walked: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next = await get(`${path}&page_size=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
        walked.push(...next.items);
        cursor = next.next_cursor;
      }
      expect(walked).toEqual(all);
    },
  );

  it('receipts by firm: as the whole list has them, by page, by cursor and as a file', async () => {
    const fay = await service.addCustomer('fay');
    // Twelve seconds apart, so that they lie in many spans of the index, and four at each moment.
    await service.sql`
      insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, firm, result)
      select ${fay.customerId}, ${id(30)}::bigint + ((i / 4 * 12000) << 20) + i % 4, ${id(30)}, i, 1, i, 0, 'p',
        (array['f', 'g', null])[1 + i % 3],
        -- What went to no firm was not delivered.
        case when i % 3 = 2 then 'rejected' else (array['delivered', 'undelivered', 'expired', 'rejected'])[1 + i % 7 % 4] end
      from generate_series(1::bigint, 100) as i`;
    const all = (await get(`${paths.receipts}?page_size=100`, fay)).items;
    expect(all).toHaveLength(100);
    for (const firm of ['f', 'g', null]) {
      for (const result of firm === null ? [undefined, 'rejected'] : [undefined, 'delivered', 'expired']) {
        const path = `${paths.receipts}?firm=${firm ?? '-'}${result === undefined ? '' : `&result=${result}`}`;
        const expected = all.filter(
          (one: { firm: string | null; result: string }) =>
            one.firm === firm && (result === undefined || one.result === result),
        );
        const walked: unknown[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const next = await get(`${path}&page_size=7${cursor === '' ? '' : `&cursor=${cursor}`}`, fay);
          expect(next.total).toBe(expected.length);
          walked.push(...next.items);
          cursor = next.next_cursor;
        }
        expect(walked).toEqual(expected);
        expect((await get(`${path}&page_size=5&page=2`, fay)).items).toEqual(expected.slice(5, 10));
        const file = await service.call(fay, path, { headers: { accept: 'application/x-ndjson' } });
        const lines: { seq: number }[] = file.text
          .trim()
          .split('\n')
          .map((line: string) => JSON.parse(line));
        expect(lines.map(({ seq }) => seq)).toEqual(expected.map(({ seq }: { seq: number }) => seq).reverse());
      }
    }
  });

  it('a page beyond the end is empty and knows the total', async () => {
    expect(await get(`${paths.submits}?page=9`)).toMatchObject({ items: [], page: 9, total: 4, next_cursor: null });
  });

  it('is stable while rows are added', async () => {
    const carol = await service.addCustomer('carol');
    const insert = (minute: number) => service.sql`
      insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
      values (${carol.customerId}, ${id(minute)}, 1, 1, 1, '1', ${String(minute)})`;
    for (const minute of [1, 2, 3]) await insert(minute);
    const first = await get(`${paths.uplinks}?page_size=2`, carol);
    await insert(4);
    const second = await get(`${paths.uplinks}?page_size=2&cursor=${first.next_cursor}`, carol);
    const contents = [...first.items, ...second.items].map((item: { content: string }) => item.content);
    expect(contents).toEqual(['3', '2', '1']);
  });

  it('counts exactly up to 10,000 and says when there is more', async () => {
    const dan = await service.addCustomer('dan');
    const fill = (from: number, until: number) => service.sql`
      insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
      select ${dan.customerId}, i, 1, 1, 1, '1', 'x' from generate_series(${from}::bigint, ${until}) as i`;
    await fill(1, 10_000);
    expect(await get(`${paths.uplinks}?page=100&page_size=100`, dan)).toMatchObject({
      total: 10_000,
      total_is_exact: true,
      next_cursor: null,
    });
    await fill(10_001, 10_050);
    const last = await get(`${paths.uplinks}?page=100&page_size=100`, dan);
    expect(last).toMatchObject({ total: 10_000, total_is_exact: false });
    const deep = await service.call(dan, `${paths.uplinks}?page=101&page_size=100`);
    expect([deep.status, deep.body.code]).toEqual([400, 'page_too_deep']);
    const beyond = await get(`${paths.uplinks}?page_size=100&cursor=${last.next_cursor}`, dan);
    expect(beyond).toMatchObject({ page: 101, total: 10_000, total_is_exact: false, next_cursor: null });
    expect(beyond.items).toHaveLength(50);
  });

  it.each(Object.entries(paths))('%s refuses what it does not know', async (_, path) => {
    const faults = async (query: string) => {
      const { status, body } = await service.call(ann, `${path}?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      return body.errors.map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`);
    };
    expect(await faults('colour=red')).toEqual(['?colour unknown_field']);
    expect(await faults('page_size=101')).toEqual(['?page_size out_of_range']);
    expect(await faults('page_size=0&page=x')).toEqual(['?page_size out_of_range', '?page type']);
    expect(await faults('start_at=2026-11-15T00:00:00Z&end_at=2026-11-14T00:00:00Z')).toEqual(['?end_at out_of_range']);
    expect(await faults('cursor=x')).toEqual(['?cursor format']);
  });

  it('a cursor of another list is refused, one of another customer shows only one’s own', async () => {
    const { next_cursor } = await get(`${paths.submits}?page_size=1`, bob);
    expect((await service.call(ann, `${paths.deliveries}?cursor=${next_cursor}`)).status).toBe(400);
    const own = await get(`${paths.submits}?cursor=${next_cursor}`, ann);
    expect(own.items.map((item: { firm: string }) => item.firm)).toEqual([ann.apiKey, ann.apiKey, ann.apiKey]);
  });

  it('operations without parameters refuse every one', async () => {
    for (const path of [ACCOUNT, `${paths.tasks}${taskNo(0)}/`]) {
      const { status, body } = await service.call(ann, `${path}?page=1`);
      expect([status, body.errors[0].pointer]).toEqual([400, '?page']);
    }
  });
});

describe('another customer’s data', () => {
  it.each(Object.entries(paths))('%s: is not seen', async (name, path) => {
    const own = await service.call(bob, path);
    const total = { tasks: 2, receipts: 2, uplinks: 2, ledgers: 4, submits: 4, deliveries: 3 }[name];
    expect(own.body.total).toBe(total);
    expect(own.text).not.toContain('ann');
    expect(own.text).toContain('bob');
  });

  it.each<[keyof typeof paths, string]>([
    ['receipts', `task_no=${taskNo(20)}`],
    ['receipts', 'client_request_id=only-ann'],
    ['receipts', 'phone=13800138020'],
    ['submits', `task_no=${taskNo(20)}`],
    ['submits', 'phone=13800138020'],
    ['deliveries', `task_no=${taskNo(20)}`],
    ['deliveries', 'phone=13800138020'],
    ['uplinks', 'phone=13800138020'],
    ['ledgers', `task_no=${taskNo(20)}`],
    ['tasks', 'client_request_id=only-ann'],
  ])('%s?%s: is not found by name', async (list, query) => {
    const eve = await service.addCustomer(`eve${Math.random()}`);
    await insertLone(eve);
    expect((await get(`${paths[list]}?${query}`, eve)).total).toBe(1);
    expect((await get(`${paths[list]}?${query}`, bob)).total).toBe(0);
  });

  it('a task: is not found', async () => {
    const frank = await service.addCustomer('frank');
    await insertLone(frank);
    expect((await service.call(frank, `${paths.tasks}${taskNo(20)}/`)).status).toBe(200);
    expect((await service.call(bob, `${paths.tasks}${taskNo(20)}/`)).status).toBe(404);
  });

  it('the account: is one’s own', async () => {
    const gina = await service.addCustomer('gina');
    expect(await get(ACCOUNT, gina)).toMatchObject({
      customer_no: gina.customerNo,
      available: '0.000000',
      ledger_seq: 0,
    });
  });

  /** One row of everything, at minute 20, for one phone. */
  async function insertLone({ customerId, templateId, serviceAccountId }: TestCustomer): Promise<void> {
    const { sql } = service;
    await sql`
      insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id,
        account_defaulted, auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
      values (${customerId}, ${id(20)}, 'c:only-ann', '\\x00', ${templateId}, ${serviceAccountId}, true, true, true,
        true, 'queued', 1, '[]', now())`;
    await sql`
      insert into submit (customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status)
      values (${customerId}, ${id(20)}, ${id(20)}, 1, 1, 1, 1, 8613800138020, 'p', 'f', 'accepted')`;
    await sql`
      insert into delivery (customer_id, delivery_id, task_id, seq, part, parts, phone_key, phone, firm, status)
      values (${customerId}, ${id(20)}, ${id(20)}, 1, 1, 1, 8613800138020, 'p', 'f', 'delivered')`;
    await sql`
      insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, result)
      values (${customerId}, ${id(20)}, ${id(20)}, 1, 1, 8613800138020, 0, 'p', 'delivered')`;
    await sql`
      insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
      values (${customerId}, ${id(20)}, 8613800138020, ${serviceAccountId}, 1, 'p', 'x')`;
    await sql`
      insert into ledger_entry (customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta,
        available_after, frozen_after, created_at)
      values (${customerId}, 1, 'freeze', 1, ${id(20)}, 1, -1, 1, 0, 1, now())`;
  }
});

describe('any query', () => {
  it('is answered or refused by the contract', async () => {
    const name = fc.constantFrom(
      ...[
        'page',
        'page_size',
        'cursor',
        'start_at',
        'end_at',
        'task_no',
        'phone',
        'status',
        'result',
        'firm',
        'type',
        'stage',
      ],
      ...['client_request_id', 'template_no', 'service_account_no'],
    );
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text)),
      fc.stringMatching(/^[ -~]{0,20}$/).map((text) => text.replaceAll(/[#&\s]/g, '')),
      fc.integer().map(String),
      fc.constantFrom('%', '%ff', '%00', '13800138000', taskNo(0), 'delivered', '2026-11-14T23:57:00Z'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(paths)),
        fc.array(fc.tuple(name, value), { maxLength: 4 }),
        async (path, pairs) => {
          const query = pairs.map(([key, text]) => `${key}=${text}`).join('&');
          // The harness normalises targets as a browser would; what it changes would fail the signature.
          const target = `${path}${query === '' ? '' : `?${query}`}`;
          expect([200, 400, 401]).toContain((await service.call(ann, target)).status);
        },
      ),
      { numRuns: 200 },
    );
    expect(service.logged.join('')).not.toContain('a request failed');
  });
});

describe('the history of a number', () => {
  const number = '/openapi/v1/messages/numbers/';

  it('has what the lists have of it, whatever its spelling, and nothing of another customer', async () => {
    const body = await get(`${number}138%200013%208000/`);
    for (const kind of ['receipts', 'uplinks', 'submits', 'deliveries'] as const) {
      const listed = (await get(`${paths[kind]}?phone=%2B8613800138000`)).items;
      expect(listed.length).toBeGreaterThan(0);
      expect(body[kind]).toEqual(listed);
    }
    expect(body).toMatchObject({ phone: '+8613800138000', opted_out_at: null, is_complete: true });
    expect(body.tasks).toEqual([
      { task_no: taskNo(1), client_request_id: 'order-1', template_no: ann.templateNo },
      { task_no: taskNo(0), client_request_id: 'order-0', template_no: ann.templateNo },
    ]);
  });

  it('tells since when it has opted out', async () => {
    await service.sql`
      insert into opt_out (customer_id, phone_key, phone, source, created_at)
      values (${bob.customerId}, 8613800138000, '13800138000', 'operator', ${at(12)})`;
    expect(await get(`${number}13800138000/`, bob)).toMatchObject({ opted_out_at: at(12) });
    expect(await get(`${number}13800138000/`)).toMatchObject({ opted_out_at: null });
  });

  it('is empty where nothing happened, and says so of what is no number, too', async () => {
    const none = { submits: [], deliveries: [], receipts: [], uplinks: [], tasks: [], is_complete: true };
    expect(await get(`${number}13900000000/`)).toEqual({ phone: '+8613900000000', opted_out_at: null, ...none });
    expect(await get(`${number}anybody/`)).toEqual({ phone: 'anybody', opted_out_at: null, ...none });
    expect((await service.call(ann, `${number}${'1'.repeat(33)}/`)).status).toBe(404);
  });

  it('leaves out what is older than a hundred of a kind, and says that there is more', async () => {
    const cat = await service.addCustomer('cat');
    await service.sql`
      insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
      select ${cat.customerId}, ${id(20)}::bigint + n, 8613800138000, ${cat.serviceAccountId}, 1, '13800138000', n::text
      from generate_series(1, 101) as n`;
    const body = await get(`${number}13800138000/`, cat);
    expect(body.is_complete).toBe(false);
    expect(body.uplinks.map(({ content }: { content: string }) => content)).toEqual(
      Array.from({ length: 100 }, (_, index) => String(101 - index)),
    );
  });
});
