// What follows from what happened to parts, of any customers: states, wire records, receipts, counts and money, gathered
// before anything is written. Every outcome of every number passes through here. No I/O: the caller reads what this needs,
// under the locks of the accounts concerned, and writes what comes out.

import { type Chunk, priceOf, type StoredChunk } from '../chunk/chunk.js';
import type { Applied, ChunkState, NumberChange } from '../chunk/chunk-state.js';
import {
  applyToPart,
  endUnsent,
  expireNumber,
  giveUpUnsent,
  isDeclined,
  isHandedOver,
  isUntouched,
  moveDeclined,
  moveUntouched,
  PART,
  partStateOf,
  rejectUnsent,
} from '../chunk/chunk-state.js';
import type { CustomerId } from '../id.js';
import { isCharged } from '../money/billing.js';
import type { Account } from '../money/ledger.js';
import type { NumberMove } from '../plan/failover.js';
import type { Task } from '../task/task.js';
import { addToTally, startTally, type TaskTally } from '../task/task-tally.js';
import { type DeliveryEvent, deliveryOf, receiptOf, submitOf } from './delivery-event.js';
import type { Delivery, PartKey, Receipt, Submit, SubmitResolution, UnknownPart } from './records.js';

/** Everything that a batch of delivery events writes, gathered before anything is written. */
export interface Settlement {
  readonly now: Date;
  /** An earlier try at this very batch may have been committed. */
  readonly isRetry: boolean;
  readonly accounts: ReadonlyMap<CustomerId, Account>;
  readonly submits: Submit[];
  readonly resolutions: SubmitResolution[];
  readonly deliveries: Delivery[];
  readonly lateDeliveries: Delivery[];
  readonly receipts: Receipt[];
  /** Receipts whose last report is not the one that decided them: a part before it failed. */
  readonly mixed: Receipt[];
  /** Receipts of numbers that were declined earlier, and that other news kept where they are. */
  readonly declinedBefore: Receipt[];
  readonly unknown: UnknownPart[];
  readonly known: PartKey[];
  readonly orphanIds: bigint[];
  readonly refusedIntents: Set<DeliveryEvent>;
  /** Reports on parts whose answer is not recorded yet: applied now they would say nothing, and their news be lost. */
  readonly earlyReports: Set<DeliveryEvent>;
  /** Answers and reports on parts whose intent or answer was committed and is not in the row: the database has lost commits. */
  readonly lostCommits: Set<DeliveryEvent>;
  readonly tasks: Map<string, TaskTally>;
  readonly chunks: Map<string, ChunkTally>;
  /** Numbers that go on in other chunks, by the chunk that they are in and where they go. */
  readonly moves: Map<string, NumberMove>;
}

/** What of a stored chunk decides, read under its customer's lock. */
export interface StoredState
  extends Pick<Chunk, 'customerId' | 'taskId' | 'chunkNo' | 'channelId' | 'expiresAt'>,
    Pick<ChunkState, 'partStates' | 'results'> {
  /** Null when it is not up for dispatch: then it is in no place that anybody can have loaded it from. */
  readonly queueNo: bigint | null;
}

/** The same of a chunk that was read whole. */
export function storedStateOf({ chunk, state }: StoredChunk): StoredState {
  return { ...chunk, ...state, queueNo: chunk.queueNo === 0n ? null : chunk.queueNo };
}

export interface ChunkTally {
  readonly stored: StoredState;
  readonly state: ChunkState;
  readonly wasHandedOver: boolean;
  changed: boolean;
  hasIntents: boolean;
  /** An unknown number turned out accepted: its wait for a receipt begins now. */
  waitsAnew: boolean;
  /** A part came back to a chunk that has been put up anew meanwhile: whoever loaded it passed that part over. */
  goesAnew: boolean;
}

