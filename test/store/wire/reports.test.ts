// The report that gives a number its receipt is recorded in the receipt. A query for reports finds it with the others.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { moneyFromMillionths } from '../../../src/domain/money/money.js';
import type { Delivery, Receipt } from '../../../src/domain/record/records.js';
import { readList } from '../../../src/store/list.js';
import { listDeliveries } from '../../../src/store/lists/deliveries.js';
import type { HistoryFilters } from '../../../src/store/lists/history.js';
import { listFailures } from '../../../src/store/operator/failure.js';
import { insertDeliveries, insertReceipts, readReports } from '../../../src/store/wire/records.js';
import { placeReports } from '../../../src/store/wire/reports.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const ANN = asCustomerId(1n);
const TASK = asTaskId(1000n << 20n);
const DONE = new Date('2026-11-15T00:00:00Z');

const delivery = (seq: number, more: Partial<Delivery> = {}): Delivery => ({
  customerId: ANN,
  taskId: TASK,
  seq,
  part: 1,
  parts: 1,
  channelId: 7n,
  phoneKey: String(8_613_800_138_000 + seq),
  phone: String(13_800_138_000 + seq),
  firm: 'cmcc',
  status: 'delivered',
  code: 'DELIVRD',
  upstreamMessageId: `m${seq}`,
  doneAt: DONE,
  ...more,
});

const receipt = (seq: number, more: Partial<Receipt> = {}): Receipt => {
  const { status, upstreamMessageId: _, part: __, ...common } = delivery(seq);
  return {
    ...common,
    price: moneyFromMillionths(50_000n),
    result: status === 'intermediate' ? 'expired' : status,
    submittedAt: DONE,
    ...more,
  };
};

describe('a report', () => {
  const place = (one: Partial<Delivery>, other: Partial<Receipt> = {}) =>
    placeReports([delivery(1, one)], [5n], [receipt(2), receipt(1, other)]);

  it('stands in the receipt that says the same', () => {
    const { ofReceipts, others } = place({ parts: 1 }, { parts: 3 });
    expect(ofReceipts).toEqual([undefined, expect.objectContaining({ part: 1, parts: 1, upstreamMessageId: 'm1' })]);
    expect(others).toEqual([]);
  });

  it.each<[string, Partial<Delivery>, Partial<Receipt>?]>([
    ['another status', { status: 'undelivered' }],
    ['another code', { code: 'UNDELIV' }],
    ['another time', { doneAt: null }],
    ['another channel', { channelId: 8n }],
    ['another customer', { customerId: asCustomerId(2n) }],
    ['another task', { taskId: asTaskId(1n) }],
    ['a number whose receipt comes later', { seq: 3 }],
    ['a receipt of a status that most have without a report', { status: 'expired' }, { result: 'expired' }],
  ])('has a row of its own with %s', (_, one, other) => {
    const { ofReceipts, others, otherIds } = place(one, other);
    expect(ofReceipts).toEqual([undefined, undefined]);
    expect([others, otherIds]).toEqual([[delivery(1, one)], [5n]]);
  });

  it('stands in a receipt alone: a second one has a row', () => {
    const { ofReceipts, otherIds } = placeReports([delivery(1), delivery(1, { part: 2 })], [5n, 6n], [receipt(1)]);
    expect([ofReceipts[0]?.part, otherIds]).toEqual([1, [6n]]);
  });
});

