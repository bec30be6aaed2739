// How the operator changes the small tables: in one transaction, with the configuration version raised so that every
// node takes the change in, and with a row in the audit log. Field names are those of the operator API throughout, so that
// the audit log speaks of what the operator wrote.

import { isDeepStrictEqual } from 'node:util';
import { toPlain } from '../../domain/plain.js';
import type { AnySql, JSONValue, Sql } from '../sql.js';

/** The database, and in whose name it is written to. */
export interface ActorContext {
  readonly sql: Sql;
  readonly actor: string;
  /** The change that this one is a part of: both are committed together. */
  readonly within?: ConfigurationChange;
}

export interface ConfigurationChange {
  readonly tx: AnySql;
  /** To be stamped on every row that is written. */
  readonly version: bigint;
}

/**
 * Raising the version first takes its row lock: operator writes wait for each other, so what is read inside `run` stays
 * true until the commit, and versions become visible in order.
 */
export async function changeConfiguration<Result>(
  { sql, within }: ActorContext,
  run: (change: ConfigurationChange) => Promise<Result>,
): Promise<Result> {
  if (within !== undefined) return run(within);
  return await sql.begin(async (tx) => run({ tx, version: await raiseVersion(tx) }));
}

/**
 * The same lock without a new version, for what customers write and nodes need not read: a version costs every node a look, and
 * a customer that writes often must not cost others theirs. `run` raises the version where nodes need the change after all.
 */
export async function lockConfiguration<Result>(
  { sql }: ActorContext,
  run: (tx: AnySql, raise: () => Promise<bigint>) => Promise<Result>,
): Promise<Result> {
  return await sql.begin(async (tx) => {
    await tx`select version from config_version for update`;
    return await run(tx, () => raiseVersion(tx));
  });
}

async function raiseVersion(tx: AnySql): Promise<bigint> {
  const [row] = await tx<{ version: bigint }[]>`
    update config_version set version = version + 1 returning version`;
  if (row === undefined) throw new Error('config_version has no row: the database was not migrated by this service');
  return row.version;
}

export interface AuditEntry {
  readonly action: string;
  readonly subject: string;
  readonly change: Readonly<Record<string, unknown>>;
}

/** In the transaction of what it speaks of. Never give it a secret. */
export async function recordAudit(tx: AnySql, actor: string, entry: AuditEntry): Promise<void> {
  const change = toPlain(entry.change) as JSONValue;
  await tx`
    insert into audit (actor, action, subject, change)
    values (${actor}, ${entry.action}, ${entry.subject}, ${tx.json(change)})`;
}

/** The fields that differ, with both values; undefined when none does. */
export function describeChange(before: object, after: object): Record<string, unknown> | undefined {
  const old = toPlain(before);
  const changed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(toPlain(after))) {
    // Stored JSON has its own order of keys.
    if (!isDeepStrictEqual(old[field], value)) changed[field] = { before: old[field] ?? null, after: value };
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** Fields that a change leaves out keep their value. */
export function mergePatch<Terms extends object>(current: Terms, patch: Partial<Terms>): Terms {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...current, ...Object.fromEntries(given) };
}
