// Requests to erase a number, and the key of the hashes that take its place.

import { type ErasedNumber, eraseNumber } from '../../domain/erasure.js';
import { formatNo } from '../../domain/id.js';
import { type ActorContext, changeConfiguration, recordAudit } from '../operator/change.js';
import { ERASURE_KEY_CONTEXT, erasureContext, type Sealer } from '../secrets/seal.js';
import type { AnySql, JSONValue, Sql } from '../sql.js';

export interface Erasure {
  readonly erasure_id: bigint;
  readonly hash: string;
  readonly remark: string | null;
  /** `waiting` for something open, or for its turn; `running`; `done`. */
  readonly status: 'waiting' | 'running' | 'done';
  /** What of the number is open; null when nothing is. */
  readonly waits_for: string | null;
  /** Rows in which it was replaced, by table. */
  readonly counts: Readonly<Record<string, number>>;
  readonly created_by: string;
  readonly created_at: Date;
  readonly done_at: Date | null;
}

const KEY_BYTES = 32;

/** Made with the first erasure. All processes know it with the next configuration snapshot. */
async function ensureKey(
  actorContext: ActorContext,
  sealer: Sealer,
  randomBytes: (count: number) => Buffer,
): Promise<Buffer> {
  const read = async (sql: AnySql) => {
    const [row] = await sql<{ sealed: Uint8Array | null }[]>`select erasure_key_sealed as sealed from config_version`;
    return row?.sealed == null ? undefined : sealer.open(row.sealed, ERASURE_KEY_CONTEXT);
  };
  return (
    (await read(actorContext.sql)) ??
    (await changeConfiguration(actorContext, async ({ tx }) => {
      const known = await read(tx);
      if (known !== undefined) return known;
      const key = randomBytes(KEY_BYTES);
      await tx`update config_version set erasure_key_sealed = ${sealer.seal(key, ERASURE_KEY_CONTEXT)}`;
      return key;
    }))
  );
}

export async function createErasure(
  actorContext: ActorContext,
  { sealer, randomBytes }: { readonly sealer: Sealer; readonly randomBytes: (count: number) => Buffer },
  {
    erasureId,
    digits,
    remark,
  }: { readonly erasureId: bigint; readonly digits: string; readonly remark: string | null },
): Promise<Erasure> {
  const key = await ensureKey(actorContext, sealer, randomBytes);
  const { hash } = eraseNumber(key, digits);
  return await actorContext.sql.begin(async (tx) => {
    const [row] = await tx<Erasure[]>`
      insert into erasure (erasure_id, hash, phone_sealed, remark, created_by)
      values (${erasureId}, ${hash}, ${sealer.seal(digits, erasureContext(erasureId))}, ${remark}, ${actorContext.actor})
      returning ${columns(tx)}`;
    if (row === undefined) throw new Error('the erasure was not stored');
    const subject = formatNo('X', erasureId);
    await recordAudit(tx, actorContext.actor, { action: 'erasure.create', subject, change: { hash, remark } });
    return row;
  });
}

export async function readErasure(sql: AnySql, erasureId: bigint): Promise<Erasure | undefined> {
  const [row] = await sql<Erasure[]>`select ${columns(sql)} from erasure where erasure_id = ${erasureId}`;
  return row;
}

const SHOWN = 1000;

/** Newest first. */
export async function readErasures(sql: AnySql): Promise<Erasure[]> {
  return await sql<Erasure[]>`select ${columns(sql)} from erasure order by erasure_id desc limit ${SHOWN}`;
}

function columns(sql: AnySql) {
  return sql`erasure_id, hash, remark, status, waits_for, counts, created_by, created_at, done_at`;
}

export interface OpenErasure {
  readonly erasureId: bigint;
  readonly phoneSealed: Uint8Array;
  readonly keySealed: Uint8Array;
  readonly counts: Record<string, number>;
}

/** Younger ones wait: by then every process looks opt-outs up by the hash, too. */
const SETTLED_AFTER_SECONDS = 3;

const ERASURES_A_PAGE = 100;

/** A page of those to do, oldest first. `next` is where the next page begins; 0 after the last. */
export async function readOpenErasures(
  sql: Sql,
  after: bigint,
): Promise<{ readonly open: OpenErasure[]; readonly next: bigint }> {
  const rows = await sql<(OpenErasure & { settled: boolean })[]>`
    select erasure_id as "erasureId", phone_sealed as "phoneSealed", counts,
      (select erasure_key_sealed from config_version) as "keySealed",
      created_at < now() - ${SETTLED_AFTER_SECONDS} * interval '1 second' as settled
    from erasure where done_at is null and erasure_id > ${after} order by erasure_id limit ${ERASURES_A_PAGE}`;
  const open = rows.filter(({ settled }) => settled);
  return { open, next: rows.length < ERASURES_A_PAGE ? 0n : (rows.at(-1)?.erasureId ?? 0n) };
}

export function openNumber(
  sealer: Sealer,
  { erasureId, phoneSealed, keySealed }: OpenErasure,
): { readonly digits: string; readonly erased: ErasedNumber } {
  const digits = sealer.open(phoneSealed, erasureContext(erasureId)).toString('utf8');
  return { digits, erased: eraseNumber(sealer.open(keySealed, ERASURE_KEY_CONTEXT), digits) };
}

export async function markWaiting(sql: Sql, erasureId: bigint, waitsFor: string): Promise<void> {
  await sql`update erasure set status = 'waiting', waits_for = ${waitsFor} where erasure_id = ${erasureId}`;
}

export async function recordProgress(sql: Sql, erasureId: bigint, counts: Record<string, number>): Promise<void> {
  await sql`
    update erasure set status = 'running', waits_for = null, counts = ${sql.json(counts as JSONValue)}
    where erasure_id = ${erasureId} and done_at is null`;
}

/** The number itself goes with it. */
export async function markDone(sql: Sql, erasureId: bigint): Promise<void> {
  await sql`
    update erasure set status = 'done', waits_for = null, phone_sealed = null, done_at = now()
    where erasure_id = ${erasureId} and done_at is null`;
}