describe('the reports of a customer', () => {
  let database: TestDatabase;
  const id = (second: number) => BigInt(second * 1000) << 20n;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { sql } = database;
    await sql`insert into account (bucket, customer_id) values (0, ${ANN})`;
    const failed = { code: 'UNDELIV' } as const;
    const deliveries = [
      delivery(1),
      delivery(2, { ...failed, status: 'undelivered' }),
      // A long message: the other part, and one that was on its way.
      delivery(3, { parts: 2 }),
      delivery(3, { part: 2, parts: 2, status: 'intermediate', code: 'ENROUTE' }),
      delivery(3, { part: 2, parts: 2, upstreamMessageId: 'm3b' }),
      delivery(4, { status: 'expired', code: 'EXPIRED' }),
    ];
    const receipts = [
      receipt(1),
      receipt(2, { ...failed, result: 'undelivered' }),
      receipt(3, { parts: 2 }),
      receipt(4, { result: 'expired', code: 'EXPIRED' }),
      // Without any report.
      receipt(5, { result: 'expired', code: 'no_receipt' }),
      receipt(6, { result: 'rejected', code: 'opted_out', submittedAt: null, doneAt: null, firm: null }),
    ];
    const ids = deliveries.map((_, index) => id(2000 + index));
    const placed = placeReports(deliveries, ids, receipts);
    expect(placed.others).toHaveLength(3);
    await insertDeliveries(sql, 0, placed.others, placed.otherIds);
    const receiptIds = receipts.map((_, index) => id(2100 + index));
    await insertReceipts(sql, 0, receipts, receiptIds, [], placed.ofReceipts);
  });
  afterAll(() => database.drop());

  const scope = { bucket: 0, customerId: ANN, startMs: undefined, endMs: undefined };
  const list = async (filters: HistoryFilters) => {
    const position = { page: 1, pageSize: 100, after: undefined };
    const { items } = await readList(listDeliveries(database.sql, scope, filters), position, (rows) => rows);
    return items.map(({ seq, part, parts, status, code, upstream_message_id: messageId }) =>
      [seq, `${part}/${parts}`, status, code, messageId].join(' '),
    );
  };

  const EXPIRED = '4 1/1 expired EXPIRED m4';
  const INTERMEDIATE = '3 2/2 intermediate ENROUTE m3';
  const LONG = ['3 2/2 delivered DELIVRD m3b', '3 1/2 delivered DELIVRD m3'];
  const FAILED = '2 1/1 undelivered UNDELIV m2';
  const FIRST = '1 1/1 delivered DELIVRD m1';

  it('are listed with every filter, wherever they stand', async () => {
    const all = await list({});
    expect(all.toSorted()).toEqual([EXPIRED, INTERMEDIATE, ...LONG, FAILED, FIRST].toSorted());
    expect((await list({ taskId: TASK })).toSorted()).toEqual(all.toSorted());
    expect((await list({ status: 'delivered' })).toSorted()).toEqual([...LONG, FIRST].toSorted());
    expect(await list({ status: 'undelivered' })).toEqual([FAILED]);
    expect(await list({ status: 'expired' })).toEqual([EXPIRED]);
    expect(await list({ status: 'rejected' })).toEqual([]);
    expect(await list({ status: 'intermediate' })).toEqual([INTERMEDIATE]);
    expect((await list({ phoneKey: '8613800138003' })).toSorted()).toEqual([INTERMEDIATE, ...LONG].toSorted());
    expect(await list({ phoneKey: '8613800138005' })).toEqual([]);
    expect(await list({ phoneKey: '8613800138002', taskId: TASK, status: 'undelivered' })).toEqual([FAILED]);
  });

  it('page by page, in the order of their ids', async () => {
    const walked: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const source = listDeliveries(database.sql, scope, {});
      const { items, nextKey } = await readList(source, { page: 1, pageSize: 2, after }, (rows) => rows);
      walked.push(...items.map(({ delivery_id: deliveryId }) => String(deliveryId >> 20n)));
      after = nextKey;
    }
    expect(walked).toHaveLength(6);
    expect(walked).toEqual(walked.toSorted((one, other) => Number(other) - Number(one)));
  });

  it('are all found for a number that is reported once more', async () => {
    const reports = await readReports(
      database.sql,
      0,
      [3, 5].map((seq) => ({ customerId: ANN, taskId: TASK, seq })),
    );
    expect(reports.map(({ seq, part, channelId, status }) => [seq, part, channelId, status])).toEqual([
      [3, 2, 7n, 'intermediate'],
      [3, 2, 7n, 'delivered'],
      [3, 1, 7n, 'delivered'],
    ]);
  });

  it('stand behind the failures of a channel', async () => {
    const failures = async (event: 'undelivered' | 'expired', code: string) => {
      const filters = { channelId: 7n, event, code, startMs: undefined, endMs: undefined };
      const rows = await listFailures(database.sql, [0], filters).rows({ after: undefined, offset: 0, limit: 10 });
      return rows.map(({ seq, part, parts, upstreamMessageId }) => [seq, part, parts, upstreamMessageId]);
    };
    expect(await failures('undelivered', 'UNDELIV')).toEqual([[2, 1, 1, 'm2']]);
    expect(await failures('expired', 'EXPIRED')).toEqual([[4, 1, 1, 'm4']]);
    expect(await failures('expired', 'no_receipt')).toEqual([]);
  });

  it('are all in the view for people', async () => {
    const [row] = await database.sql`select count(*)::int as reports from delivery_report`;
    expect(row).toEqual({ reports: 6 });
  });
});
