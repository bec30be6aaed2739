// What time decides, by the database's clock: unknown numbers at their deadline count as not accepted, and accepted ones
// without a final report at the end of the receipt timeout as expired.

import { numberStateOf } from '../domain/chunk-state.js';
import { groupBy } from '../domain/group-by.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { readChunksOfTasks, type StoredChunk } from '../store/chunk.js';
import type { Sql } from '../store/connect.js';
import { readSubmitTimes } from '../store/history.js';
import { type DueChunk, deleteJobs, postponeExpiry, readExpired } from '../store/job.js';
import { readOverdueUnknown } from '../store/unknown-part.js';
import type { Recorder } from './recorder.js';
import { resolveUnknown } from './resolve-unknown.js';
import { chunkKey, type Happening } from './settlement.js';

export interface SweepDeps {
  readonly sql: Sql;
  readonly recorder: Recorder;
}

const CHUNKS_A_ROUND = 100;
const PARTS_A_ROUND = 1000;
/** A chunk that waits for unknown numbers only is looked at again after this. */
const LOOK_AGAIN_MS = 60_000;

/** One round of both; true when there may be more. */
export async function sweepRound(deps: SweepDeps): Promise<boolean> {
  const unknown = await giveUpUnknown(deps);
  const expired = await expireReceipts(deps);
  return unknown || expired;
}

async function giveUpUnknown(deps: SweepDeps): Promise<boolean> {
  const overdue = await readOverdueUnknown(deps.sql, PARTS_A_ROUND);
  for (const [customerId, parts] of groupBy(overdue, (part) => part.customerId)) {
    await resolveUnknown(deps, customerId, parts, 'not_accepted');
  }
  return overdue.length === PARTS_A_ROUND;
}

async function expireReceipts({ sql, recorder }: SweepDeps): Promise<boolean> {
  const due = await readExpired(sql, CHUNKS_A_ROUND);
  for (const [customerId, jobs] of groupBy(due, (job) => job.customerId)) {
    const chunks = await readByKey(sql, customerId, jobs);
    const awaited = jobs.flatMap((job) => awaitedOf(job, chunks));
    if (awaited.length > 0) await recorder.record(customerId, await withTimes(sql, customerId, awaited));
    await tidy(sql, jobs, chunks);
  }
  return due.length === CHUNKS_A_ROUND;
}

function awaitedOf(job: DueChunk, chunks: ReadonlyMap<string, StoredChunk>): Happening[] {
  const stored = chunks.get(chunkKey(job));
  if (stored === undefined) return [];
  const { chunk, state } = stored;
  return chunk.numbers.seq.flatMap((_, index): Happening[] =>
    numberStateOf(state, index) === 'awaiting'
      ? [{ chunk, index, part: 1, event: { kind: 'no_receipt' }, channelId: chunk.channelId, code: 'no_receipt' }]
      : [],
  );
}

async function withTimes(sql: Sql, customerId: CustomerId, happenings: readonly Happening[]): Promise<Happening[]> {
  const taskIds = [...new Set(happenings.map(({ chunk }) => chunk.taskId))];
  const times = await readSubmitTimes(sql, customerId, taskIds);
  return happenings.map((happening) => {
    const { chunk, index } = happening;
    const submittedAt = times.get(`${chunk.taskId} ${chunk.numbers.seq[index]}`);
    return submittedAt === undefined ? happening : { ...happening, submittedAt };
  });
}

/** Jobs of chunks that are gone go too; a chunk that is left waits for unknown numbers, which have deadlines of their own. */
async function tidy(sql: Sql, jobs: readonly DueChunk[], chunks: ReadonlyMap<string, StoredChunk>): Promise<void> {
  const isGone = (job: DueChunk) => !chunks.has(chunkKey(job));
  const gone = jobs.filter(isGone).map((job) => job.jobId);
  const left = jobs.filter((job) => !isGone(job)).map((job) => job.jobId);
  if (gone.length > 0) await deleteJobs(sql, gone);
  if (left.length > 0) await postponeExpiry(sql, left, LOOK_AGAIN_MS);
}

async function readByKey(
  sql: Sql,
  customerId: CustomerId,
  keys: readonly { readonly taskId: TaskId }[],
): Promise<Map<string, StoredChunk>> {
  const taskIds = [...new Set(keys.map((key) => key.taskId))];
  const chunks = await readChunksOfTasks(sql, customerId, taskIds);
  return new Map(chunks.map((stored) => [chunkKey(stored.chunk), stored]));
}
