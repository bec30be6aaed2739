// The same loads on databases that are given: one PostgreSQL and a cluster, or two versions. They take turns, because only
// ratios of one run mean anything.

import { distribute } from '#src/store/cluster/distribute.js';
import { hasCitus } from '#src/store/cluster/distribution.js';
import { connectDatabase } from '#src/store/connect.js';
import { migrate } from '#src/store/migrate/migrate.js';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { type FigureName, type Figures, median } from '../figures.js';
import { type Lab, startLab } from '../lab/lab.js';
import { type Load, measureLoad, warmUp } from '../load/measure.js';

const CUSTOMERS = 100;
const ROUNDS = 5;
const FIRM = 'smpp';

const LOADS = {
  bulk: { tasks: CUSTOMERS, numbersPerTask: 500, connections: 4 },
  single: { tasks: 8000, numbersPerTask: 1, connections: 64 },
} as const;

type LoadName = keyof typeof LOADS;

export const databases: Scenario = {
  name: 'databases',
  summary: 'bulk and single numbers of 100 customers over SMPP, on each database that is given',
  usualS: 150,
  async run(bench) {
    if (bench.databases.length === 0) return;
    bench.title(`${CUSTOMERS} customers over SMPP on each database, taking turns: the median of ${ROUNDS}`);
    const labs: Lab[] = [];
    try {
      for (const url of bench.databases) labs.push(await openLab(bench, url));
      for (const name of ['bulk', 'single'] as const) await compare(bench, labs, name);
    } finally {
      for (const lab of labs) await lab.stop();
    }
  },
};

/** An empty database is brought up, and spread over its cluster where it is the coordinator of one. */
async function openLab(bench: Bench, url: string): Promise<Lab> {
  bench.progress('bringing up the database');
  const sql = connectDatabase(url, { maxConnections: 1, statementTimeoutMs: 0, applicationName: 'postrider-bench' });
  try {
    await migrate(sql);
    if (await hasCitus(sql)) await distribute(sql, { say: bench.progress });
  } finally {
    await sql.end();
  }
  return await startLab({ ...bench, databaseUrl: url });
}

async function compare(bench: Bench, labs: readonly Lab[], name: LoadName): Promise<void> {
  const { connections, ...load } = LOADS[name];
  // Every customer has a task to send, however small it is.
  const tasks = scaleSize(bench, load.tasks, CUSTOMERS);
  const numbersPerTask = Math.ceil(load.numbersPerTask * Math.min(1, bench.scale));
  const rounds: Figures[][] = labs.map(() => []);
  for (const lab of labs) {
    const customers = await lab.customers(CUSTOMERS);
    await warmUp(bench, lab.service, { customers, firm: FIRM, connections });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, lab] of labs.entries()) {
      const order: Load = { customers: await lab.customers(CUSTOMERS), tasks, numbersPerTask, firm: FIRM, connections };
      rounds[at]?.push(await measureLoad(bench, lab.service, order));
    }
  }
  const results = rounds.map(medians);
  for (const [at, { numbers_per_s = 0, ...costs }] of results.entries()) {
    const ratio = numbers_per_s / (results[0]?.numbers_per_s ?? 1);
    bench.record({
      key: `databases.${name}.${at}`,
      label: `${name}, ${describe(bench.databases[at] ?? '')}`,
      figures: { numbers_per_s, ratio, ...costs },
    });
  }
}

/** The median of each figure alone: autovacuum comes once a minute and doubles the processor time of the round that it falls into. */
function medians(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {}) as FigureName[];
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((figures) => figures[name] ?? 0))]));
}

function describe(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
