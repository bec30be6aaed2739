// Re-seals every stored secret under the new key while the service runs. Each value is replaced only where it is still the one
// that was read, so a change made meanwhile stays. A value that the new key opens is done, so a run after an interruption
// continues automatically, and a run after the last one changes nothing.

import type { Sql, Statement } from '../sql.js';
import type { Sealer } from './seal.js';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.js';

export interface RotationKeys {
  /** The new key alone. */
  readonly current: Sealer;
  /** Opens with both. */
  readonly both: Sealer;
}

export interface RotatedColumn {
  readonly table: string;
  readonly column: string;
  readonly values: number;
  readonly resealed: number;
  /** Neither key opens these. They are left as they are. */
  readonly unopened: number;
}

const BATCH = 200;
/** A process that seals with the old key may add values meanwhile; they are found by the next round. */
const MAX_ROUNDS = 5;

/** Rounds until one finds nothing under the old key. Returns what is there, and how many were re-sealed. */
export async function rotateKey(sql: Sql, keys: RotationKeys, signal: AbortSignal): Promise<RotatedColumn[]> {
  const columns: RotatedColumn[] = [];
  for (const column of SEALED_COLUMNS) {
    let resealed = 0;
    let found = { values: 0, resealed: 0, unopened: 0, behind: 0 };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      found = await resealColumn(sql, column, keys, signal);
      resealed += found.resealed;
      if (found.behind === 0) break;
    }
    const { values, unopened } = found;
    columns.push({ table: column.table, column: column.column, values, resealed, unopened });
  }
  return columns;
}

type Row = Readonly<Record<string, unknown>> & { readonly sealed: Uint8Array };

async function resealColumn(sql: Sql, column: SealedColumn, keys: RotationKeys, signal: AbortSignal) {
  const sum = { values: 0, resealed: 0, unopened: 0, behind: 0 };
  for (let last: Row | undefined; ; ) {
    signal.throwIfAborted();
    const rows = await readBatch(sql, column, last);
    for (const row of rows) {
      sum.values += 1;
      const context = column.contextOf(row);
      if (opens(keys.current, row.sealed, context)) continue;
      if (!opens(keys.both, row.sealed, context)) {
        sum.unopened += 1;
        continue;
      }
      sum.behind += 1;
      const sealed = keys.current.seal(keys.both.open(row.sealed, context), context);
      if (await replace(sql, column, row, sealed)) sum.resealed += 1;
    }
    last = rows.at(-1);
    if (rows.length < BATCH) return sum;
  }
}

function opens(sealer: Sealer, sealed: Uint8Array, context: string): boolean {
  try {
    sealer.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

async function readBatch(sql: Sql, { table, column, key, besides }: SealedColumn, last: Row | undefined) {
  const name = (part: string) => sql`${sql(part)}`;
  const order = join(sql, key.map(name));
  const after =
    last &&
    sql`and (${order}) > (${join(
      sql,
      key.map((part) => sql`${last[part] as string}`),
    )})`;
  return await sql<Row[]>`
    select ${join(sql, [...key, ...besides].map(name))}, ${sql(column)} as sealed from ${sql(table)}
    where ${sql(column)} is not null ${after ?? sql``}
    order by ${order} limit ${BATCH}`;
}

async function replace(sql: Sql, { key, table, column }: SealedColumn, row: Row, sealed: Buffer): Promise<boolean> {
  const isRow = key.map((part) => sql`and ${sql(part)} = ${row[part] as string}`);
  const { count } = await sql`
    update ${sql(table)} set ${sql(column)} = ${sealed} where ${sql(column)} = ${row.sealed} ${isRow}`;
  return count > 0;
}

function join(sql: Sql, pieces: readonly Statement[]) {
  return pieces.map((piece, index) => (index === 0 ? piece : sql`, ${piece}`));
}