export function startSettlement(
  now: Date,
  accounts: ReadonlyMap<CustomerId, Account>,
  states: readonly StoredState[],
  tasks: readonly Task[],
  deliveryEvents: readonly DeliveryEvent[],
  isRetry = false,
): Settlement {
  const byPlace = new Map<string, StoredState>();
  for (const row of states) byPlace.set(`${row.customerId}/${row.taskId}/${row.chunkNo}`, row);
  const chunks = new Map<string, ChunkTally>();
  for (const { chunk } of deliveryEvents) {
    const stored = chunks.has(chunk.key) ? undefined : byPlace.get(chunk.key);
    if (stored === undefined) continue;
    const state = { offsets: chunk.offsets, partStates: stored.partStates, results: stored.results };
    const wasHandedOver = isHandedOver(state);
    const unchanged = { changed: false, hasIntents: false, waitsAnew: false, goesAnew: false };
    chunks.set(chunk.key, { stored, state, wasHandedOver, ...unchanged });
  }
  const tallies = new Map<string, TaskTally>();
  for (const task of tasks) tallies.set(`${task.customerId}/${task.taskId}`, startTally(task));
  const records = { submits: [], resolutions: [], deliveries: [], lateDeliveries: [], receipts: [] };
  const unexplained = { mixed: [], declinedBefore: [] };
  const parts = {
    unknown: [],
    known: [],
    orphanIds: [],
    refusedIntents: new Set<DeliveryEvent>(),
    earlyReports: new Set<DeliveryEvent>(),
    lostCommits: new Set<DeliveryEvent>(),
  };
  return { now, isRetry, accounts, ...records, ...unexplained, ...parts, tasks: tallies, chunks, moves: new Map() };
}

/**
 * What is known already changes nothing, so a batch may be applied twice. An intent is granted only where the chunk is
 * still in the place it was loaded from, and in time: one that was moved to another channel, paused or ended refuses it.
 */
export function applyDeliveryEvent(batch: Settlement, deliveryEvent: DeliveryEvent): void {
  const { chunk, index, part, event } = deliveryEvent;
  const tally = batch.chunks.get(chunk.key);
  if (event.kind === 'intended' && (tally === undefined || !mayGo(tally, deliveryEvent, batch.now))) {
    batch.refusedIntents.add(deliveryEvent);
    if (tally !== undefined && batch.isRetry) giveUpIntended(batch, tally, deliveryEvent);
    return;
  }
  if (tally === undefined) {
    if (deliveryEvent.orphanId !== undefined) batch.orphanIds.push(deliveryEvent.orphanId);
    // All its numbers have their receipts. An answer is known then; a report is kept as a record.
    if (event.kind === 'reported') batch.lateDeliveries.push(deliveryOf(deliveryEvent, event.status));
    return;
  }
  const before = partStateOf(tally.state, index, part);
  if (event.kind === 'reported' && before === PART.intended && event.isAnswered !== true) {
    batch.earlyReports.add(deliveryEvent);
    return;
  }
  if (deliveryEvent.orphanId !== undefined) batch.orphanIds.push(deliveryEvent.orphanId);
  const applied = applyEvent(tally.state, deliveryEvent);
  // Found there already, an intent is another's, who may be sending the part. Only where this very batch was tried before,
  // and nobody knows whether that was committed, it is our own.
  const isGranted = applied !== 'duplicate' || batch.isRetry;
  if (event.kind === 'intended' && !(isGranted && partStateOf(tally.state, index, part) === PART.intended)) {
    batch.refusedIntents.add(deliveryEvent);
  }
  addRecords(batch, deliveryEvent, before, applied);
  if (applied === 'unchanged' || applied === 'duplicate') return;
  if (isLostCommit(deliveryEvent, before)) noteLostCommit(batch, deliveryEvent);
  tally.changed = true;
  if (event.kind === 'intended') tally.hasIntents = true;
  if (applied.from === 'unknown' && applied.to === 'awaiting') tally.waitsAnew = true;
  addConsequences(batch, deliveryEvent, applied);
  if (event.kind === 'rerouted') addMove(batch, deliveryEvent, tally, chunk.tried);
  if (event.kind === 'declined' || event.kind === 'withdrawn') goOnElsewhere(batch, deliveryEvent, tally);
  if (event.kind === 'withdrawn') {
    const { queueNo } = tally.stored;
    if (queueNo !== null && queueNo !== chunk.queueNo) tally.goesAnew = true;
    endReturned(batch, deliveryEvent);
  }
}

