// What a list reads must not grow with history. Every list, with every filter, on the first page and deep down, is
// explained on a small table and on one five times as large: the pages touched stay the same.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_COUNTED_ROWS } from '../../../src/store/list.js';
import { listDeliveries } from '../../../src/store/lists/deliveries.js';
import { listLedgers } from '../../../src/store/lists/ledgers.js';
import { listReceipts } from '../../../src/store/lists/receipts.js';
import { listSubmits } from '../../../src/store/lists/submits.js';
import { migrate } from '../../../src/store/migrate/migrate.js';
import { readBalancesAt } from '../../../src/store/money/balances-over-time.js';
import { connectExplainer, type Explainer } from '../../../tools/bench/lists/explain.js';
import { createList, FIRST_PAGE, idAt, LISTS, PLACES, scopeOf, taskAt } from '../../../tools/bench/lists/queries.js';
import { addListRows, NUMBERS_PER_TASK, START_MS } from '../../../tools/bench/lists/rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const SMALL = 30_000;
const LARGE = 150_000;

let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  // Without the months of the template: their partitions would be read for both sizes.
  database = await createTestDatabase({ isEmpty: true });
  await migrate(database.sql);
  explainer = connectExplainer(database.address);
});
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

async function fill(from: number, until: number): Promise<void> {
  await addListRows(explainer.sql, from, until);
  await explainer.sql.unsafe('vacuum analyze');
}

async function measure(run: () => Promise<unknown>): Promise<number> {
  return (await explainer.explain(run)).pages;
}

async function measureAll(): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  for (const name of Object.keys(LISTS)) {
    for (const [where, read] of Object.entries(PLACES)) {
      results.set(`${name}, ${where}`, await measure(() => read(name, explainer.sql)));
    }
  }
  return results;
}

describe('reading a list', () => {
  it('touches as many pages of a large table as of a small one', { timeout: 180_000 }, async () => {
    await fill(0, SMALL);
    const small = await measureAll();
    await fill(SMALL, LARGE);
    const large = await measureAll();
    const grown = [...large].filter(([name, pages]) => pages > (small.get(name) ?? 0) * 1.5 + 40);
    expect(grown.map(([name, pages]) => `${name}: ${small.get(name)} → ${pages}`)).toEqual([]);
    const worst = Math.max(...large.values());
    expect(worst).toBeLessThan(700);
  });

  it('touches no more with a plan that was made without looking at the values', async () => {
    const { sql } = explainer;
    await sql`set plan_cache_mode = force_generic_plan`;
    const costly = [...(await measureAll())].filter(([, pages]) => pages > 700);
    await sql`reset plan_cache_mode`;
    expect(costly.map(([name, pages]) => `${name}: ${pages}`)).toEqual([]);
  });

  it('of a batch reads one task or a few, however many it has', async () => {
    const { sql } = explainer;
    await sql.unsafe(
      `update task set batch_id = 'huge', total = 5000 where (task_id >> 20) / 1000 % ${NUMBERS_PER_TASK} = 0`,
    );
    await sql.unsafe('vacuum analyze');
    const filters = { batchId: 'huge' };
    const huge = [listReceipts, listSubmits, listDeliveries, listLedgers].map((list) => list(sql, scopeOf(), filters));
    for (const list of huge) {
      const pages = await measure(() => list.rows(FIRST_PAGE));
      const deep = await measure(() => list.rows({ ...FIRST_PAGE, after: `${taskAt(70_000)}/${idAt(70_010)}` }));
      // Finding out that it is large reads a thousand tasks, once for a walk.
      expect(pages).toBeLessThan(1600);
      expect(deep).toBeLessThan(300);
      expect(await list.count(MAX_COUNTED_ROWS + 1)).toBe(MAX_COUNTED_ROWS + 1);
    }
  });

  it('counts by result or status in indexes alone', async () => {
    const { sql } = explainer;
    const counts = [
      listReceipts(sql, scopeOf(), { status: 'delivered' }),
      listSubmits(sql, scopeOf(), { status: 'accepted' }),
      listDeliveries(sql, scopeOf(), { status: 'delivered' }),
    ];
    for (const list of counts) {
      expect(await list.count(MAX_COUNTED_ROWS + 1)).toBe(MAX_COUNTED_ROWS + 1);
      expect(await measure(() => list.count(MAX_COUNTED_ROWS + 1))).toBeLessThan(250);
    }
  });

  it('of balances over time looks once into the index for each time', async () => {
    const { sql } = explainer;
    const times = Array.from({ length: 100 }, (_, nth) => new Date(START_MS + nth * (LARGE / 100) * 1000));
    for (const mode of ['auto', 'force_generic_plan']) {
      await sql.unsafe(`set plan_cache_mode = ${mode}`);
      expect(await measure(() => readBalancesAt(sql, scopeOf(), times))).toBeLessThan(100 * 10);
    }
    await sql`reset plan_cache_mode`;
  });

  it('counts no further than it promises', async () => {
    for (const name of Object.keys(LISTS)) {
      const pages = await measure(() => createList(name, explainer.sql, scopeOf()).count(MAX_COUNTED_ROWS + 1));
      expect(pages, name).toBeLessThan(MAX_COUNTED_ROWS * 1.5);
    }
  });
});
