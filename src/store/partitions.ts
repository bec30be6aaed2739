// History is partitioned by the month of the id's time. Partitions are created months ahead; if that fails, rows go into the default
// partition, and nothing is lost.

import { firstIdAt } from '../domain/id.js';
import { isLockTimeout } from './retry.js';
import type { Sql } from './sql.js';

/** The tables of history that have a partition for each month. */
export const PARTITIONED = ['submit', 'delivery', 'receipt', 'uplink'] as const;
const MONTHS_AHEAD = 2;

/** As the migration 0006_storage_settings gave them to the partitions that were there. */
const STORAGE =
  'autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000';

/** All writers of history wait behind this lock, so the timeout is short; partitions are needed only in months. */
const LOCK_TIMEOUT_MS = 200;

/**
 * Creates the partitions of this month and the next ones. Returns the names of new ones. If a table is locked for long, for example by a
 * backup, the round ends, and the next one retries.
 */
export async function ensurePartitions(sql: Sql, now: Date): Promise<string[]> {
  const made: string[] = [];
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1, 1));
    const month = from.toISOString().slice(0, 7).replace('-', '_');
    for (const table of PARTITIONED) {
      try {
        const isNew = await ensurePartition(sql, table, `${table}_${month}`, firstIdAt(from), firstIdAt(to));
        if (isNew) made.push(`${table}_${month}`);
      } catch (error) {
        if (isLockTimeout(error)) return made;
        throw error;
      }
    }
  }
  return made;
}

async function ensurePartition(sql: Sql, table: string, name: string, from: bigint, to: bigint): Promise<boolean> {
  return await sql.begin(async (tx) => {
    const [found] = await tx`select 1 from pg_class where relname = ${name} and relkind = 'r'`;
    if (found !== undefined) return false;
    await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    // One process at a time, and no rows may slip into the default partition while it is looked through.
    await tx`lock table ${tx(table)} in access exclusive mode`;
    const [row] = await tx<{ made: boolean; used: boolean }[]>`
      select exists (select 1 from pg_class where relname = ${name} and relkind = 'r') as made,
        exists (
          select 1 from ${tx(`${table}_default`)} where ${tx(`${table}_id`)} >= ${from} and ${tx(`${table}_id`)} < ${to}
        ) as used`;
    // Rows of that month that are in the default partition already stay there with those to come.
    if (row === undefined || row.made || row.used) return false;
    await tx.unsafe(
      `create table ${name} partition of ${table} for values from (${from}) to (${to}) with (${STORAGE})`,
    );
    return true;
  });
}
