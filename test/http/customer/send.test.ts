import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann', { templateBody: 'Hello' });
  bob = await service.addCustomer('bob', { templateBody: 'Hello {p1}, {p2}' });
});
afterAll(() => service.stop());

const minimal = () => ({ template_no: ann.templateNo, phones: ['13800138000'] });
const send = (body: object, customer = ann) => service.call(customer, SEND, { body });
const countTasks = async () => {
  const [row] = await service.sql<{ count: number }[]>`select count(*)::int as count from task`;
  return row?.count ?? 0;
};

/** The answer must be a 400 with exactly these faults, and leave nothing behind. */
async function expectFaults(body: object, faults: string[], customer = ann): Promise<void> {
  const before = await countTasks();
  const answer = await send(body, customer);
  expect(
    answer.body.errors?.map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`),
  ).toEqual(faults);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  expect(await countTasks()).toBe(before);
}

describe('an accepted send', () => {
  it('is answered with the task', async () => {
    const answer = await send({
      template_no: ann.templateNo,
      phones: ['13800138000', 'x'],
      target_firms: ['cmcc'],
      client_request_id: 'order-1',
      auto_prepare: true,
      auto_freeze: false,
      auto_submit: false,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
    expect(answer.body).toEqual({
      task_no: expect.stringMatching(/^T[0-9A-Z]{13}$/),
      client_request_id: 'order-1',
      batch_id: null,
      title: null,
      class: 'notice',
      template_no: ann.templateNo,
      service_account_no: ann.serviceAccountNo,
      target_firms: ['cmcc'],
      auto_prepare: true,
      auto_freeze: false,
      auto_submit: false,
      stage: 'queued',
      accounting_state: 'none',
      receipt_state: 'none',
      failure: null,
      waits_for: null,
      send_at: null,
      expires_at: null,
      next_send_at: null,
      counts: { total: 2, unsent: 2, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 },
      cancelled: 0,
      amounts: {
        currency: 'CNY',
        price: null,
        frozen: '0.000000',
        charged: '0.000000',
        released: '0.000000',
        refunded: '0.000000',
        held: '0.000000',
      },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
      completed_at: null,
    });
    const detail = await service.call(ann, `/openapi/v1/messages/tasks/${answer.body.task_no}/`);
    expect(detail.body).toEqual({
      ...answer.body,
      template_body: expect.any(String),
      variable_values: {},
      timeline: [{ stage: 'queued', at: answer.body.created_at }],
    });
  });

  it('has defaults, and null for what was not given', async () => {
    expect((await send(minimal())).body).toMatchObject({
      client_request_id: null,
      target_firms: [],
      auto_prepare: true,
      auto_freeze: false,
      auto_submit: false,
      service_account_no: ann.serviceAccountNo,
    });
  });

  it('takes 5,000 numbers', async () => {
    const phones = Array.from({ length: 5000 }, (_, index) => `139${String(index).padStart(8, '0')}`);
    expect((await send({ template_no: ann.templateNo, phones })).body.counts.total).toBe(5000);
  });

  it('answers with and without the final slash', async () => {
    const body = JSON.stringify(minimal());
    expect((await service.call(ann, SEND.slice(0, -1), { body })).status).toBe(200);
  });

  it('takes a charset, and recipients with variables in either form', async () => {
    const recipients = [
      { phone: '13800138000', variable_values: { p1: 'Ann', p2: 7 } },
      { phone: '13800138001', variable_values: ['Bob', 8] },
    ];
    const answer = await service.call(bob, SEND, {
      body: { template_no: bob.templateNo, recipients },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(answer.status).toBe(200);
  });
});

describe('a send that breaks a rule', () => {
  it.each<[string, object, string[]]>([
    ['neither phones nor recipients', { phones: undefined }, [' exactly_one_of']],
    ['both', { recipients: [{ phone: '13800138000' }] }, [' exactly_one_of']],
    ['no phone', { phones: [] }, ['/phones too_few']],
    ['5,001 phones', { phones: Array(5001).fill('13800138000') }, ['/phones too_many']],
    ['freezing without preparing', { auto_prepare: false, auto_freeze: true }, ['/auto_freeze requires']],
    ['submitting without freezing', { auto_submit: true }, ['/auto_submit requires']],
    [
      'variables with recipients',
      { phones: undefined, recipients: [{ phone: '1' }], variable_values: { p1: 'x' } },
      ['/variable_values not_allowed_together'],
    ],
    ['an id of 65 characters', { client_request_id: '😀'.repeat(65) }, ['/client_request_id too_long']],
    ['an empty id', { client_request_id: '' }, ['/client_request_id too_short']],
    ['an id with control characters', { client_request_id: 'a\nb' }, ['/client_request_id format']],
    ['an id with NUL', { client_request_id: 'a\0b' }, ['/client_request_id format']],
    ['an id with half a surrogate pair', { client_request_id: '\ud800' }, ['/client_request_id format']],
    ['a phone with NUL', { phones: ['1380013\u00008000'] }, ['/phones/0 format']],
    ['p19', { variable_values: { p19: 'x' } }, ['/variable_values/p19 unknown_variable']],
    ['nineteen variables', { variable_values: Array(19).fill('x') }, ['/variable_values too_many']],
    ['a variable that is a list', { variable_values: { p1: [] } }, ['/variable_values/p1 type']],
    ['a long variable', { variable_values: { p1: 'x'.repeat(501) } }, ['/variable_values/p1 too_long']],
    ['an unknown field', { colour: 'red' }, ['/colour unknown_field']],
    ['a number as a phone', { phones: [13800138000] }, ['/phones/0 type']],
    ['a phone of 33 characters', { phones: ['1'.repeat(33)] }, ['/phones/0 too_long']],
    ['no template', { template_no: undefined }, ['/template_no required']],
    ['a template that is a number', { template_no: 5 }, ['/template_no type']],
  ])('%s', async (_, change, faults) => {
    await expectFaults({ ...minimal(), ...change }, faults);
  });

  it('reports all faults at once', async () => {
    await expectFaults({ phones: [1, 2], auto_submit: true, x: 1 }, [
      '/x unknown_field',
      '/template_no required',
      '/phones/0 type',
      '/phones/1 type',
      '/auto_submit requires',
    ]);
  });

  it('reports what its times and its template lack along with it', async () => {
    const body = { template_no: bob.templateNo, phones: [], send_at: '2099-01-01T00:00:00Z' };
    const late = ['/send_at out_of_range'];
    const missing = ['/variable_values missing_variable'];
    await expectFaults({ ...body, variable_values: ['x'] }, ['/phones too_few', ...late, ...missing], bob);
    await expectFaults({ ...body, phones: ['1'], variable_values: ['x'] }, [...late, ...missing], bob);
    await expectFaults({ ...body, phones: ['1'], template_no: 'unknown' }, late, bob);
    // Variables that cannot be read are not called missing as well.
    await expectFaults({ ...body, phones: ['1'], variable_values: 'x' }, ['/variable_values type', ...late], bob);
  });

  it('reports variables that are missing beside those that are wrong', async () => {
    const body = { template_no: bob.templateNo, phones: ['1'] };
    const unknown = '/variable_values/p19 unknown_variable';
    const missing = '/variable_values missing_variable';
    await expectFaults({ ...body, variable_values: { p1: 'x', p19: 'x' } }, [unknown, missing], bob);
    // A value that is wrong is not called missing as well.
    await expectFaults({ ...body, variable_values: { p2: true } }, ['/variable_values/p2 type', missing], bob);
    await expectFaults({ ...body, variable_values: [true, 'x'] }, ['/variable_values/0 type'], bob);
  });

  it('reports the variables that recipients lack beside the faults of other recipients', async () => {
    const recipients = [
      'x',
      { phone: '1', variable_values: 'x' },
      { phone: 5, variable_values: ['a', 'b'] },
      { phone: '2', variable_values: ['a'], x: 1 },
    ];
    await expectFaults(
      { template_no: bob.templateNo, recipients },
      [
        '/recipients/0 type',
        '/recipients/1/variable_values type',
        '/recipients/2/phone type',
        '/recipients/3/x unknown_field',
        '/recipients/3/variable_values missing_variable',
      ],
      bob,
    );
    // Which variables were meant for whom is not known here.
    const common = { variable_values: ['a', 'b'], recipients: [{ phone: '1' }] };
    await expectFaults({ template_no: bob.templateNo, ...common }, ['/variable_values not_allowed_together'], bob);
  });

  it('reports at most 20', async () => {
    const answer = await send({ ...minimal(), phones: Array(100).fill(1) });
    expect(answer.body.errors).toHaveLength(20);
  });

  it('takes ids of 64 characters', async () => {
    expect((await send({ ...minimal(), client_request_id: '😀'.repeat(64) })).status).toBe(200);
  });

  it('a placeholder without a value', async () => {
    const body = { template_no: bob.templateNo, phones: ['13800138000'] };
    await expectFaults({ ...body, variable_values: { p1: 'x' } }, ['/variable_values missing_variable'], bob);
    const recipients = [
      { phone: '1', variable_values: ['a', 'b'] },
      { phone: '2', variable_values: ['a'] },
    ];
    await expectFaults(
      { template_no: bob.templateNo, recipients },
      ['/recipients/1/variable_values missing_variable'],
      bob,
    );
  });

  it('a body that is no object', async () => {
    for (const body of ['[]', '"x"', 'null', '5']) {
      const answer = await service.call(ann, SEND, { body });
      expect([answer.status, answer.body.errors[0].pointer, answer.body.errors[0].code]).toEqual([400, '', 'type']);
    }
  });

  it('query parameters, of which it takes none, along with what is wrong in the body', async () => {
    const parameter = { pointer: '?auto_submit', code: 'unknown_field' };
    const answer = await service.call(ann, `${SEND}?auto_submit=true`, { body: minimal() });
    expect(answer.body.errors).toMatchObject([parameter]);
    const both = await service.call(ann, `${SEND}?auto_submit=true`, { body: { ...minimal(), x: 1 } });
    expect(both.body.errors).toMatchObject([parameter, { pointer: '/x', code: 'unknown_field' }]);
  });
});

describe('a send that names what the customer may not use', () => {
  const refusal = async (body: object, customer = ann) => {
    const before = await countTasks();
    const answer = await send(body, customer);
    expect(await countTasks()).toBe(before);
    return `${answer.status} ${answer.body.code}`;
  };

  it('an unknown template, one of someone else, a disabled one', async () => {
    expect(await refusal({ ...minimal(), template_no: 'nope' })).toBe('422 template_unavailable');
    expect(await refusal({ ...minimal(), template_no: bob.templateNo })).toBe('422 template_unavailable');
    const carol = await service.addCustomer('carol');
    await service.change(
      (sql, version) =>
        sql`update template set status = 'disabled', version = ${version} where template_id = ${carol.templateId}`,
    );
    expect(await refusal({ ...minimal(), template_no: carol.templateNo }, carol)).toBe('422 template_unavailable');
  });

  it('an unknown service account, one of someone else, a disabled one, a disabled default', async () => {
    const account = (no: string) => refusal({ ...minimal(), service_account_no: no });
    expect(await account('nope')).toBe('422 service_account_unavailable');
    expect(await account(bob.serviceAccountNo)).toBe('422 service_account_unavailable');
    const dan = await service.addCustomer('dan');
    await service.change(
      (sql, version) => sql`
        update service_account set status = 'disabled', version = ${version}
        where service_account_id = ${dan.serviceAccountId}`,
    );
    const body = { ...minimal(), template_no: dan.templateNo };
    expect(await refusal(body, dan)).toBe('422 service_account_unavailable');
    expect(await refusal({ ...body, service_account_no: dan.serviceAccountNo }, dan)).toBe(
      '422 service_account_unavailable',
    );
  });

  it('a firm that no granted channel serves, or that the template is not approved for', async () => {
    expect(await refusal({ ...minimal(), target_firms: ['cmcc', 'telecom'] })).toBe('422 firm_unavailable');
    const eve = await service.addCustomer('eve', { templateFirms: ['other'] });
    expect(await refusal({ ...minimal(), template_no: eve.templateNo, target_firms: ['cmcc'] }, eve)).toBe(
      '422 firm_unavailable',
    );
    const fay = await service.addCustomer('fay');
    await service.change(
      (sql, version) => sql`update channel set status = 'disabled', version = ${version} where channel_no = 'H_fay'`,
    );
    expect(await refusal({ ...minimal(), template_no: fay.templateNo, target_firms: ['cmcc'] }, fay)).toBe(
      '422 firm_unavailable',
    );
  });

  it('unless it was set up on another node a moment ago', async () => {
    await service.change(
      (sql, version) => sql`
        insert into template (template_no, customer_id, name, body, service_account_id, status, version)
        values ('M_new', ${ann.customerId}, 'New', 'Hi', ${ann.serviceAccountId}, 'active', ${version})`,
      true,
    );
    expect((await send({ ...minimal(), template_no: 'M_new' })).status).toBe(200);
  });
});

describe('a repeated send', () => {
  it('returns the original and creates nothing, however it is written', async () => {
    const first = await send({ ...minimal(), client_request_id: 'repeat', variable_values: { p1: 'a' } });
    const before = await countTasks();
    const again = await service.call(ann, SEND, {
      body: `{"client_request_id": "repeat",\n "auto_prepare": true, "phones": ["13800138000"], "variable_values": ["a"],
        "template_no": "${ann.templateNo}", "service_account_no": "${ann.serviceAccountNo}"}`,
    });
    expect(again.status).toBe(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await countTasks()).toBe(before);
  });

  it('with another payload is a conflict', async () => {
    await send({ ...minimal(), client_request_id: 'conflict' });
    const before = await countTasks();
    for (const change of [{ phones: ['13800138001'] }, { auto_freeze: true }, { target_firms: ['cmcc'] }]) {
      const answer = await send({ ...minimal(), client_request_id: 'conflict', ...change });
      expect([answer.status, answer.body.code]).toEqual([409, 'idempotency_conflict']);
    }
    const order = { template_no: ann.templateNo, client_request_id: 'order of phones' };
    await send({ ...order, phones: ['13800138000', '13800138001'] });
    expect((await send({ ...order, phones: ['13800138001', '13800138000'] })).status).toBe(409);
    expect(await countTasks()).toBe(before + 1);
  });

  it('under the id of another customer is a separate task', async () => {
    const first = await send({ ...minimal(), client_request_id: 'shared' });
    const second = await send(
      { template_no: bob.templateNo, phones: ['1'], variable_values: ['a', 'b'], client_request_id: 'shared' },
      bob,
    );
    expect(second.status).toBe(200);
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(second.body.task_no).not.toBe(first.body.task_no);
  });

  it('returns the original even when its template has been disabled since', async () => {
    const gus = await service.addCustomer('gus');
    const body = { template_no: gus.templateNo, phones: ['13800138000'], client_request_id: 'late' };
    const first = await send(body, gus);
    await service.change(
      (sql, version) =>
        sql`update template set status = 'disabled', version = ${version} where template_id = ${gus.templateId}`,
    );
    const again = await send(body, gus);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(again.body.task_no).toBe(first.body.task_no);
    expect((await send({ ...body, phones: ['13800138001'] }, gus)).status).toBe(409);
    expect((await send({ ...body, client_request_id: 'later' }, gus)).status).toBe(422);
  });

  it('without an id is a replay when the signature is the same, and a new task when it is not', async () => {
    const body = JSON.stringify(minimal());
    const timestamp = String(Date.now());
    const first = await service.call(ann, SEND, { body, timestamp });
    const again = await service.call(ann, SEND, { body, timestamp });
    const another = await service.call(ann, SEND, { body, timestamp: String(Number(timestamp) + 1) });
    expect(again.body.task_no).toBe(first.body.task_no);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(another.body.task_no).not.toBe(first.body.task_no);
  });

  it('makes one task when many arrive at the same moment', async () => {
    const body = { ...minimal(), client_request_id: 'race' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(body)));
    expect(new Set(answers.map((answer) => answer.body.task_no)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  });
});

describe('any body', () => {
  it('is accepted or refused by the contract, and stored whole or not at all', async () => {
    const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 70 }), fc.constantFrom('p1', 'cmcc', '13800138000'));
    const value = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.array(word, { maxLength: 3 }));
    const field = fc.constantFrom(
      'template_no',
      'phones',
      'recipients',
      'service_account_no',
      'target_firms',
      'variable_values',
      'client_request_id',
      'auto_prepare',
      'auto_freeze',
      'auto_submit',
      '__proto__',
    );
    const anything = fc.oneof(
      fc.dictionary(field, fc.oneof(value, fc.dictionary(word, value, { maxKeys: 3 })), { maxKeys: 6 }),
      fc.jsonValue({ maxDepth: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(anything, fc.boolean(), async (generated, complete) => {
        const body = complete && typeof generated === 'object' ? { ...minimal(), ...generated } : generated;
        const before = await countTasks();
        const answer = await service.call(ann, SEND, { body: JSON.stringify(body) });
        expect([200, 400, 409, 422]).toContain(answer.status);
        const isNew = answer.status === 200 && answer.headers['idempotent-replayed'] === undefined;
        expect(await countTasks()).toBe(before + (isNew ? 1 : 0));
      }),
      { numRuns: 200 },
    );
  });

  it('of any bytes is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const body = Buffer.from(bytes);
        const headers = {
          ...signHeaders(ann, { method: 'POST', target: SEND, body }),
          'content-type': 'application/json',
        };
        const response = await service.app.inject({ method: 'POST', url: SEND, headers, payload: body });
        expect(response.statusCode).toBe(400);
      }),
      { numRuns: 100 },
    );
  });
});
