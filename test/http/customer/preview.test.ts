import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';
import { until } from '../../support/until.js';

const SEND = '/openapi/v1/messages/send/';
const PREVIEW = '/openapi/v1/messages/preview/';

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService({ hasWorker: true });
  ann = await service.addCustomer('ann', { templateBody: 'Hello {p1}' });
  bob = await service.addCustomer('bob');
  // China Unicom numbers cost twice as much, China Telecom's have no route, and 13800139009 wants nothing more from Ann.
  await service.change(async (sql, version) => {
    await sql`update firm set prefixes = ${['86138', '86139']}, version = ${version} where firm = 'cmcc'`;
    await sql`insert into firm (firm, name, prefixes, version) values ('cucc', 'China Unicom', ${['86130']}, ${version})`;
    await sql`update channel set firms = ${['cmcc', 'cucc']}, version = ${version}`;
    await sql`insert into price (customer_id, firm, unit_price, version) values (${ann.customerId}, 'cucc', 100000, ${version})`;
  });
  await service.sql`insert into opt_out (customer_id, phone_key, phone, source) values
    (${ann.customerId}, 8613800139009, '13800139009', 'operator'), (${bob.customerId}, 8613800138001, '13800138001', 'operator')`;
  await service.sql`update account set available = 200000 where customer_id = ${ann.customerId}`;
});
afterAll(() => service.stop());

const preview = (body: object, customer = ann) => service.call(customer, PREVIEW, { body });
const request = (phones: readonly string[], p1 = 'Ann') => ({
  template_no: ann.templateNo,
  phones,
  variable_values: { p1 },
});
const firm = (name: string, numbers: number, parts: number, unit_price: string, price: string) => ({
  firm: name,
  numbers,
  parts,
  unit_price,
  price,
});

