// Every list query on a short and on a long history: what it reads must not grow with what is there.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#src/store/embedded/start.js';
import { MAX_COUNTED_ROWS } from '#src/store/list.js';
import { migrate } from '#src/store/migrate/migrate.js';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { createBenchFolder } from '../lab/service.js';
import { connectExplainer, type Explainer } from '../lists/explain.js';
import { createList, LISTS, PLACES, scopeOf } from '../lists/queries.js';
import { addListRows } from '../lists/rows.js';

const SIZES = [100_000, 5_000_000];
/** Below this, the places deep down would be at the end. */
const LEAST_ROWS = 30_000;
const STEP = 50_000;

export const lists: Scenario = {
  name: 'lists',
  summary: 'every list query at 100 thousand and 5 million rows of each kind',
  usualS: 1800,
  async run(bench) {
    bench.title('Lists: pages of 8 KiB touched and time in the database, the worst place of each list');
    const folder = await createBenchFolder();
    const log = { info: () => {}, warn: () => {} };
    const options = { dataDir: join(folder, 'data'), log, signal: bench.signal, durable: false };
    const server = await startEmbeddedPostgres(options);
    const explainer = connectExplainer(server.address);
    try {
      await migrate(explainer.sql);
      let filled = 0;
      let shorter: ReadonlyMap<string, number> = new Map();
      for (const size of SIZES) {
        const rows = scaleSize(bench, size, LEAST_ROWS);
        if (rows > filled) await fill(bench, explainer, filled, rows);
        filled = Math.max(filled, rows);
        const pages = await measureLists(bench, explainer, rows);
        if (shorter.size > 0) recordGrowth(bench, shorter, pages);
        shorter = pages;
      }
    } finally {
      await explainer.sql.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function fill(bench: Bench, { sql }: Explainer, from: number, until: number): Promise<void> {
  for (let start = from; start < until; start += STEP) {
    bench.signal.throwIfAborted();
    await addListRows(sql, start, Math.min(until, start + STEP));
    bench.progress(`rows of each kind: ${start.toLocaleString('en')} of ${until.toLocaleString('en')}`);
  }
  bench.progress('vacuum analyze');
  await sql.unsafe('vacuum analyze');
}

/** The pages that each list touches at its worst place. */
async function measureLists(bench: Bench, { sql, explain }: Explainer, rows: number): Promise<Map<string, number>> {
  const pagesOf = new Map<string, number>();
  for (const name of Object.keys(LISTS)) {
    const costs = [];
    for (const [place, read] of Object.entries(PLACES)) {
      bench.signal.throwIfAborted();
      costs.push(await explain(() => read(name, sql)));
      bench.progress(`${name}, ${place}`);
    }
    const pages = Math.max(...costs.map((cost) => cost.pages));
    const total = await explain(() => createList(name, sql, scopeOf()).count(MAX_COUNTED_ROWS + 1));
    pagesOf.set(name, pages);
    bench.record({
      key: `lists.${rows}.${name}`,
      label: `${name}, ${rows.toLocaleString('en')} rows`,
      figures: {
        pages,
        longest_ms: Math.max(...costs.map(({ ms }) => ms)),
        total_pages: total.pages,
        total_ms: total.ms,
      },
    });
  }
  return pagesOf;
}

/** A b-tree grows by a level, and a page here or there; a list that reads its history grows with it. */
function recordGrowth(bench: Bench, short: ReadonlyMap<string, number>, long: ReadonlyMap<string, number>): void {
  const grown = [...long].filter(([name, pages]) => pages > (short.get(name) ?? 0) * 1.5 + 40);
  bench.record({
    key: 'lists.grown',
    label: 'lists that read more of the longer history',
    figures: { grown: grown.length },
  });
  for (const [name, pages] of grown) bench.remark(`${name}: ${short.get(name)} pages became ${pages}`);
}
