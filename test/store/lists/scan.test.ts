// A filter without an index: pages end after so many rows, full or not, and none is left out on the way from one to the next.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { type ListSource, MAX_COUNTED_ROWS, readList, readRows } from '../../../src/store/list.js';
import { listDeliveries } from '../../../src/store/lists/deliveries.js';
import { listReceipts, type ReceiptRow } from '../../../src/store/lists/receipts.js';
import { MAX_SCANNED_ROWS } from '../../../src/store/lists/scan.js';
import { listSubmits } from '../../../src/store/lists/submits.js';
import { connectExplainer, type Explainer } from '../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

const FEW = asCustomerId(1n);
const MANY = asCustomerId(2n);
const SOME = asCustomerId(3n);
const CALLED_OFF = asCustomerId(4n);
const FIRST_MS = Date.UTC(2026, 0, 1);
/** Successes, then more failures than a page walks, then successes again. */
const OLD = 30;
const FAILED = MAX_SCANNED_ROWS + 10;
const NEW = 5;
/** Failures of which every hundredth was cancelled. */
const CALLED = 5_000;

let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  database = await createTestDatabase();
  explainer = connectExplainer(database.address);
  await addReceipts(MANY, OLD, FAILED, NEW);
  await addReceipts(FEW, OLD, 100, NEW);
  await addReceipts(SOME, OLD, MAX_SCANNED_ROWS / 2, MAX_COUNTED_ROWS);
  await addReceipts(CALLED_OFF, OLD, CALLED, 1_000);
  await explainer.sql`
    update receipt set code = 'cancelled' where customer_id = ${CALLED_OFF} and result = 'rejected' and phone_key % 100 = 0`;
  // A snapshot of an automatic analyze keeps pages from being marked visible, and a count would read them.
  await until('all pages are visible', async () => {
    await explainer.sql.unsafe('vacuum analyze');
    const [tables] = await explainer.sql<{ areVisible: boolean }[]>`
      select bool_and(relallvisible >= relpages) as "areVisible" from pg_class
      where relkind = 'r' and relname ~ '^(receipt|submit|delivery)(_|$)'`;
    return tables?.areVisible;
  });
});
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

async function addReceipts(customerId: bigint, old: number, failed: number, recent: number): Promise<void> {
  const id = `((${FIRST_MS}::bigint + i * 100) << 20)`;
  const isSuccess = `i < ${old} or i >= ${old + failed}`;
  const rows = `from generate_series(0::bigint, ${old + failed + recent - 1}) as i`;
  await explainer.sql.unsafe(`
    insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, firm, result, report_part, report_parts)
    select ${customerId}, ${id}, ${id}, 1, 1, i, 0, 'x', case when ${isSuccess} then 'rare' else 'common' end,
      case when ${isSuccess} then 'delivered' else 'rejected' end, case when ${isSuccess} then 1 end,
      case when ${isSuccess} then 1 end ${rows};
    insert into submit (customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status)
    select ${customerId}, ${id}, ${id}, 1, 1, 1, 1, i, 'x', 'f', case when ${isSuccess} then 'accepted' else 'rejected' end ${rows}`);
}

const scopeOf = (customerId: ReturnType<typeof asCustomerId>) => ({
  bucket: 0,
  customerId,
  startMs: undefined,
  endMs: undefined,
});

const showAll = <Row>(rows: readonly Row[]) => rows;

async function walk<Row>(source: ListSource<Row>, pageSize: number) {
  const pages: number[] = [];
  const keys: string[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { items, nextKey } = await readList(source, { page: 1, pageSize, after }, showAll);
    pages.push(items.length);
    keys.push(...items.map(source.keyOf));
    after = nextKey;
  }
  return { pages, keys };
}

