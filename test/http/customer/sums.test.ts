// Statistics and statements against the history itself: random receipts and ledgers over a year, added up by hand.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../../src/domain/group-by.js';
import { firstIdAt } from '../../../src/domain/id.js';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

const STATISTICS = '/openapi/v1/messages/statistics/';
const START_MS = Date.UTC(2025, 10, 1);
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const RESULTS = ['delivered', 'undelivered', 'expired', 'rejected'] as const;

interface Receipt {
  readonly ms: number;
  readonly task: number;
  readonly firm: string | null;
  readonly result: (typeof RESULTS)[number];
  readonly code: string | null;
  readonly parts: number;
  readonly price: number;
  readonly isCharged: boolean;
  readonly isSubmitted: boolean;
}

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;
let receipts: readonly Receipt[];

const receipt = fc.record({
  ms: fc.integer({ min: START_MS, max: START_MS + YEAR_MS - 1 }),
  task: fc.integer({ min: 0, max: 3 }),
  firm: fc.constantFrom('cmcc', 'cucc', null),
  result: fc.constantFrom(...RESULTS),
  code: fc.constantFrom('DELIVRD', 'UN"DELIV é', 'cancelled', 'expired_unsent', null),
  parts: fc.integer({ min: 0, max: 4 }),
  price: fc.integer({ min: 0, max: 10 ** 9 }),
  isCharged: fc.boolean(),
  isSubmitted: fc.boolean(),
});

beforeAll(async () => {
  service = await startHttpService({ hasWorker: true });
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
  const [random = []] = fc.sample(fc.array(receipt, { minLength: 3000, maxLength: 3000 }), { numRuns: 1, seed: 9 });
  receipts = random.sort((one, other) => one.ms - other.ms);
  for (const customer of [ann, bob]) {
    await insertTasks(customer);
    // In two halves, so that sums are also added to.
    for (const half of [receipts.slice(0, 2000), receipts.slice(2000)]) {
      await insertReceipts(customer, half);
      await service.call(customer, STATISTICS);
    }
  }
});
afterAll(() => service.stop());

async function insertTasks({ customerId, templateId, serviceAccountId }: TestCustomer): Promise<void> {
  // Two of a template that is not there any more, as far as this test is concerned.
  for (const task of [0, 1, 2, 3]) {
    await service.sql`
      insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
        auto_prepare, auto_freeze, auto_submit, stage, total, timeline, updated_at)
      values (${customerId}, ${task + 1}, ${`c:${task}`}, '\\x00', ${task < 2 ? templateId : 999_999}, ${serviceAccountId},
        true, true, true, true, 'completed', 1, '[]', now())`;
  }
}

async function insertReceipts({ customerId }: TestCustomer, rows: readonly Receipt[]): Promise<void> {
  const values = rows.map((row, at) => ({
    customer_id: customerId,
    receipt_id: firstIdAt(new Date(row.ms)) + BigInt(at),
    task_id: row.task + 1,
    seq: at + 1,
    parts: row.parts,
    phone_key: at,
    price: row.price,
    phone: 'x',
    firm: row.firm,
    result: row.result,
    code: row.code,
    is_charged: row.isCharged,
    submitted_at: row.isSubmitted ? new Date(row.ms) : null,
  }));
  await service.sql`insert into receipt ${service.sql(values as never)}`;
  // The account knows the last of its records and entries: by it, a reader knows that there is something to sum up.
  await service.sql`
    update account set record_id = (select max(receipt_id) from receipt where customer_id = ${customerId})
    where customer_id = ${customerId}`;
}