describe('a preview', () => {
  it('tells the price by firm, the rejected numbers and the first texts', async () => {
    const phones = ['13800138001', 'x', '13000138001', '+86 138 0013 8001', '18900138001', '13800139009'];
    const answer = await preview(request(phones));
    const inWords = { description: expect.any(String), suggested_phone: null };
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      total: 6,
      sendable: 2,
      rejected: 4,
      parts: 2,
      price: '0.150000',
      currency: 'CNY',
      available: '0.200000',
      affordable: true,
      waits_for: null,
      firms: [firm('cmcc', 1, 1, '0.050000', '0.050000'), firm('cucc', 1, 1, '0.100000', '0.100000')],
      rejections: [
        { seq: 2, phone: 'x', code: 'invalid_number', ...inWords },
        { seq: 4, phone: '+86 138 0013 8001', code: 'duplicate_number', ...inWords },
        { seq: 5, phone: '18900138001', code: 'no_route', ...inWords },
        { seq: 6, phone: '13800139009', code: 'opted_out', ...inWords },
      ],
      samples: [
        { seq: 1, phone: '13800138001', text: 'Hello Ann', encoding: 'gsm7', parts: 1, price: '0.050000' },
        { seq: 3, phone: '13000138001', text: 'Hello Ann', encoding: 'gsm7', parts: 1, price: '0.100000' },
      ],
    });
  });

  it('suggests the number that was meant where a country code lacks its plus sign', async () => {
    const { body } = await preview(request(['13800138001', '4915112345678', '12']));
    expect(body.rejections).toMatchObject([
      { seq: 2, code: 'invalid_number', suggested_phone: '+4915112345678' },
      { seq: 3, code: 'invalid_number', suggested_phone: null },
    ]);
  });

  it('counts everything and shows the first 100 rejections and 10 texts, in the order of the request', async () => {
    const phones = Array.from({ length: 900 }, (_, at) =>
      at % 3 === 0 ? 'x' : `${at % 3 === 1 ? '130' : '139'}${String(at).padStart(8, '0')}`,
    );
    const { body } = await preview(request(phones));
    expect([body.total, body.sendable, body.rejected, body.parts]).toEqual([900, 600, 300, 600]);
    expect(body.firms).toEqual([
      firm('cucc', 300, 300, '0.100000', '30.000000'),
      firm('cmcc', 300, 300, '0.050000', '15.000000'),
    ]);
    expect(body.rejections.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 100 }, (_, at) => at * 3 + 1),
    );
    expect(body.samples.map(({ seq }: { seq: number }) => seq)).toEqual([2, 3, 5, 6, 8, 9, 11, 12, 14, 15]);
  });

  it('renders each text and counts its parts', async () => {
    const recipients = [
      { phone: '13800138001', variable_values: { p1: '你好' } },
      { phone: '13800138002', variable_values: ['a'.repeat(200)] },
    ];
    const { body } = await preview({ template_no: ann.templateNo, recipients });
    expect(body.samples).toMatchObject([
      { text: 'Hello 你好', encoding: 'ucs2', parts: 1, price: '0.050000' },
      { text: `Hello ${'a'.repeat(200)}`, encoding: 'gsm7', parts: 2, price: '0.100000' },
    ]);
    expect([body.parts, body.price]).toEqual([3, '0.150000']);
  });

  it('refuses what a send would', async () => {
    const times = { send_at: '2099-01-01T00:00:00Z', expires_at: '2026-01-01T00:00:00Z' };
    for (const path of [PREVIEW, SEND]) {
      const { status, body } = await service.call(ann, path, { body: { ...request(['13800138001']), ...times } });
      expect(status).toBe(400);
      expect(body.errors).toMatchObject([
        { pointer: '/send_at', code: 'out_of_range' },
        { pointer: '/expires_at', code: 'out_of_range' },
      ]);
    }
  });

  it('is affordable to the last millionth, and no further', async () => {
    const four = ['13800138001', '13800138002', '13800138003', '13800138004'];
    expect((await preview(request(four))).body).toMatchObject({ price: '0.200000', affordable: true });
    expect((await preview(request([...four, '13800138005']))).body).toMatchObject({
      price: '0.250000',
      available: '0.200000',
      affordable: false,
    });
    await service.sql`update account set credit_limit = 50000 where customer_id = ${ann.customerId}`;
    expect((await preview(request([...four, '13800138005']))).body.affordable).toBe(true);
    await service.sql`update account set credit_limit = 0 where customer_id = ${ann.customerId}`;
    expect((await preview({ template_no: bob.templateNo, phones: ['x'] }, bob)).body).toMatchObject({
      price: '0.000000',
      available: '0.000000',
      affordable: true,
    });
  });

  it('tells what it would wait for: money, the next day, or a higher limit', async () => {
    const one = ['13800138001'];
    const two = ['13800138001', '13800138002'];
    const five = Array.from({ length: 5 }, (_, at) => `1380013800${at}`);
    const set = (limit: number | null, frozen: number, day = 0) => service.sql`
      update account set daily_limit = ${limit}, frozen_on = (now() at time zone 'utc')::date + ${day}::int, frozen_that_day = ${frozen}
      where customer_id = ${ann.customerId}`;
    const waitsFor = async (phones: readonly string[]) => {
      const { affordable, waits_for } = (await preview(request(phones))).body;
      expect(affordable).toBe(waits_for === null);
      return waits_for;
    };
    await set(100_000, 50_000);
    expect([await waitsFor(one), await waitsFor(two), await waitsFor(five)]).toEqual([null, 'limit', 'limit']);
    // What was frozen yesterday does not count; what is above the balance waits for money first, unless no day has room for it.
    await set(100_000, 100_000, -1);
    expect([await waitsFor(two), await waitsFor(five)]).toEqual([null, 'limit']);
    await set(1_000_000, 0);
    expect(await waitsFor(five)).toBe('funds');
    await set(0, 0);
    expect([await waitsFor(one), await waitsFor(['x'])]).toEqual(['limit', null]);
    await set(null, 0);
  });

  it('stores nothing, also under an id that is taken', async () => {
    const taken = { ...request(['13800138001']), client_request_id: 'taken', auto_prepare: false };
    expect((await service.call(ann, SEND, { body: taken })).status).toBe(200);
    const count = async () => {
      const [row] =
        await service.sql`select (select count(*) from task) as tasks, (select count(*) from chunk) as chunks,
        (select count(*) from receipt) as receipts, (select count(*) from ledger_entry) as entries`;
      return row;
    };
    const before = await count();
    expect((await preview({ ...taken, phones: ['13800138002', 'x'] })).status).toBe(200);
    expect((await preview({ ...request(['13800138003']), client_request_id: 'free', auto_freeze: true })).status).toBe(
      200,
    );
    expect(await count()).toEqual(before);
  });

  it('is refused like the send', async () => {
    for (const [body, customer] of [
      [{ template_no: ann.templateNo }, ann],
      [{ ...request(['13800138001']), auto_prepare: false, auto_freeze: true, colour: 'red' }, ann],
      [{ template_no: ann.templateNo, phones: ['13800138001'] }, ann],
      [{ ...request(['13800138001']), target_firms: ['ctcc'] }, ann],
      [{ ...request(['13800138001']), service_account_no: bob.serviceAccountNo }, ann],
      [request(['13800138001']), bob],
    ] as const) {
      const [sent, seen] = [await service.call(customer, SEND, { body }), await preview(body, customer)];
      expect(sent.status).toBeGreaterThanOrEqual(400);
      expect([seen.status, seen.body.code, seen.body.errors]).toEqual([sent.status, sent.body.code, sent.body.errors]);
    }
    expect((await service.call(ann, `${PREVIEW}?page=1`, { body: request(['13800138001']) })).status).toBe(400);
  });

  it('is of the caller alone: opt-outs, prices and balance of others play no part', async () => {
    const phones = ['13800139009', '13800138001', '13000138001'];
    const { body } = await preview({ template_no: bob.templateNo, phones }, bob);
    expect(body.rejections).toMatchObject([{ seq: 2, code: 'opted_out' }]);
    expect([body.price, body.available, body.affordable]).toEqual(['0.100000', '0.000000', false]);
  });
});

