// Builds indexes beside traffic. An interrupted build leaves an index that is not valid: the next run drops it and builds it again.
// Any number of processes may build the same index: each build holds its table in share update exclusive mode, which
// excludes other builds and lets reads and writes pass.

import { setTimeout as delay } from 'node:timers/promises';
import { isDeadlock, isLockTimeout, isMachineAway } from '../retry.js';
import type { AnySql, Sql } from '../sql.js';
import { formatIndex, type IndexStatement } from './index-statement.js';
import { type Progress, sayWhileWorking, withLockTimeout } from './with-lock-timeout.js';

type IndexState = 'missing' | 'invalid' | 'building' | 'valid';

/** How often another process that builds the index on a cluster is looked at. */
const LOOK_AGAIN_MS = 500;
/** Two processes created or dropped it at once: unique_violation in the catalog, duplicate_table, undefined_object and _table. */
const COLLISIONS: ReadonlySet<unknown> = new Set(['23505', '42P07', '42704', '42P01']);
const MAX_COLLISIONS = 10;

/** Longer names are cut by PostgreSQL, and no longer found. */
const MAX_NAME_BYTES = 63;

/**
 * Creates the index unless it exists. Returns when it is valid. On a cluster a build holds no lock on the coordinator, so processes may
 * build concurrently; each step is idempotent, so that a retry continues where the other is.
 */
export async function buildIndex(sql: Sql, index: IndexStatement, progress: Progress): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (await isPartitioned(sql, index.table)) await buildOnPartitions(sql, index, progress);
      else await buildOnTable(sql, index, progress);
      return;
    } catch (error) {
      if (attempt > MAX_COLLISIONS || !isCollision(error)) throw error;
      await delay(Math.random() * LOOK_AGAIN_MS * attempt);
    }
  }
}

function isCollision(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  // A deadlock on a worker ends the transaction of the coordinator with this message and no code.
  const isLostToDeadlock = message?.startsWith('failure on connection marked as essential') === true;
  // The catalog's own error for this has no code of its own.
  const isOverwritten = message === 'tuple concurrently updated';
  return COLLISIONS.has(code) || isMachineAway(error) || isLostToDeadlock || isOverwritten;
}

async function buildOnTable(sql: Sql, index: IndexStatement, progress: Progress): Promise<void> {
  const what = `index ${index.name}`;
  for (;;) {
    progress.signal?.throwIfAborted();
    const state = await removeInvalid(sql, index, progress);
    if (state === 'valid') return;
    // Where another process builds it, this waits for that one, and then finds it there.
    if (state === 'building') await delay(LOOK_AGAIN_MS);
    else await sayWhileWorking(`building ${what}`, progress, () => build(sql, index, progress));
  }
}

async function build(sql: Sql, index: IndexStatement, progress: Progress): Promise<void> {
  await sql.unsafe(formatIndex(index, 'concurrently')).catch((error: unknown) => {
    if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
    progress.say(`index ${index.name}: the build lost a lock, building it again`);
  });
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
    // On a cluster a build does not hold the table on the coordinator.
    if (await isBuilding(tx, index)) return 'building';
    await limitLockWaits();
    // A machine of a cluster that the build did not reach has no such index.
    await tx`drop index if exists ${tx(index.name)}`;
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
    // Two that create it at once would collide in the catalog.
    await tx`lock table ${tx(index.table)} in share update exclusive mode`;
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

async function isBuilding(sql: AnySql, { name }: IndexStatement): Promise<boolean> {
  const rows = await sql`
    select 1 as one from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
      and query ~ ${`^create (unique )?index concurrently if not exists ${name} `}`;
  return rows.length > 0;
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
