// What happened to parts of one customer, turned into everything that follows from it in one transaction: states, wire
// records, receipts, counts, stages and money. Every outcome of every number passes through here.

import { type BillingTerms, type Movement, movementsOf } from '../domain/billing.js';
import type { Applied, ChunkState, NumberChange, PartEvent } from '../domain/chunk-state.js';
import {
  applyToPart,
  expireNumber,
  isFinished,
  isHandedOver,
  PART,
  partStateOf,
  resultOf,
} from '../domain/chunk-state.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { type Money, moneyFromMillionths } from '../domain/money.js';
import { type Counts, stageOf } from '../domain/stages.js';
import { type Account, type Entry, lockAccount, moveHolds, postEntries, writeEntries } from '../store/account.js';
import type { Lease } from '../store/channel-lease.js';
import type { Chunk, ChunkKey } from '../store/chunk.js';
import { deleteChunks, priceOf, readChunkStates, type StateRow, writeChunkStates } from '../store/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import type { NewDelivery, NewReceipt, NewSubmit, SubmitResolution } from '../store/history.js';
import {
  insertDeliveries,
  insertLateDeliveries,
  insertReceipts,
  insertSubmits,
  readReports,
  resolveSubmits,
} from '../store/history.js';
import { deleteJobs, turnIntoExpiry } from '../store/job.js';
import { deleteOrphans } from '../store/orphan-delivery.js';
import { runTogether } from '../store/run-together.js';
import type { TaskRecord } from '../store/task.js';
import { readTasks, updateTasks } from '../store/task.js';
import type { UnknownPart } from '../store/unknown-part.js';
import { deleteUnknownParts, insertUnknownParts } from '../store/unknown-part.js';
import { nextTimeline } from './timeline.js';

/** Something that happened to one part of one number. */
export interface Happening {
  readonly chunk: Chunk;
  readonly index: number;
  /** From 1. */
  readonly part: number;
  readonly event: PartEvent | { readonly kind: 'no_receipt' };
  readonly channelId: bigint;
  /** The upstream's own code, or ours. */
  readonly code?: string | undefined;
  readonly messageId?: string | undefined;
  /** When the part went on the wire, in milliseconds since the epoch. */
  readonly submittedAt?: number | undefined;
  /** The carrier's time. */
  readonly doneAt?: Date | undefined;
  /** The kept report this is, to be removed with it. */
  readonly orphanId?: bigint | undefined;
}

export interface SettleLimits {
  readonly receiptTimeoutMs: number;
  readonly unknownTimeoutMs: number;
}

/** Everything that a batch of happenings writes, gathered before anything is written. */
interface Batch {
  readonly customerId: CustomerId;
  readonly now: Date;
  readonly submits: NewSubmit[];
  readonly resolutions: SubmitResolution[];
  readonly deliveries: NewDelivery[];
  readonly lateDeliveries: NewDelivery[];
  readonly receipts: NewReceipt[];
  /** Receipts whose last report is not the one that decided them: a part before it failed. */
  readonly mixed: NewReceipt[];
  readonly unknown: UnknownPart[];
  readonly known: { taskId: TaskId; seq: number; part: number }[];
  readonly orphanIds: bigint[];
  readonly refusedIntents: Set<Happening>;
  readonly tasks: Map<TaskId, TaskTally>;
  readonly chunks: Map<string, ChunkTally>;
}

interface TaskTally {
  readonly record: TaskRecord;
  readonly counts: { -readonly [K in keyof Counts]: Counts[K] };
  readonly money: Record<Movement, { amount: bigint; numbers: number }>;
  countsChanged: boolean;
}

