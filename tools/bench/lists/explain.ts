// What the statements of a list touch and how long they take, planned as on a busy service.

import { VALUE_TYPES } from '#src/store/connect.js';
import { postgres } from '#src/store/driver/index.js';
import type { EmbeddedAddress } from '#src/store/embedded/start.js';
import type { Sql } from '#src/store/sql.js';

export interface ReadCost {
  /** Pages of 8 KiB, from memory or from the disk. */
  readonly pages: number;
  readonly ms: number;
}

export interface Explainer {
  readonly sql: Sql;
  /** The cost of everything that is read while `run` runs. */
  explain(run: () => Promise<unknown>): Promise<ReadCost>;
}

interface Explained {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
  readonly 'Execution Time': number;
}

/** The sixth execution of a prepared statement is the first that may use a plan made without looking at the values. */
const EXECUTIONS_BEFORE = 5;

export function connectExplainer(address: EmbeddedAddress): Explainer {
  const seen: { readonly query: string; readonly parameters: readonly unknown[] }[] = [];
  const sql: Sql = postgres({
    ...address,
    max: 1,
    types: VALUE_TYPES,
    onnotice: () => {},
    debug: (_connection, query, parameters) => void seen.push({ query, parameters }),
  });
  const explain = async (run: () => Promise<unknown>) => {
    seen.length = 0;
    await run();
    const cost = { pages: 0, ms: 0 };
    for (const { query, parameters } of [...seen]) {
      if (!/^\s*(select|with)/i.test(query)) continue;
      const { Plan: plan, 'Execution Time': ms } = await explainStatement(sql, query, parameters);
      cost.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      cost.ms += ms;
    }
    return cost;
  };
  return { sql, explain };
}

async function explainStatement(sql: Sql, query: string, parameters: readonly unknown[]): Promise<Explained> {
  const values = parameters.map((value) =>
    value instanceof Date ? `'${value.toISOString()}'` : `'${String(value).replaceAll("'", "''")}'`,
  );
  // A statement without parameters takes no brackets either.
  const given = values.length === 0 ? '' : `(${values})`;
  await sql.unsafe(`prepare explained as ${query}`);
  for (let execution = 0; execution < EXECUTIONS_BEFORE; execution += 1) await sql.unsafe(`execute explained ${given}`);
  const [row] = await sql.unsafe<{ 'QUERY PLAN': Explained[] }[]>(
    `explain (analyze, buffers, format json) execute explained ${given}`,
  );
  await sql.unsafe('deallocate explained');
  const explained = row?.['QUERY PLAN'][0];
  if (explained === undefined) throw new Error('The statement could not be explained.');
  return explained;
}
