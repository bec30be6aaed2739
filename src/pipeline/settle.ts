// What happened to parts of one customer, turned into everything that follows from it in one transaction: states, wire
// records, receipts, counts, stages and money. Every outcome of every number passes through here.

import { isFinished, isHandedOver } from '../domain/chunk-state.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { type Money, moneyFromMillionths } from '../domain/money.js';
import { stageOf } from '../domain/stages.js';
import { type Account, type Entry, lockAccount, moveHolds, postEntries, writeEntries } from '../store/account.js';
import type { Lease } from '../store/channel-lease.js';
import { type ChunkKey, deleteChunks, readChunkStates, writeChunkStates } from '../store/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import {
  insertDeliveries,
  insertLateDeliveries,
  insertReceipts,
  insertSubmits,
  type NewReceipt,
  readReports,
  resolveSubmits,
} from '../store/history.js';
import { deleteJobs, turnIntoExpiry } from '../store/job.js';
import { deleteOrphans } from '../store/orphan-delivery.js';
import { runTogether } from '../store/run-together.js';
import { readTasks, updateTasks } from '../store/task.js';
import { deleteUnknownParts, insertUnknownParts } from '../store/unknown-part.js';
import {
  applyHappening,
  type ChunkTally,
  chunkKey,
  type Happening,
  type Settlement,
  startSettlement,
  type TaskTally,
} from './settlement.js';
import { nextTimeline } from './timeline.js';

export interface SettleLimits {
  readonly receiptTimeoutMs: number;
  readonly unknownTimeoutMs: number;
}

/**
 * Applies what happened, in the order given. `leases` are those under which the news was obtained; a lost one refuses the
 * whole batch. Everything may be applied twice: what is known already changes nothing. Returns the intents that are not
 * granted, because their chunk has gone another way: those parts must not be sent.
 */
export async function settle(
  sql: Sql,
  customerId: CustomerId,
  happenings: readonly Happening[],
  leases: readonly Lease[],
  limits: SettleLimits,
): Promise<ReadonlySet<Happening>> {
  const taskIds = distinctTasks(happenings);
  return await sql.begin(async (tx) => {
    // The reads see what is true under the lock: each statement has a snapshot of its own, and these come after it.
    const [account, states, records] = await Promise.all([
      lockAccount(tx, customerId, leases),
      readChunkStates(tx, customerId, distinctChunks(happenings)),
      taskIds.length > 0 ? readTasks(tx, customerId, taskIds) : [],
    ]);
    const batch = startSettlement(customerId, account.now, states, records, happenings);
    for (const happening of happenings) applyHappening(batch, happening);
    await writeBatch(tx, batch, account, limits);
    return batch.refusedIntents;
  });
}

/** Intents and withdrawals change nothing that a task shows. */
function distinctTasks(happenings: readonly Happening[]): TaskId[] {
  const taskIds = new Set<TaskId>();
  for (const { event, chunk } of happenings) {
    if (event.kind !== 'intended' && event.kind !== 'withdrawn') taskIds.add(chunk.taskId);
  }
  return [...taskIds];
}

function distinctChunks(happenings: readonly Happening[]): ChunkKey[] {
  const keys = new Map<string, ChunkKey>();
  for (const { chunk } of happenings) keys.set(chunkKey(chunk), { taskId: chunk.taskId, chunkNo: chunk.chunkNo });
  return [...keys.values()];
}