describe('a list of what no index has', () => {
  it('ends a page after a number of rows and continues after them', async () => {
    const sql = explainer.sql;
    const lists: ListSource<never>[] = [
      listReceipts(sql, scopeOf(MANY), { status: 'delivered' }) as ListSource<never>,
      listReceipts(sql, scopeOf(MANY), { firm: 'rare' }) as ListSource<never>,
      listSubmits(sql, scopeOf(MANY), { status: 'accepted' }) as ListSource<never>,
      listDeliveries(sql, scopeOf(MANY), { status: 'delivered' }) as ListSource<never>,
    ];
    for (const list of lists) {
      const { pages, keys } = await walk(list, 20);
      expect(pages).toEqual([NEW, 20, 10]);
      expect(new Set(keys).size).toBe(OLD + NEW);
      expect(keys).toEqual([...keys].sort((one, other) => (BigInt(one) > BigInt(other) ? -1 : 1)));
    }
  });

  it('gives an empty page with a way on where nothing matches for long', async () => {
    const endMs = FIRST_MS + (OLD + FAILED) * 100;
    const list = listReceipts(explainer.sql, { ...scopeOf(MANY), endMs }, { status: 'delivered' });
    const first = await readList(list, { page: 1, pageSize: 20, after: undefined }, showAll);
    expect(first).toMatchObject({ items: [], total: 0, totalIsExact: false });
    expect(first.nextKey).toBeDefined();
    expect((await walk(list, 20)).keys).toHaveLength(OLD);
  });

  it('walks the index of a status for what only some of its rows have, and leaves none out', async () => {
    const sql = explainer.sql;
    const cancelled = listReceipts(sql, scopeOf(CALLED_OFF), { status: 'rejected', isCancelled: true });
    const { keys } = await walk(cancelled, 20);
    expect(keys).toHaveLength(CALLED / 100);
    const others = listReceipts(sql, scopeOf(CALLED_OFF), { status: 'rejected', isCancelled: false });
    const rest = await walk(others, 2_000);
    expect(rest.keys).toHaveLength(CALLED - keys.length);
    expect(new Set([...keys, ...rest.keys]).size).toBe(CALLED);
    expect(rest.keys).toEqual([...rest.keys].sort((one, other) => (BigInt(one) > BigInt(other) ? -1 : 1)));
    const forward = { offset: 0, limit: 500, oldestFirst: true, after: undefined };
    const first = await readRows(cancelled, forward);
    expect(first.rows.map(cancelled.keyOf)).toEqual([...keys].reverse());
    // Of the successes around them none is read.
    const { pages } = await explainer.explain(() => others.rows({ after: undefined, offset: 0, limit: 20 }));
    expect(pages).toBeLessThan(40);
  });

  it('reads the other way round for a file', async () => {
    const list: ListSource<ReceiptRow> = listReceipts(explainer.sql, scopeOf(MANY), { status: 'delivered' });
    const forward = { offset: 0, limit: 500, oldestFirst: true };
    const first = await readRows(list, { ...forward, after: undefined });
    expect(first.rows).toHaveLength(OLD);
    const second = await readRows(list, { ...forward, after: first.resumeAfter });
    expect(second).toMatchObject({ resumeAfter: undefined });
    expect(second.rows).toHaveLength(NEW);
  });

  it('counts exactly what few others stand between', async () => {
    for (const filters of [{ status: 'delivered' }, { firm: 'rare' }]) {
      const list = listReceipts(explainer.sql, scopeOf(FEW), filters);
      const page = await readList(list, { page: 1, pageSize: 20, after: undefined }, showAll);
      expect(page).toMatchObject({ total: OLD + NEW, totalIsExact: true });
    }
    const some = listReceipts(explainer.sql, { ...scopeOf(FEW), startMs: FIRST_MS + 1000 }, { status: 'delivered' });
    const page = await readList(some, { page: 1, pageSize: 20, after: undefined }, showAll);
    expect(page).toMatchObject({ total: OLD + NEW - 10, totalIsExact: true });
  });

  it('counts in indexes alone', async () => {
    const scope = scopeOf(SOME);
    const lists = [
      listReceipts(explainer.sql, scope, { status: 'delivered' }),
      listSubmits(explainer.sql, scope, { status: 'accepted' }),
      listDeliveries(explainer.sql, scope, { status: 'delivered' }),
    ];
    for (const list of lists) {
      expect(await list.count(MAX_COUNTED_ROWS + 1)).toBe(MAX_COUNTED_ROWS + 1);
      const { pages } = await explainer.explain(() => list.count(MAX_COUNTED_ROWS + 1));
      expect(pages).toBeLessThan(150);
    }
  });

  it('says where a total is only a part', async () => {
    const list = listReceipts(explainer.sql, scopeOf(MANY), { status: 'delivered' });
    const page = await readList(list, { page: 1, pageSize: 20, after: undefined }, showAll);
    expect(page).toMatchObject({ total: NEW, totalIsExact: false });
  });

  it('stops walking as soon as the page is full', async () => {
    const list = listReceipts(explainer.sql, scopeOf(FEW), { status: 'delivered' });
    const { pages } = await explainer.explain(() => list.rows({ after: undefined, offset: 0, limit: NEW }));
    expect(pages).toBeLessThan(20);
  });
});