interface ChunkTally {
  readonly key: ChunkKey;
  readonly jobId: bigint;
  readonly channelId: bigint;
  readonly state: ChunkState;
  readonly wasHandedOver: boolean;
  changed: boolean;
  /** An unknown number turned out accepted: its wait for a receipt begins now. */
  waitsAnew: boolean;
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
    const batch = startBatch(customerId, account.now, states, records, happenings);
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

function chunkKey(key: ChunkKey): string {
  return `${key.taskId}/${key.chunkNo}`;
}

function startBatch(
  customerId: CustomerId,
  now: Date,
  states: readonly StateRow[],
  records: readonly TaskRecord[],
  happenings: readonly Happening[],
): Batch {
  const offsets = new Map(happenings.map(({ chunk }) => [chunkKey(chunk), chunk.offsets]));
  const chunks = new Map<string, ChunkTally>();
  for (const row of states) {
    const key = chunkKey(row);
    const state = {
      offsets: offsets.get(key) ?? new Uint32Array(1),
      partStates: row.partStates,
      results: row.results,
    };
    const wasHandedOver = isHandedOver(state);
    const { jobId, channelId } = row;
    chunks.set(key, { key: row, jobId, channelId, state, wasHandedOver, changed: false, waitsAnew: false });
  }
  const tasks = new Map<TaskId, TaskTally>();
  for (const record of records) {
    const money = {
      charge: { amount: 0n, numbers: 0 },
      release: { amount: 0n, numbers: 0 },
      refund: { amount: 0n, numbers: 0 },
    };
    tasks.set(record.taskId, { record, counts: { ...record.counts }, money, countsChanged: false });
  }
  const lists = {
    submits: [],
    resolutions: [],
    deliveries: [],
    lateDeliveries: [],
    receipts: [],
    mixed: [],
    unknown: [],
  };
  return { customerId, now, ...lists, known: [], orphanIds: [], refusedIntents: new Set(), tasks, chunks };
}

function applyHappening(batch: Batch, happening: Happening): void {
  const { chunk, index, part, event } = happening;
  if (happening.orphanId !== undefined) batch.orphanIds.push(happening.orphanId);
  const tally = batch.chunks.get(chunkKey(chunk));
  if (event.kind === 'intended' && !isGranted(tally, happening)) {
    batch.refusedIntents.add(happening);
    return;
  }
  if (tally === undefined) {
    // All its numbers have their receipts. An answer is known then; a report is kept as a record.
    if (event.kind === 'reported') batch.lateDeliveries.push(deliveryOf(happening, event.status));
    return;
  }
  const before = partStateOf(tally.state, index, part);
  const applied =
    event.kind === 'no_receipt' ? expireNumber(tally.state, index) : applyToPart(tally.state, index, part, event);
  addRecords(batch, happening, before, applied);
  if (applied === 'unchanged' || applied === 'duplicate') return;
  tally.changed = true;
  if (applied.from === 'unknown' && applied.to === 'awaiting') tally.waitsAnew = true;
  addConsequences(batch, happening, applied);
}

/**
 * A part may go out if its chunk is still on this channel, its number has no receipt, and nobody has tried it. Finding the
 * intent there already means that an earlier try at this very transaction was committed after all.
 */
function isGranted(tally: ChunkTally | undefined, { channelId, index, part }: Happening): boolean {
  if (tally === undefined || tally.channelId !== channelId || resultOf(tally.state, index) !== undefined) return false;
  const state = partStateOf(tally.state, index, part);
  return state === PART.unsent || state === PART.intended;
}

/** The wire records of what happened: one per answer, one per report, none for what was known already. */
function addRecords(batch: Batch, happening: Happening, before: number, applied: Applied): void {
  const { chunk, index, part, event } = happening;
  const seq = chunk.numbers.seq[index] ?? 0;
  const changed = applied !== 'unchanged' && applied !== 'duplicate';
  if (before === PART.unknown && changed && event.kind !== 'no_receipt') {
    const status = event.kind === 'not_accepted' ? 'rejected' : 'accepted';
    // An upstream that answers late has a code of its own.
    const code = event.kind === 'not_accepted' ? (happening.code ?? 'not_accepted') : null;
    const upstreamMessageId = happening.messageId ?? null;
    batch.resolutions.push({ taskId: chunk.taskId, seq, part, status, code, upstreamMessageId });
    batch.known.push({ taskId: chunk.taskId, seq, part });
  } else if (changed && (event.kind === 'accepted' || event.kind === 'refused' || event.kind === 'unknown')) {
    batch.submits.push(submitOf(happening, event.kind === 'refused' ? 'rejected' : event.kind, batch.now));
    if (event.kind === 'unknown') {
      const phoneKey = chunk.numbers.to[index] ?? '';
      batch.unknown.push({ ...keyOf(chunk), seq, part, channelId: happening.channelId, phoneKey });
    }
  }
  if (event.kind === 'reported' && applied !== 'duplicate') batch.deliveries.push(deliveryOf(happening, event.status));
}

/** Counts, receipt and money. */
function addConsequences(batch: Batch, happening: Happening, change: NumberChange): void {
  const task = batch.tasks.get(happening.chunk.taskId);
  if (task === undefined) return;
  if (change.from !== change.to) {
    task.counts[change.from] -= 1;
    task.counts[change.to] += 1;
    task.countsChanged = true;
  }
  if (change.result !== undefined) {
    const { event } = happening;
    const isMixed = event.kind === 'reported' && event.status !== change.result;
    (isMixed ? batch.mixed : batch.receipts).push(receiptOf(happening, change.result));
  }
  const { terms } = task.record;
  if (terms !== null) addMoney(task, happening, change, terms);
}

function addMoney(task: TaskTally, happening: Happening, change: NumberChange, terms: BillingTerms): void {
  const price = priceOf(happening.chunk, happening.index);
  if (price === 0n) return;
  for (const movement of movementsOf(change, terms)) {
    task.money[movement].amount += price;
    task.money[movement].numbers += 1;
  }
}

async function writeBatch(tx: AnySql, batch: Batch, account: Account, limits: SettleLimits): Promise<void> {
  const { customerId, now } = batch;
  const changed = [...batch.chunks.values()].filter((chunk) => chunk.changed);
  const finished = changed.filter((chunk) => isFinished(chunk.state));
  const open = changed.filter((chunk) => !isFinished(chunk.state));
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
    open.length > 0 && writeChunkStates(tx, customerId, open),
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
async function withReasons(tx: AnySql, { customerId, mixed, deliveries }: Batch): Promise<NewReceipt[]> {
  const stored = await readReports(tx, customerId, mixed);
  return mixed.map((receipt) => {
    const reason = [...stored, ...deliveries].find(
      ({ taskId, seq, status }) => taskId === receipt.taskId && seq === receipt.seq && status === receipt.result,
    );
    return reason === undefined ? receipt : { ...receipt, code: reason.code, doneAt: reason.doneAt };
  });
}

/** One entry per task and type, in the order in which the money moves: charges before refunds. */
function moneyOf(batch: Batch) {
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

function keyOf(chunk: Chunk): ChunkKey {
  return { taskId: chunk.taskId, chunkNo: chunk.chunkNo };
}

// Written out field by field: these are made for every part, and copying objects into objects costs more than the rest.

function submitOf(happening: Happening, status: NewSubmit['status'], now: Date): NewSubmit {
  const { chunk, index } = happening;
  const { numbers } = chunk;
  return {
    taskId: chunk.taskId,
    seq: numbers.seq[index] ?? 0,
    part: happening.part,
    parts: numbers.parts[index] ?? 0,
    channelId: happening.channelId,
    phoneKey: numbers.to[index] ?? '',
    phone: numbers.phone[index] ?? '',
    firm: chunk.firm,
    status,
    code: happening.code ?? null,
    upstreamMessageId: happening.messageId ?? null,
    submittedAt: happening.submittedAt ?? now.getTime(),
    answeredAt: status === 'unknown' ? null : now,
  };
}

function deliveryOf(happening: Happening, status: NewDelivery['status']): NewDelivery {
  const { chunk, index } = happening;
  const { numbers } = chunk;
  return {
    taskId: chunk.taskId,
    seq: numbers.seq[index] ?? 0,
    part: happening.part,
    parts: numbers.parts[index] ?? 0,
    phoneKey: numbers.to[index] ?? '',
    phone: numbers.phone[index] ?? '',
    firm: chunk.firm,
    status,
    code: happening.code ?? null,
    upstreamMessageId: happening.messageId ?? null,
    doneAt: happening.doneAt ?? null,
  };
}

function receiptOf(happening: Happening, result: NewReceipt['result']): NewReceipt {
  const { chunk, index, submittedAt } = happening;
  const { numbers } = chunk;
  return {
    taskId: chunk.taskId,
    seq: numbers.seq[index] ?? 0,
    parts: numbers.parts[index] ?? 0,
    phoneKey: numbers.to[index] ?? '',
    price: priceOf(chunk, index),
    phone: numbers.phone[index] ?? '',
    firm: chunk.firm,
    result,
    code: happening.code ?? null,
    submittedAt: submittedAt === undefined ? null : new Date(submittedAt),
    doneAt: happening.doneAt ?? null,
  };
}