/** Nothing is sent before its intent is committed, and a report that needs no answer has its answer committed before it. */
function isLostCommit({ event }: DeliveryEvent, before: number): boolean {
  if (event.kind === 'reported') return before === PART.unsent || before === PART.intended;
  return before === PART.unsent && SUBMIT_STATUS[event.kind] !== undefined;
}

function noteLostCommit(batch: Settlement, deliveryEvent: DeliveryEvent): void {
  batch.lostCommits.add(deliveryEvent);
  const task = batch.tasks.get(deliveryEvent.chunk.taskKey);
  if (task !== undefined) task.hasLostCommits = true;
}

/** A message that was begun is finished, also when its time is up: a part of it alone is of no use to anybody. */
function mayGo({ stored, state }: ChunkTally, { chunk, index }: DeliveryEvent, now: Date): boolean {
  const isInTime = stored.expiresAt === null || stored.expiresAt > now || !isUntouched(state, index);
  return stored.queueNo === chunk.queueNo && isInTime;
}

/**
 * The first try at this batch was committed, its answer was lost, and the chunk has been taken from its place since. Whoever
 * meant to send the part does not, and nobody else would ever say what became of it.
 */
function giveUpIntended(batch: Settlement, { state }: ChunkTally, deliveryEvent: DeliveryEvent): void {
  const { index, part } = deliveryEvent;
  if (partStateOf(state, index, part) !== PART.intended) return;
  applyDeliveryEvent(batch, { ...deliveryEvent, event: { kind: 'unknown' }, code: 'process_ended' });
}

function applyEvent(state: ChunkState, { index, part, event }: DeliveryEvent): Applied {
  if (event.kind === 'no_receipt') return expireNumber(state, index);
  if (event.kind === 'rerouted') return moveUntouched(state, index);
  if (event.kind === 'stranded') return giveUpUnsent(state, index);
  return event.kind === 'ended' ? endUnsent(state, index) : applyToPart(state, index, part, event);
}

/** A number that this channel has declined, and has nothing of, tries the next one, unless there is none or its task has ended. */
function goOnElsewhere(batch: Settlement, deliveryEvent: DeliveryEvent, tally: ChunkTally): void {
  const { chunk, index, channelId, failoverChannel } = deliveryEvent;
  if (!isDeclined(tally.state, index)) return;
  if (failoverChannel === undefined || batch.tasks.get(chunk.taskKey)?.ending != null) {
    addConsequences(batch, deliveryEvent, rejectUnsent(tally.state, index));
    return;
  }
  moveDeclined(tally.state, index);
  addMove(batch, deliveryEvent, tally, [...chunk.tried, channelId]);
}

/** Numbers of one chunk that go the same way in one transaction go together. */
function addMove(
  batch: Settlement,
  { chunk, index, failoverChannel }: DeliveryEvent,
  { stored }: ChunkTally,
  tried: readonly bigint[],
): void {
  if (failoverChannel === undefined) throw new Error(`a number of chunk ${chunk.key} goes on and nobody says where`);
  const key = `${chunk.key} ${failoverChannel} ${tried.length}`;
  const move = batch.moves.get(key);
  if (move !== undefined) move.indices.push(index);
  else
    batch.moves.set(key, { from: chunk, to: failoverChannel, tried, isUp: stored.queueNo !== null, indices: [index] });
}