const writeAmount = (millionths: number | bigint) => {
  const digits = String(millionths < 0 ? -BigInt(millionths) : millionths).padStart(7, '0');
  return `${millionths < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

function countByHand(rows: readonly Receipt[]) {
  const isCancelled = ({ result, code, isSubmitted }: Receipt) =>
    result === 'rejected' && !isSubmitted && (code === 'cancelled' || code === 'expired_unsent');
  const of = (result: string) => rows.filter((row) => row.result === result && !isCancelled(row)).length;
  return {
    total: rows.length,
    delivered: of('delivered'),
    undelivered: of('undelivered'),
    expired: of('expired'),
    rejected: of('rejected'),
    cancelled: rows.filter(isCancelled).length,
    handed_over: rows.filter(({ result, isSubmitted }) => result !== 'rejected' || isSubmitted).length,
    parts: rows.reduce((sum, { parts }) => sum + parts, 0),
    charged: writeAmount(rows.reduce((sum, row) => sum + (row.isCharged ? row.price : 0), 0)),
  };
}

const keys: Record<string, (row: Receipt) => string | null> = {
  day: ({ ms }) => new Date(ms).toISOString().slice(0, 10),
  hour: ({ ms }) => `${new Date(ms).toISOString().slice(0, 13)}:00:00.000Z`,
  template: ({ task }) => (task < 2 ? ann.templateNo : null),
  firm: ({ firm }) => firm,
  code: ({ code }) => code,
};

describe('statistics', () => {
  it.each(Object.keys(keys))('by %s are the receipts of any time, counted', async (by) => {
    const keyOf = keys[by] ?? (() => null);
    const moment = fc.oneof(
      fc.integer({ min: START_MS, max: START_MS + YEAR_MS }),
      fc.integer({ min: 0, max: 365 }).map((day) => START_MS + day * DAY_MS),
      fc.integer({ min: 0, max: 365 * 24 }).map((hour) => START_MS + hour * 3_600_000),
    );
    const check = fc.asyncProperty(moment, moment, async (one, other) => {
      const [from, until] = [Math.min(one, other), Math.max(one, other)];
      const { status, body } = await service.call(ann, `${STATISTICS}?by=${by}&start_at=${from}&end_at=${until}`);
      expect(status).toBe(200);
      const own = receipts.filter(({ ms }) => ms >= from && ms < until);
      const expected = [...groupBy(own, keyOf)].map(([key, rows]) => ({ key, ...countByHand(rows) }));
      const sorted = (items: { key: string | null }[]) =>
        [...items].sort((left, right) => (String(left.key) < String(right.key) ? -1 : 1));
      expect(sorted(body.items)).toEqual(sorted(expected));
    });
    await fc.assert(check, { numRuns: 15 });
  });

  // Half an hour, daylight saving, and a date ahead of UTC for two thirds of the day.
  it.each(['Asia/Kolkata', 'America/New_York', 'Asia/Shanghai'])(
    'have the days and hours of %s for a customer that is billed by it',
    async (billingTimeZone) => {
      const customer = await service.addCustomer(billingTimeZone.toLowerCase().replace(/\W/g, ''), { billingTimeZone });
      await insertTasks(customer);
      await insertReceipts(customer, receipts);
      const clock = new Intl.DateTimeFormat('sv-SE', {
        timeZone: billingTimeZone,
        dateStyle: 'short',
        timeStyle: 'medium',
      });
      const minutesOf = (ms: number) => Number(clock.format(ms).slice(14, 16));
      const zoned: Record<string, (row: Receipt) => string> = {
        day: ({ ms }) => clock.format(ms).slice(0, 10),
        hour: ({ ms }) => new Date(Math.floor(ms / 60_000) * 60_000 - minutesOf(ms) * 60_000).toISOString(),
      };
      const moment = fc.integer({ min: START_MS, max: START_MS + YEAR_MS });
      const check = fc.asyncProperty(fc.constantFrom('day', 'hour'), moment, moment, async (by, one, other) => {
        const [from, until] = [Math.min(one, other), Math.max(one, other)];
        const { body } = await service.call(customer, `${STATISTICS}?by=${by}&start_at=${from}&end_at=${until}`);
        const own = receipts.filter(({ ms }) => ms >= from && ms < until);
        const expected = [...groupBy(own, zoned[by] ?? (() => ''))].map(([key, rows]) => ({
          key,
          ...countByHand(rows),
        }));
        expect(body.items).toEqual(expected);
      });
      await fc.assert(check, { numRuns: 10 });
      const { body } = await service.call(customer, '/openapi/v1/finance/statements/2026-03/');
      const march = receipts.filter((row) => zoned.day?.(row).startsWith('2026-03'));
      for (const { firm, ...counts } of body.firms)
        expect(counts).toEqual(countByHand(march.filter((row) => row.firm === firm)));
    },
  );

  it('keep the days of before when a customer moves to another time zone', async () => {
    const mover = await service.addCustomer('mover');
    await insertTasks(mover);
    const at = (ms: number) => ({ ...(receipts[0] as Receipt), ms });
    // 20:00 UTC is the next day in Shanghai.
    await insertReceipts(mover, [at(Date.UTC(2026, 2, 10, 20))]);
    await service.call(mover, STATISTICS);
    await service.change(
      (sql, version) => sql`
        update customer set billing_time_zone = 'Asia/Shanghai', version = ${version} where customer_id = ${mover.customerId}`,
    );
    await insertReceipts(mover, [at(Date.UTC(2026, 2, 12, 20) + 1)]);
    const { items } = (await service.call(mover, STATISTICS)).body;
    expect(items.map(({ key, total }: { key: string; total: number }) => [key, total])).toEqual([
      ['2026-03-10', 1],
      ['2026-03-13', 1],
    ]);
  });

  it('have what was committed a moment before', async () => {
    const late = { ...(receipts[0] as Receipt), ms: START_MS + YEAR_MS + 1 };
    await insertReceipts(bob, [late]);
    const target = `${STATISTICS}?start_at=${late.ms}&end_at=${late.ms + 1}`;
    expect((await service.call(bob, target)).body.items).toMatchObject([{ total: 1 }]);
    expect((await service.call(ann, target)).body.items).toEqual([]);
  });

  it('by hour are those of the last year where nothing says since when', async () => {
    const end = START_MS + YEAR_MS;
    const since = end - 366 * DAY_MS;
    const totalOf = async (query: string) => {
      const { status, body } = await service.call(ann, `${STATISTICS}?by=hour&${query}`);
      expect(status).toBe(200);
      return body.items.reduce((sum: number, { total }: { total: number }) => sum + total, 0);
    };
    expect(await totalOf(`end_at=${end}`)).toBe(receipts.filter(({ ms }) => ms >= since && ms < end).length);
    const later = end + YEAR_MS / 2;
    const rest = receipts.filter(({ ms }) => ms >= later - 366 * DAY_MS);
    expect(rest.length).toBeLessThan(receipts.length);
    expect(await totalOf(`end_at=${later}`)).toBe(rest.length);
    expect((await service.call(ann, `${STATISTICS}?by=hour`)).status).toBe(200);
  });

  it('are days in order, and others with the most first', async () => {
    const days = (await service.call(ann, STATISTICS)).body.items;
    expect(days.map(({ key }: { key: string }) => key)).toEqual(days.map(({ key }: { key: string }) => key).sort());
    const totals = (await service.call(ann, `${STATISTICS}?by=firm`)).body.items.map(
      (item: Receipt & { total: number }) => item.total,
    );
    expect(totals).toEqual([...totals].sort((one, other) => other - one));
  });

  it.each([
    ['by=week', '?by', 'out_of_range'],
    ['by=hour&start_at=0', '?start_at', 'out_of_range'],
    ['page=1', '?page', 'unknown_field'],
    ['start_at=2&end_at=1', '?end_at', 'out_of_range'],
  ])('refuse %s', async (query, pointer, code) => {
    const { status, body } = await service.call(ann, `${STATISTICS}?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer, code }]);
  });
});

