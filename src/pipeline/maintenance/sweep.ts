// Applies deadlines, by the database's clock: unknown numbers become not accepted, and accepted numbers without a final report expire.

import { type ChunkKey, chunkKeyOf, type StoredChunk } from '../../domain/chunk/chunk.js';
import { numberStateOf } from '../../domain/chunk/chunk-state.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from '../../domain/outcome/delivery-event.js';
import { readChunksOfTasks } from '../../store/chunk/chunk.js';
import { type DueChunk, postponeExpiry, readExpired } from '../../store/chunk/expiry.js';
import type { Sql } from '../../store/sql.js';
import { type AcceptedSubmission, readSubmissions } from '../../store/wire/records.js';
import { readOverdueUnknown } from '../../store/wire/unknown-part.js';
import type { Quarantine } from '../quarantine/quarantine.js';
import { type Recorder, recordAll } from '../settle/recorder.js';
import { readResolved } from '../settle/resolve-unknown.js';
import type { SettleLimits } from '../settle/settle.js';

export interface SweepDeps {
  readonly sql: Sql;
  readonly recorder: Recorder;
  readonly quarantine: Quarantine;
  readonly limits: Pick<SettleLimits, 'receiptTimeoutMs'>;
}

const CHUNKS_A_ROUND = 100;
const PARTS_A_ROUND = 1000;
/** The numbers of a slow chunk become overdue one by one: it is looked at no more often than this. */
const MIN_LOOK_MS = 60_000;

/** Resolves unknown parts at their deadline. The quarantine calls this round `verify`. Returns true if there may be more. */
export async function giveUpUnknown(
  { sql, recorder, quarantine }: Omit<SweepDeps, 'limits'>,
  bucket: number,
): Promise<boolean> {
  const overdue = await readOverdueUnknown(sql, bucket, PARTS_A_ROUND, quarantine.waitingTasks('verify', bucket));
  await quarantine.run('verify', bucket, overdue, async (parts) => {
    const resolved = await readResolved(sql, bucket, parts, 'not_accepted');
    if (resolved.length > 0) await recordAll(recorder, resolved);
  });
  return overdue.length === PARTS_A_ROUND;
}

/** Expires accepted numbers whose final report is overdue. Returns true if there may be more. */
export async function expireReceipts(deps: SweepDeps, bucket: number): Promise<boolean> {
  const { sql, quarantine } = deps;
  const due = await readExpired(sql, bucket, CHUNKS_A_ROUND, quarantine.waitingTasks('expire', bucket));
  await quarantine.run('expire', bucket, due, async (chunks) => {
    await expireChunks(deps, bucket, chunks);
  });
  return due.length === CHUNKS_A_ROUND;
}

async function expireChunks(
  { sql, recorder, limits }: SweepDeps,
  bucket: number,
  due: readonly DueChunk[],
): Promise<void> {
  const chunks = new Map((await readChunksOfTasks(sql, bucket, due)).map((stored) => [stored.chunk.key, stored]));
  const submissions = await readSubmissions(sql, bucket, due);
  const looks = due.map((key) => lookAt(key, chunks.get(chunkKeyOf(key)), submissions, limits.receiptTimeoutMs));
  const missing = looks.flatMap(({ deliveryEvents }) => deliveryEvents);
  if (missing.length > 0) await recordAll(recorder, missing);
  await postponeExpiry(sql, bucket, looks);
}

interface Look extends ChunkKey {
  /** Of the numbers whose receipts are overdue. */
  readonly deliveryEvents: readonly DeliveryEvent[];
  /** When the next number may be overdue. */
  readonly dueAt: Date;
}

/** Each number waits from its own acceptance, whatever the others of its chunk do. */
function lookAt(
  key: DueChunk,
  stored: StoredChunk | undefined,
  submissions: ReadonlyMap<string, AcceptedSubmission>,
  timeoutMs: number,
): Look {
  const now = key.readAt.getTime();
  // A number that is accepted after this look is not overdue before.
  let next = now + timeoutMs;
  const deliveryEvents =
    stored === undefined
      ? []
      : awaitingOf(stored).flatMap((deliveryEvent): DeliveryEvent[] => {
          const { chunk, index } = deliveryEvent;
          const { acceptedAt, ...submission } = submissions.get(`${chunk.taskKey}/${chunk.numbers.seq[index]}`) ?? {};
          const overdueAt = (acceptedAt?.getTime() ?? 0) + timeoutMs;
          if (overdueAt <= now) return [{ ...deliveryEvent, ...submission }];
          next = Math.min(next, overdueAt);
          return [];
        });
  return { ...key, deliveryEvents, dueAt: new Date(Math.max(next, now + Math.min(MIN_LOOK_MS, timeoutMs / 10))) };
}

function awaitingOf({ chunk, state }: StoredChunk): DeliveryEvent[] {
  const noReceipt = { event: { kind: 'no_receipt' }, code: 'no_receipt' } as const;
  return deliveryEventsOfNumbers(chunk, noReceipt, (index) => numberStateOf(state, index) === 'awaiting');
}