/** A part that was under way when its task ended came back: it certainly never left, so it does not go again. */
function endReturned(batch: Settlement, { chunk, index, channelId }: DeliveryEvent): void {
  const code = batch.tasks.get(chunk.taskKey)?.ending;
  if (code) applyDeliveryEvent(batch, { chunk, index, part: 1, event: { kind: 'ended' }, channelId, code });
}

const SUBMIT_STATUS: { readonly [kind in DeliveryEvent['event']['kind']]?: Submit['status'] } = {
  accepted: 'accepted',
  refused: 'rejected',
  declined: 'rejected',
  unknown: 'unknown',
};

/** What an unknown part turns out by as not accepted; everything else proves that the upstream has it. */
const NOT_ACCEPTED: ReadonlySet<DeliveryEvent['event']['kind']> = new Set([
  'not_accepted',
  'refused',
  'declined',
] as const);

/** News of another part that keep a declined number where it is: they do not say why it is rejected. */
const KEEPING: ReadonlySet<DeliveryEvent['event']['kind']> = new Set(['accepted', 'unknown', 'withdrawn'] as const);

/** The wire records of what happened: one per answer, one per report, none for what was known already. */
function addRecords(batch: Settlement, deliveryEvent: DeliveryEvent, before: number, applied: Applied): void {
  const { chunk, index, part, event } = deliveryEvent;
  const { customerId, taskId, numbers } = chunk;
  const seq = numbers.seq[index] ?? 0;
  const changed = applied !== 'unchanged' && applied !== 'duplicate';
  const answer = changed ? SUBMIT_STATUS[event.kind] : undefined;
  if (before === PART.unknown && changed && event.kind !== 'no_receipt' && event.kind !== 'ended') {
    const status = NOT_ACCEPTED.has(event.kind) ? 'rejected' : 'accepted';
    // An upstream that answers late has a code of its own.
    const code = status === 'rejected' ? (deliveryEvent.code ?? 'not_accepted') : null;
    const upstreamMessageId = deliveryEvent.messageId ?? null;
    batch.resolutions.push({ customerId, taskId, seq, part, status, code, upstreamMessageId });
    batch.known.push({ customerId, taskId, seq, part });
  } else if (answer !== undefined) {
    batch.submits.push(submitOf(deliveryEvent, answer, batch.now));
    if (answer === 'unknown') {
      const phoneKey = numbers.to[index] ?? '';
      const { channelId } = deliveryEvent;
      batch.unknown.push({ customerId, taskId, chunkNo: chunk.chunkNo, seq, part, channelId, phoneKey });
    }
  }
  if (event.kind !== 'reported' || applied === 'duplicate') return;
  // The record of its answer was lost with the commit, or never made: the report stands for it.
  if (changed && isLostCommit(deliveryEvent, before)) {
    batch.submits.push(submitOf({ ...deliveryEvent, code: undefined }, 'accepted', batch.now));
  }
  // The state of a part that was given up, or reported otherwise, does not tell whether this report came before.
  const isFirst = changed || event.status === 'intermediate';
  (isFirst ? batch.deliveries : batch.lateDeliveries).push(deliveryOf(deliveryEvent, event.status));
}

/** Counts, receipt and money. */
function addConsequences(batch: Settlement, deliveryEvent: DeliveryEvent, change: NumberChange): void {
  const tally = batch.tasks.get(deliveryEvent.chunk.taskKey);
  if (tally === undefined) return;
  const { chunk, index, event } = deliveryEvent;
  addToTally(tally, change, priceOf(chunk, index));
  if (change.result === undefined) return;
  const { terms } = tally.task;
  const receipt = receiptOf(deliveryEvent, change.result, terms !== null && isCharged(change, terms), change.accepted);
  if (event.kind === 'reported' && event.status !== change.result) batch.mixed.push(receipt);
  else if (change.result === 'rejected' && KEEPING.has(event.kind)) batch.declinedBefore.push(receipt);
  else batch.receipts.push(receipt);
}
