// Erases numbers on request, one after the other. A number with messages in progress waits for its receipts.

import { findNumbersIn } from '../../domain/phone/number-pattern.js';
import { eraseElsewhere, eraseInBucket, type NumberToErase } from '../../store/erasure/erase-number.js';
import {
  markDone,
  markWaiting,
  type OpenErasure,
  openNumber,
  readOpenErasures,
  recordProgress,
} from '../../store/erasure/erasure.js';
import { findOpenUse, isStillOpen, type OpenUse } from '../../store/erasure/open-use.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { Sql } from '../../store/sql.js';

export interface ErasureOptions {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly buckets: () => readonly number[];
  readonly signal: AbortSignal;
}

/** Rests between two steps, for what is more urgent. */
type Rest = () => Promise<unknown>;

/** Each round takes a page of the open erasures, the next round the page behind it. Waiting or failing erasures do not block later ones. */
export function createEraseRound(options: ErasureOptions): (rest: Rest) => Promise<void> {
  let after = 0n;
  /** What was open when it was last looked for. */
  const openUses = new Map<bigint, OpenUse>();
  return async (rest) => {
    const { open, next } = await readOpenErasures(options.sql, after);
    after = next;
    const errors: unknown[] = [];
    for (const erasure of open) {
      options.signal.throwIfAborted();
      await eraseOne(options, erasure, openUses, rest).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  };
}

async function eraseOne(
  options: ErasureOptions,
  erasure: OpenErasure,
  openUses: Map<bigint, OpenUse>,
  rest: Rest,
): Promise<void> {
  const { sql, buckets, signal } = options;
  const { erasureId, counts } = erasure;
  const { digits, erased } = openNumber(options.sealer, erasure);
  const number: NumberToErase = { digits, pattern: findNumbersIn(digits), erased };
  const known = openUses.get(erasureId);
  if (known !== undefined && (await isStillOpen(sql, number, known))) return;
  openUses.delete(erasureId);
  for (const bucket of buckets()) {
    const open = await findOpenUse({ sql, signal, rest }, bucket, number);
    if (open === undefined) continue;
    openUses.set(erasureId, open);
    return await markWaiting(sql, erasureId, open.waitsFor);
  }
  await recordProgress(sql, erasureId, counts);
  const add = async (table: string, rows: number): Promise<void> => {
    if (rows === 0) return;
    counts[table] = (counts[table] ?? 0) + rows;
    await recordProgress(sql, erasureId, counts);
  };
  for (const bucket of buckets()) await eraseInBucket({ sql, signal, rest, add }, bucket, number);
  await eraseElsewhere({ sql, signal, rest, add }, number);
  await markDone(sql, erasureId);
}