describe('statements', () => {
  const TYPES = ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'] as const;
  const statement = (customer: TestCustomer, month: string, accept = 'application/json') =>
    service.call(customer, `/openapi/v1/finance/statements/${month}/`, { headers: { accept } });

  interface Entry {
    readonly seq: number;
    readonly ms: number;
    readonly type: (typeof TYPES)[number];
    readonly amount: bigint;
    readonly task: number | null;
    readonly available: bigint;
    readonly frozen: bigint;
  }

  const EFFECT = {
    freeze: [-1n, 1n],
    charge: [0n, -1n],
    release: [1n, -1n],
    refund: [1n, 0n],
    topup: [1n, 0n],
    adjustment: [1n, 0n],
  };

  /** A ledger of entries at random times that mostly go forward. */
  function createLedger(
    steps: readonly { type: Entry['type']; amount: number; stepMs: number; task: number }[],
  ): Entry[] {
    const entries: Entry[] = [];
    let [available, frozen, ms] = [0n, 10n ** 15n, START_MS];
    for (const [at, { type, amount, stepMs, task }] of steps.entries()) {
      const [a = 0n, f = 0n] = EFFECT[type];
      ms = Math.min(Math.max(START_MS, ms + stepMs), Date.now() - DAY_MS);
      available += a * BigInt(amount);
      frozen += f * BigInt(amount);
      const ofTask = type === 'topup' || type === 'adjustment' ? null : task;
      entries.push({ seq: at + 1, ms, type, amount: BigInt(amount), task: ofTask, available, frozen });
    }
    return entries;
  }

  const step = fc.record({
    type: fc.constantFrom(...TYPES),
    amount: fc.integer({ min: 1, max: 10 ** 12 }),
    // Now and then the clock is set back by some minutes.
    stepMs: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: DAY_MS }) },
      { weight: 1, arbitrary: fc.integer({ min: -600_000, max: 0 }) },
    ),
    task: fc.integer({ min: 0, max: 1 }),
  });

  async function insertLedger({ customerId }: TestCustomer, entries: readonly Entry[]): Promise<void> {
    const values = entries.map((entry) => ({
      customer_id: customerId,
      seq: entry.seq,
      type: entry.type,
      amount: entry.amount,
      task_id: entry.task === null ? null : entry.task + 1,
      numbers: entry.task === null ? null : 1,
      available_delta: (EFFECT[entry.type][0] ?? 0n) * entry.amount,
      frozen_delta: (EFFECT[entry.type][1] ?? 0n) * entry.amount,
      available_after: entry.available,
      frozen_after: entry.frozen,
      created_at: new Date(entry.ms),
    }));
    for (let at = 0; at < values.length; at += 500) {
      await service.sql`insert into ledger_entry ${service.sql(values.slice(at, at + 500) as never)}`;
    }
    await service.sql`update account set entry_seq = ${entries.at(-1)?.seq ?? 0} where customer_id = ${customerId}`;
  }

  const sumByHand = (types: readonly string[], entries: readonly Entry[]) =>
    Object.fromEntries(
      types.map((type) => {
        const own = entries.filter((entry) => entry.type === type);
        return [type, { count: own.length, amount: writeAmount(own.reduce((sum, { amount }) => sum + amount, 0n)) }];
      }),
    );

  it('are the ledger to the last digit: opening and sums make closing, month after month, day after day', async () => {
    let made = 0;
    const check = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 400 }),
      fc.nat(400),
      async (steps, cut) => {
        made += 1;
        const customer = await service.addCustomer(`ledger${made}`);
        await insertTasks(customer);
        const entries = createLedger(steps);
        await insertLedger(customer, entries.slice(0, cut));
        await statement(customer, '2025-11');
        await insertLedger(customer, entries.slice(cut));
        let [available, frozen] = [0n, 10n ** 15n];
        let seen = 0;
        const months = new Set(entries.map(({ ms }) => new Date(ms).toISOString().slice(0, 7)));
        for (const month of [...months].sort()) {
          const { body } = await statement(customer, month);
          const count = TYPES.reduce((sum, type) => sum + body.entries[type].count, 0);
          const own = entries.slice(seen, seen + count);
          seen += count;
          // What counts for the month comes behind what counted before, and nothing is left out.
          expect(body.entries).toEqual(sumByHand(TYPES, own));
          if (seen > count)
            expect(body.opening).toEqual({ available: writeAmount(available), frozen: writeAmount(frozen) });
          for (const { type, amount } of own) {
            available += (EFFECT[type][0] ?? 0n) * amount;
            frozen += (EFFECT[type][1] ?? 0n) * amount;
          }
          expect(body.closing).toEqual({ available: writeAmount(available), frozen: writeAmount(frozen) });
          const last = own.at(-1);
          if (last !== undefined) expect([available, frozen]).toEqual([last.available, last.frozen]);
          expect(body.days.at(-1)?.closing ?? body.opening).toEqual(body.closing);
          for (const type of TYPES) {
            const days = body.days.reduce((sum: number, day: typeof body) => sum + day.entries[type].count, 0);
            expect(days).toBe(body.entries[type].count);
          }
          const [template] = body.templates;
          if (own.some(({ task }) => task !== null)) {
            expect(template.template_no).toBe(customer.templateNo);
            expect(template.entries).toEqual(sumByHand(TYPES.slice(0, 4), own));
          }
        }
        expect(seen).toBe(entries.length);
      },
    );
    await fc.assert(check, { numRuns: 6 });
  });

  it('have the firms of the receipts of the month', async () => {
    const { body } = await statement(ann, '2026-03');
    const own = receipts.filter(({ ms }) => new Date(ms).toISOString().startsWith('2026-03'));
    for (const { firm, ...counts } of body.firms)
      expect(counts).toEqual(countByHand(own.filter((row) => row.firm === firm)));
    expect(body.firms.length).toBe(3);
    expect(body).toMatchObject({ month: '2026-03', currency: 'CNY', days: [], templates: [], provisional: false });
  });

  it('have what is charged beyond the firms, so that sums agree', async () => {
    const customer = await service.addCustomer('pending');
    await insertTasks(customer);
    const charged = {
      ...(receipts[0] as Receipt),
      ms: START_MS,
      price: 30_000,
      parts: 1,
      firm: 'cmcc',
      isCharged: true,
    };
    await insertReceipts(customer, [charged, { ...charged, price: 40_000 }]);
    const charge = { type: 'charge', stepMs: 1, task: 0 } as const;
    await insertLedger(
      customer,
      createLedger([
        { ...charge, amount: 70_000 },
        { ...charge, amount: 50_000 },
      ]),
    );
    const { body } = await statement(customer, '2025-11');
    expect(body.firms).toMatchObject([{ charged: '0.070000' }]);
    expect([body.entries.charge.amount, body.pending_charged]).toEqual(['0.120000', '0.050000']);
    expect((await statement(customer, '2025-11', 'text/csv')).text).toContain('\r\npending,,charged,,0.050000,,\r\n');
  });

  it('have the unit prices of what was charged, without numbers that were not', async () => {
    const customer = await service.addCustomer('unit-prices');
    await insertTasks(customer);
    const charged = {
      ...(receipts[0] as Receipt),
      ms: START_MS,
      price: 60_000,
      parts: 2,
      firm: 'cmcc',
      isCharged: true,
    };
    const cancelled = {
      ...charged,
      result: 'rejected',
      code: 'cancelled',
      isCharged: false,
      isSubmitted: false,
    } as const;
    await insertReceipts(customer, [charged, cancelled, { ...cancelled, price: 50_000 }]);
    const { body } = await statement(customer, '2025-11');
    expect(body.prices).toEqual([
      { firm: 'cmcc', class: 'notice', unit_price: '0.030000', numbers: 1, parts: 2, charged: '0.060000' },
    ]);
  });

  it('of a month that runs are provisional', async () => {
    const month = new Date().toISOString().slice(0, 7);
    expect((await statement(ann, month)).body.provisional).toBe(true);
  });

  it('name the platform, the customer and the time zone', async () => {
    const { body } = await statement(ann, '2026-03');
    expect(body).toMatchObject({
      issuer: 'Example Messaging, 1 Example Street',
      customer_no: ann.customerNo,
      customer_name: ann.customerNo.slice('C_'.length),
      billing_time_zone: 'UTC',
    });
  });

  it('are also CSV, a row for each sum', async () => {
    const customer = await service.addCustomer('csv');
    await insertTasks(customer);
    await insertLedger(customer, createLedger([{ type: 'topup', amount: 5_000_000, stepMs: 1, task: 0 }]));
    const { text, headers } = await statement(customer, '2025-11', 'text/csv');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('section,key,type,count,amount,available,frozen');
    expect(lines).toContain('month,2025-11,opening,,,0.000000,0.000000');
    expect(lines).toContain('month,2025-11,topup,1,5.000000,,');
    expect(lines).toContain('day,2025-11-01,topup,1,5.000000,,');
    expect((await statement(customer, '2025-11', 'application/x-ndjson')).status).toBe(406);
  });

  it.each(['2026-13', '2026-1', '9999-01', 'X', '1969-12'])('%s is not found', async (month) => {
    expect((await statement(ann, month)).status).toBe(404);
  });
});
