// Applies deadlines, by the database's clock: unknown numbers become not accepted, and accepted numbers without a final report expire.

import { type ChunkKey, chunkKeyOf, type StoredChunk } from '../../domain/chunk/chunk.js';
import { numberStateOf } from '../../domain/chunk/chunk-state.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from '../../domain/outcome/delivery-event.js';
import { readChunksOfTasks } from '../../store/chunk/chunk.js';
import { postponeExpiry, readExpired } from '../../store/chunk/expiry.js';
import type { Sql } from '../../store/sql.js';
import { readSubmissions } from '../../store/wire/records.js';
import { readOverdueUnknown } from '../../store/wire/unknown-part.js';
import type { RoundQuarantine } from '../quarantine/round-quarantine.js';
import { type Recorder, recordAll } from '../settle/recorder.js';
import { readResolved } from '../settle/resolve-unknown.js';

export interface SweepDeps {
  readonly sql: Sql;
  readonly recorder: Recorder;
  readonly roundQuarantine: RoundQuarantine;
}

const CHUNKS_A_ROUND = 100;
const PARTS_A_ROUND = 1000;
/** A chunk that only waits for unknown numbers is checked again after this. */
const LOOK_AGAIN_MS = 60_000;

/** Resolves unknown parts at their deadline. The quarantine calls this round `verify`. Returns true if there may be more. */
export async function giveUpUnknown({ sql, recorder, roundQuarantine }: SweepDeps, bucket: number): Promise<boolean> {
  const overdue = await readOverdueUnknown(sql, bucket, PARTS_A_ROUND, roundQuarantine.waitingTasks('verify', bucket));
  await roundQuarantine.run('verify', bucket, overdue, async (parts) => {
    const resolved = await readResolved(sql, bucket, parts, 'not_accepted');
    if (resolved.length > 0) await recordAll(recorder, resolved);
  });
  return overdue.length === PARTS_A_ROUND;
}

/** Expires accepted numbers whose final report is overdue. Returns true if there may be more. */
export async function expireReceipts(deps: SweepDeps, bucket: number): Promise<boolean> {
  const { sql, roundQuarantine } = deps;
  const due = await readExpired(sql, bucket, CHUNKS_A_ROUND, roundQuarantine.waitingTasks('expire', bucket));
  await roundQuarantine.run('expire', bucket, due, (chunks) => expireChunks(deps, bucket, chunks));
  return due.length === CHUNKS_A_ROUND;
}

async function expireChunks({ sql, recorder }: SweepDeps, bucket: number, due: readonly ChunkKey[]): Promise<void> {
  const chunks = new Map((await readChunksOfTasks(sql, bucket, due)).map((stored) => [stored.chunk.key, stored]));
  const missing = due.flatMap((key) => missingReceiptsOf(chunks.get(chunkKeyOf(key))));
  if (missing.length > 0) await recordAll(recorder, await withSubmissions(sql, bucket, due, missing));
  // The remaining chunks wait for unknown numbers, which have other deadlines.
  await postponeExpiry(sql, bucket, due, LOOK_AGAIN_MS);
}

function missingReceiptsOf(stored: StoredChunk | undefined): DeliveryEvent[] {
  if (stored === undefined) return [];
  const { chunk, state } = stored;
  const noReceipt = { event: { kind: 'no_receipt' }, code: 'no_receipt' } as const;
  return deliveryEventsOfNumbers(chunk, noReceipt, (index) => numberStateOf(state, index) === 'awaiting');
}

async function withSubmissions(
  sql: Sql,
  bucket: number,
  due: readonly ChunkKey[],
  deliveryEvents: readonly DeliveryEvent[],
): Promise<DeliveryEvent[]> {
  const submissions = await readSubmissions(sql, bucket, due);
  return deliveryEvents.map((deliveryEvent) => {
    const { chunk, index } = deliveryEvent;
    const submission = submissions.get(`${chunk.taskKey}/${chunk.numbers.seq[index]}`);
    return submission === undefined ? deliveryEvent : { ...deliveryEvent, ...submission };
  });
}