describe('the price of a task', () => {
  const shown = async (taskNo: string) => (await service.call(ann, `/openapi/v1/messages/tasks/${taskNo}/`)).body;

  it('is not known before it is prepared, and what a preview said from then on', async () => {
    const body = { ...request(['13800138001', '13000138001', 'x']), auto_prepare: false };
    const expected = (await preview(body)).body;
    const task = (await service.call(ann, SEND, { body })).body;
    expect(task.amounts.price).toBeNull();
    await service.call(ann, `/openapi/v1/messages/tasks/${task.task_no}/prepare/`, { method: 'POST' });
    await until('it is prepared', async () => (await shown(task.task_no)).stage === 'prepared');
    const prepared = await shown(task.task_no);
    expect([prepared.amounts.price, prepared.amounts.frozen]).toEqual([expected.price, '0.000000']);
    await service.call(ann, `/openapi/v1/messages/tasks/${task.task_no}/cancel/`, { method: 'POST' });
    expect((await shown(task.task_no)).amounts.price).toBe(expected.price);
  });

  it('is never known of a task that was cancelled before', async () => {
    const task = (await service.call(ann, SEND, { body: { ...request(['13800138001']), auto_prepare: false } })).body;
    await service.call(ann, `/openapi/v1/messages/tasks/${task.task_no}/cancel/`, { method: 'POST' });
    expect(await shown(task.task_no)).toMatchObject({ stage: 'cancelled', amounts: { price: null } });
  });
});

describe('preparing', () => {
  it('comes to what the preview of the same request said', async () => {
    const phone = fc.oneof(
      fc.constantFrom('x', '', '13800139009', '13800138001', '+8613800138001', '18900138001'),
      fc.integer({ min: 0, max: 99 }).map((at) => `130001380${String(at).padStart(2, '0')}`),
    );
    const texts = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((text) => !text.includes('\0'));
    const one = fc.record({ phone, variable_values: fc.record({ p1: texts }) });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 30 }), async (recipients) => {
        const body = { template_no: ann.templateNo, recipients, target_firms: ['cucc', 'cmcc'] };
        const seen = (await preview(body)).body;
        const { task_no } = (await service.call(ann, SEND, { body })).body;
        const read = async () => (await service.call(ann, `/openapi/v1/messages/tasks/${task_no}/`)).body;
        await until('it is prepared', async () => (await read()).stage !== 'queued');
        const { amounts, counts } = await read();
        expect([amounts.price, counts.rejected, counts.unsent]).toEqual([seen.price, seen.rejected, seen.sendable]);
        const target = `/openapi/v1/messages/receipts/?task_no=${task_no}&page_size=100`;
        const receipts: { seq: number; code: string }[] = (await service.call(ann, target)).body.items;
        expect(receipts.map(({ seq, code }) => `${seq} ${code}`).sort()).toEqual(
          seen.rejections.map(({ seq, code }: { seq: number; code: string }) => `${seq} ${code}`).sort(),
        );
      }),
      { numRuns: 25 },
    );
  });
});
