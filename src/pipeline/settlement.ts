// What follows from what happened to parts of one customer: states, wire records, receipts, counts and money, gathered
// before anything is written. No I/O: `settle.ts` reads what this needs and writes what comes out.

import { type BillingTerms, type Movement, movementsOf } from '../domain/billing.js';
import type { Applied, ChunkState, NumberChange, PartEvent } from '../domain/chunk-state.js';
import { applyToPart, expireNumber, isHandedOver, PART, partStateOf } from '../domain/chunk-state.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import type { Counts } from '../domain/stages.js';
import { type Chunk, type ChunkKey, priceOf, type StateRow } from '../store/chunk.js';
import type { NewDelivery, NewReceipt, NewSubmit, SubmitResolution } from '../store/history.js';
import type { TaskRecord } from '../store/task.js';
import type { UnknownPart } from '../store/unknown-part.js';

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

/** Everything that a batch of happenings writes, gathered before anything is written. */
export interface Settlement {
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

export interface TaskTally {
  readonly record: TaskRecord;
  readonly counts: { -readonly [K in keyof Counts]: Counts[K] };
  readonly money: Record<Movement, { amount: bigint; numbers: number }>;
  countsChanged: boolean;
}

export interface ChunkTally {
  readonly key: ChunkKey;
  readonly jobId: bigint;
  readonly channelId: bigint;
  readonly state: ChunkState;
  readonly wasHandedOver: boolean;
  changed: boolean;
  hasIntents: boolean;
  /** An unknown number turned out accepted: its wait for a receipt begins now. */
  waitsAnew: boolean;
}

export function startSettlement(
  customerId: CustomerId,
  now: Date,
  states: readonly StateRow[],
  records: readonly TaskRecord[],
  happenings: readonly Happening[],
): Settlement {
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
    chunks.set(key, {
      key: row,
      jobId,
      channelId,
      state,
      wasHandedOver,
      changed: false,
      hasIntents: false,
      waitsAnew: false,
    });
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

export function applyHappening(batch: Settlement, happening: Happening): void {
  const { chunk, index, part, event } = happening;
  if (happening.orphanId !== undefined) batch.orphanIds.push(happening.orphanId);
  const tally = batch.chunks.get(chunkKey(chunk));
  if (event.kind === 'intended' && tally?.channelId !== happening.channelId) {
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
  // Finding the intent there already means that an earlier try at this very transaction was committed after all.
  if (event.kind === 'intended' && partStateOf(tally.state, index, part) !== PART.intended) {
    batch.refusedIntents.add(happening);
  }
  addRecords(batch, happening, before, applied);
  if (applied === 'unchanged' || applied === 'duplicate') return;
  tally.changed = true;
  if (event.kind === 'intended') tally.hasIntents = true;
  if (applied.from === 'unknown' && applied.to === 'awaiting') tally.waitsAnew = true;
  addConsequences(batch, happening, applied);
}

/** The wire records of what happened: one per answer, one per report, none for what was known already. */
function addRecords(batch: Settlement, happening: Happening, before: number, applied: Applied): void {
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
function addConsequences(batch: Settlement, happening: Happening, change: NumberChange): void {
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

function keyOf(chunk: Chunk): ChunkKey {
  return { taskId: chunk.taskId, chunkNo: chunk.chunkNo };
}

export function chunkKey(key: ChunkKey): string {
  return `${key.taskId}/${key.chunkNo}`;
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