async function writeBatch(tx: AnySql, batch: Settlement, account: Account, limits: SettleLimits): Promise<void> {
  const { customerId, now } = batch;
  const finished: ChunkTally[] = [];
  const open: ChunkTally[] = [];
  for (const chunk of batch.chunks.values()) if (chunk.changed) (isFinished(chunk.state) ? finished : open).push(chunk);
  const handedOver = open.filter((c) => (isHandedOver(c.state) && !c.wasHandedOver) || c.waitsAnew).map((c) => c.jobId);
  const { entries, movements } = moneyOf(batch);
  const { account: after, posted } = postEntries(account, entries);
  const later = (ms: number) => new Date(now.getTime() + ms);
  if (batch.mixed.length > 0) batch.receipts.push(...(await withReasons(tx, batch)));
  const updates = [...batch.tasks.values()].filter((task) => task.countsChanged).map((task) => updateOf(task, now));
  await runTogether(tx, [
    batch.submits.length > 0 && insertSubmits(tx, customerId, batch.submits),
    batch.deliveries.length > 0 && insertDeliveries(tx, customerId, batch.deliveries, now),
    batch.receipts.length > 0 && insertReceipts(tx, customerId, batch.receipts, now),
    batch.unknown.length > 0 && insertUnknownParts(tx, customerId, batch.unknown, now, later(limits.unknownTimeoutMs)),
    open.length > 0 && writeChunkStates(tx, customerId, open, now),
    finished.length > 0 &&
      deleteChunks(
        tx,
        customerId,
        finished.map((chunk) => chunk.key),
      ),
    finished.length > 0 &&
      deleteJobs(
        tx,
        finished.map((chunk) => chunk.jobId),
      ),
    handedOver.length > 0 && turnIntoExpiry(tx, handedOver, later(limits.receiptTimeoutMs)),
    updates.length > 0 && updateTasks(tx, customerId, updates, now),
    movements.length > 0 && moveHolds(tx, customerId, movements),
    batch.orphanIds.length > 0 && deleteOrphans(tx, batch.orphanIds),
    ...writeEntries(tx, after, posted),
  ]);
  // A part may have become unknown in this very batch, and statements that run together do not see each other's rows.
  await runTogether(tx, [
    batch.resolutions.length > 0 && resolveSubmits(tx, customerId, batch.resolutions, now),
    batch.known.length > 0 && deleteUnknownParts(tx, customerId, batch.known),
  ]);
  if (batch.lateDeliveries.length > 0) await insertLateDeliveries(tx, customerId, batch.lateDeliveries, now);
}

/** A long message that failed shows the code and time of the part that failed, whichever part was reported last. */
async function withReasons(tx: AnySql, { customerId, mixed, deliveries }: Settlement): Promise<NewReceipt[]> {
  const stored = await readReports(tx, customerId, mixed);
  return mixed.map((receipt) => {
    const reason = [...stored, ...deliveries].find(
      ({ taskId, seq, status }) => taskId === receipt.taskId && seq === receipt.seq && status === receipt.result,
    );
    return reason === undefined ? receipt : { ...receipt, code: reason.code, doneAt: reason.doneAt };
  });
}

/** One entry per task and type, in the order in which the money moves: charges before refunds. */
function moneyOf(batch: Settlement) {
  const entries: Entry[] = [];
  const movements: { taskId: TaskId; charged: Money; released: Money; refunded: Money }[] = [];
  for (const { record, money } of batch.tasks.values()) {
    const { taskId } = record;
    for (const type of ['charge', 'release', 'refund'] as const) {
      const { amount, numbers } = money[type];
      if (numbers > 0) entries.push({ type, amount: moneyFromMillionths(amount), taskId, numbers });
    }
    const [charged, released, refunded] = [money.charge.amount, money.release.amount, money.refund.amount];
    if (charged + released + refunded > 0n) {
      movements.push({
        taskId,
        charged: moneyFromMillionths(charged),
        released: moneyFromMillionths(released),
        refunded: moneyFromMillionths(refunded),
      });
    }
  }
  return { entries, movements };
}

function updateOf(task: TaskTally, now: Date) {
  const { record, counts } = task;
  const stage = stageOf(counts);
  return {
    taskId: record.taskId,
    stage,
    insufficientFunds: record.insufficientFunds,
    frozenAt: record.frozenAt,
    price: record.price,
    counts,
    timeline: nextTimeline(record.timeline, [stage], now),
    completedAt: stage === 'completed' ? (record.completedAt ?? now) : null,
  };
}
