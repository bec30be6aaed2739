// Builds indexes beside traffic. An interrupted build leaves an index that is not valid: the next run drops it and builds it again.
// Any number of processes may build the same index: each build holds its table in share update exclusive mode, which
// excludes other builds and lets reads and writes pass.

import type { AnySql, Sql } from '../connect.js';
import { isDeadlock, isLockTaken } from '../retry.js';
import { formatIndex, type IndexStatement } from './index-statement.js';
import { type Progress, sayWhileWorking, withLockTimeout } from './with-lock-timeout.js';

type IndexState = 'missing' | 'invalid' | 'valid';

/** Longer names are cut by PostgreSQL, and no longer found. */
const MAX_NAME_BYTES = 63;

/** Creates the index unless it is there. Returns when it is valid. */
export async function buildIndex(sql: Sql, index: IndexStatement, progress: Progress): Promise<void> {
  if (await isPartitioned(sql, index.table)) await buildOnPartitions(sql, index, progress);
  else await buildOnTable(sql, index, progress);
}

async function buildOnTable(sql: Sql, index: IndexStatement, progress: Progress): Promise<void> {
  const what = `index ${index.name}`;
  while ((await removeInvalid(sql, index, progress)) !== 'valid') {
    progress.signal?.throwIfAborted();
    // Where another process builds it, this waits for that one, and then finds it there.
    await sayWhileWorking(`building ${what}`, progress, async () => {
      await sql.unsafe(formatIndex(index, 'concurrently')).catch((error: unknown) => {
        if (!isLockTaken(error) && !isDeadlock(error)) throw error;
        progress.say(`${what}: the build lost a lock, building it again`);
      });
    });
  }
}

/** How the index is once no build of it is under way. */
async function removeInvalid(sql: Sql, index: IndexStatement, progress: Progress): Promise<IndexState> {
  const what = `index ${index.name}`;
  return await withLockTimeout(sql, what, progress, async (tx, limitLockWaits) => {
    await sayWhileWorking(`${what}: waiting for another build or vacuum of ${index.table}`, progress, async () => {
      await tx`lock table ${tx(index.table)} in share update exclusive mode`;
    });
    const state = await readState(tx, index);
    if (state !== 'invalid') return state;
    await limitLockWaits();
    await tx`drop index ${tx(index.name)}`;
    return 'missing';
  });
}

/**
 * A partitioned index is valid once each partition has its part. A partition that is created meanwhile gets its part with
 * the table, for the index of the parent is there first.
 */
async function buildOnPartitions(sql: Sql, index: IndexStatement, progress: Progress): Promise<void> {
  const what = `index ${index.name}`;
  await withLockTimeout(sql, what, progress, async (tx, limitLockWaits) => {
    await limitLockWaits();
    if ((await readState(tx, index)) === 'missing') await tx.unsafe(formatIndex(index, 'only'));
  });
  const partitions = await readUnindexedPartitions(sql, index);
  for (const [at, table] of partitions.entries()) {
    const part = { ...index, table, name: `${table}_${index.name}` };
    if (Buffer.byteLength(part.name) > MAX_NAME_BYTES)
      throw new Error(`${part.name} is too long for a name of an index`);
    const say = (line: string) => progress.say(`${what}, partition ${at + 1} of ${partitions.length}: ${line}`);
    await buildOnTable(sql, part, { ...progress, say });
    await withLockTimeout(sql, what, progress, async (tx, limitLockWaits) => {
      await limitLockWaits();
      // Attaching what is attached changes nothing.
      await tx`alter index ${tx(index.name)} attach partition ${tx(part.name)}`;
    });
  }
}

async function isPartitioned(sql: Sql, table: string): Promise<boolean> {
  const [row] = await sql<{ kind: string }[]>`select relkind as kind from pg_class where oid = to_regclass(${table})`;
  return row?.kind === 'p';
}

async function readState(sql: AnySql, { name, table }: IndexStatement): Promise<IndexState> {
  const [row] = await sql<{ table: string; valid: boolean }[]>`
    select indrelid::regclass::text as "table", indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`;
  if (row === undefined) return 'missing';
  if (row.table !== table) throw new Error(`The index ${name} is on ${row.table}, and should be on ${table}`);
  return row.valid ? 'valid' : 'invalid';
}

async function readUnindexedPartitions(sql: Sql, index: IndexStatement): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = to_regclass(${index.table}) and not exists (
      select from pg_index part join pg_inherits attached on attached.inhrelid = part.indexrelid
      where part.indrelid = pg_inherits.inhrelid and attached.inhparent = to_regclass(${index.name})
    ) order by 1`;
  return rows.map(({ name }) => name);
}
