// Applies a batch of delivery events, of any customers, and collects what must be written: states, wire records, receipts, counts and
// money. Every outcome of every number passes through here. No I/O: the caller holds the locks of the accounts, reads the inputs and
// writes the result.

import { type Chunk, chunkKeyOf, priceOf, type StoredChunk, taskKeyOf } from '../chunk/chunk.js';
import type { Applied, ChunkState, NumberChange } from '../chunk/chunk-state.js';
import {
  applyToPart,
  endUnsent,
  expireNumber,
  giveUpUnsent,
  isDeclined,
  isHandedOver,
  isMoved,
  isUntouched,
  moveDeclined,
  moveUntouched,
  PART,
  partStateOf,
  rejectUnsent,
  stopUnsent,
} from '../chunk/chunk-state.js';
import type { CustomerId } from '../id.js';
import type { Account } from '../money/ledger.js';
import type { NumberMove } from '../plan/failover.js';
import { isCancelled } from '../record/receipt-codes.js';
import type { Delivery, PartKey, Receipt, Submit, SubmitResolution, UnknownPart } from '../record/records.js';
import { isCharged } from '../task/billing.js';
import type { SettledTask } from '../task/task.js';
import { addToTally, startTally, type TaskTally } from '../task/task-tally.js';
import { type DeliveryEvent, deliveryOf, receiptOf, submitOf } from './delivery-event.js';

/** A batch of delivery events, and everything that it writes. */
export interface Settlement {
  readonly now: Date;
  readonly accounts: ReadonlyMap<CustomerId, Account>;
  readonly submits: Submit[];
  /** The results of parts whose submit was recorded as unknown. */
  readonly resolutions: SubmitResolution[];
  readonly deliveries: Delivery[];
  /** Reports that may be recorded already: they are compared with the stored ones first. */
  readonly lateDeliveries: Delivery[];
  readonly receipts: Receipt[];
  /** Receipts that were decided by an earlier report than the last: their code must be read. */
  readonly mixed: Receipt[];
  /** Receipts of numbers that were declined earlier and cannot fail over because of a later event: their code must be read. */
  readonly declinedBefore: Receipt[];
  /** Parts that become unknown. */
  readonly unknown: UnknownPart[];
  /** Parts that are no longer unknown. */
  readonly known: PartKey[];
  /** Rows of unmatched reports, to be deleted: the reports are in this batch. */
  readonly reportIds: bigint[];
  readonly refusedIntents: Set<DeliveryEvent>;
  /** Numbers that ended for what a rule found after they were prepared. */
  readonly found: DeliveryEvent[];
  /** Reports on parts whose answer is not recorded yet. They cannot be applied yet, and are retried. */
  readonly earlyReports: Set<DeliveryEvent>;
  /** Answers and reports on parts whose intent or answer was committed but is missing: the database lost commits. */
  readonly lostCommits: Set<DeliveryEvent>;
  readonly tasks: Map<string, TaskTally>;
  readonly chunks: Map<string, ChunkTally>;
  /** Numbers that move to new chunks on other channels, by their chunk and channel. */
  readonly moves: Map<string, NumberMove>;
}

/** The columns of a stored chunk that settlement needs, read under the lock of the account. */
export interface StoredState
  extends Pick<Chunk, 'customerId' | 'taskId' | 'chunkNo' | 'channelId' | 'expiresAt'>,
    Pick<ChunkState, 'partStates' | 'results'> {
  /** Null if it is not queued: then no intent for it is valid. */
  readonly queueNo: bigint | null;
}

/** For a chunk that was read as a whole. */
export function storedStateOf({ chunk, state }: StoredChunk): StoredState {
  return { ...chunk, ...state, queueNo: chunk.queueNo === 0n ? null : chunk.queueNo };
}

export interface ChunkTally {
  readonly stored: StoredState;
  readonly state: ChunkState;
  /** Whether `isHandedOver` was true before this batch. */
  readonly wasHandedOver: boolean;
  /** This batch changed its state. */
  changed: boolean;
  /** This batch granted intents. */
  hasIntents: boolean;
  /** A number was accepted: its wait for a receipt starts now. */
  startsReceiptWait: boolean;
  /** A part was withdrawn after the chunk was queued again and perhaps loaded without it: the chunk needs a new place. */
  needsNewPlace: boolean;
}

export function startSettlement(
  now: Date,
  accounts: ReadonlyMap<CustomerId, Account>,
  states: readonly StoredState[],
  tasks: readonly SettledTask[],
  deliveryEvents: readonly DeliveryEvent[],
): Settlement {
  const byKey = new Map<string, StoredState>();
  for (const row of states) byKey.set(chunkKeyOf(row), row);
  const chunks = new Map<string, ChunkTally>();
  for (const { chunk } of deliveryEvents) {
    if (chunks.has(chunk.key)) continue;
    const stored = byKey.get(chunk.key);
    // The chunk is deleted: all its numbers have receipts.
    if (stored === undefined) continue;
    const state = { offsets: chunk.offsets, partStates: stored.partStates, results: stored.results };
    chunks.set(chunk.key, {
      stored,
      state,
      wasHandedOver: isHandedOver(state),
      changed: false,
      hasIntents: false,
      startsReceiptWait: false,
      needsNewPlace: false,
    });
  }
  const tallies = new Map<string, TaskTally>();
  for (const task of tasks) tallies.set(taskKeyOf(task), startTally(task));
  return {
    now,
    accounts,
    submits: [],
    resolutions: [],
    deliveries: [],
    lateDeliveries: [],
    receipts: [],
    mixed: [],
    declinedBefore: [],
    unknown: [],
    known: [],
    reportIds: [],
    refusedIntents: new Set(),
    found: [],
    earlyReports: new Set(),
    lostCommits: new Set(),
    tasks: tallies,
    chunks,
    moves: new Map(),
  };
}

/**
 * An intent is granted only if the chunk is still in the place it was loaded from and has not expired; if it was moved to another
 * channel, paused or ended, the intent is refused. An intent whose number may no longer be sent is refused, and `instead` applied.
 * Facts from the wire may come twice.
 */
export function applyDeliveryEvent(
  batch: Settlement,
  deliveryEvent: DeliveryEvent,
  instead: DeliveryEvent | undefined = deliveryEvent.instead,
): void {
  const { chunk, index, part, event } = deliveryEvent;
  const tally = batch.chunks.get(chunk.key);
  if (event.kind === 'intended' && (tally === undefined || !isIntentValid(tally, deliveryEvent, batch.now))) {
    batch.refusedIntents.add(deliveryEvent);
    return;
  }
  if (instead !== undefined && tally !== undefined && isUntouched(tally.state, index)) {
    batch.refusedIntents.add(deliveryEvent);
    applyDeliveryEvent(batch, instead);
    if (instead.found !== undefined) batch.found.push(instead);
    return;
  }
  if (tally === undefined) {
    if (deliveryEvent.reportId !== undefined) batch.reportIds.push(deliveryEvent.reportId);
    // The chunk is deleted because all its numbers have receipts. An answer is recorded already; a report is kept as a record.
    if (event.kind === 'reported') batch.lateDeliveries.push(deliveryOf(deliveryEvent, event.status));
    return;
  }
  if (event.kind === 'reported' && isOfLaterAttempt(tally, deliveryEvent)) {
    if (deliveryEvent.reportId !== undefined) batch.reportIds.push(deliveryEvent.reportId);
    batch.lateDeliveries.push(deliveryOf(deliveryEvent, event.status));
    return;
  }
  // Only the channel that committed an intent takes it back. The chunk has moved since: an intent in it is another channel's.
  if (event.kind === 'withdrawn' && deliveryEvent.channelId !== tally.stored.channelId) return;
  const before = partStateOf(tally.state, index, part);
  if (event.kind === 'reported' && before === PART.intended && event.isAnswered !== true) {
    batch.earlyReports.add(deliveryEvent);
    return;
  }
  if (deliveryEvent.reportId !== undefined) batch.reportIds.push(deliveryEvent.reportId);
  const applied = applyEvent(tally.state, deliveryEvent);
  // An intent that exists already belongs to another process, which may be sending the part.
  const isGranted = applied !== 'duplicate' && partStateOf(tally.state, index, part) === PART.intended;
  if (event.kind === 'intended' && !isGranted) batch.refusedIntents.add(deliveryEvent);
  addRecords(batch, deliveryEvent, before, applied);
  if (applied === 'unchanged' || applied === 'duplicate') return;
  if (isLostCommit(deliveryEvent, before)) noteLostCommit(batch, deliveryEvent);
  tally.changed = true;
  if (event.kind === 'intended') tally.hasIntents = true;
  if (applied.from !== 'awaiting' && applied.to === 'awaiting') tally.startsReceiptWait = true;
  addConsequences(batch, deliveryEvent, applied);
  if (event.kind === 'rerouted') addMove(batch, deliveryEvent, tally, chunk.tried);
  if (event.kind === 'declined' || event.kind === 'withdrawn') failOver(batch, deliveryEvent, tally);
  if (event.kind === 'withdrawn') {
    const { queueNo } = tally.stored;
    if (queueNo !== null && queueNo !== chunk.queueNo) tally.needsNewPlace = true;
    endWithdrawn(batch, deliveryEvent);
  }
}

/** The number left this chunk, and a channel that it went on to reports on it: that says nothing about the attempt from here. */
function isOfLaterAttempt({ stored, state }: ChunkTally, { index, channelId }: DeliveryEvent): boolean {
  return isMoved(state, index) && channelId !== stored.channelId;
}

/** Nothing is sent before its intent is committed, and a report on an intended part is applied only if its answer was committed. */
function isLostCommit({ event }: DeliveryEvent, before: number): boolean {
  if (event.kind === 'reported') return before === PART.unsent || before === PART.intended;
  return before === PART.unsent && SUBMIT_STATUS[event.kind] !== undefined;
}

function noteLostCommit(batch: Settlement, deliveryEvent: DeliveryEvent): void {
  batch.lostCommits.add(deliveryEvent);
  const task = batch.tasks.get(deliveryEvent.chunk.taskKey);
  if (task !== undefined) task.hasLostCommits = true;
}

/** A message with parts sent is completed even after it expired: a single part is useless. */
function isIntentValid({ stored, state }: ChunkTally, { chunk, index }: DeliveryEvent, now: Date): boolean {
  const isInTime = stored.expiresAt === null || stored.expiresAt > now || !isUntouched(state, index);
  return stored.queueNo === chunk.queueNo && isInTime;
}

function applyEvent(state: ChunkState, { index, part, event }: DeliveryEvent): Applied {
  if (event.kind === 'no_receipt') return expireNumber(state, index);
  if (event.kind === 'rerouted') return moveUntouched(state, index);
  if (event.kind === 'stranded') return giveUpUnsent(state, index);
  if (event.kind === 'stopped') return stopUnsent(state, index);
  return event.kind === 'ended' ? endUnsent(state, index) : applyToPart(state, index, part, event);
}

/** Moves a number that this channel declined completely to the next channel, unless there is none or its task has ended. */
function failOver(batch: Settlement, deliveryEvent: DeliveryEvent, tally: ChunkTally): void {
  const { chunk, index, channelId, failoverChannel } = deliveryEvent;
  if (!isDeclined(tally.state, index)) return;
  if (failoverChannel === undefined || batch.tasks.get(chunk.taskKey)?.ending != null) {
    addConsequences(batch, deliveryEvent, rejectUnsent(tally.state, index));
    return;
  }
  moveDeclined(tally.state, index);
  addMove(batch, deliveryEvent, tally, [...chunk.tried, channelId]);
}

/**
 * Numbers of one chunk that move to the same channel in one transaction share a new chunk, if they have tried the same channels: a declined
 * number has tried one more than a rerouted one.
 */
function addMove(
  batch: Settlement,
  { chunk, index, failoverChannel }: DeliveryEvent,
  { stored }: ChunkTally,
  tried: readonly bigint[],
): void {
  if (failoverChannel === undefined) throw new Error(`a number of chunk ${chunk.key} moves without a channel`);
  const key = `${chunk.key} ${failoverChannel} ${tried.length}`;
  const move = batch.moves.get(key);
  if (move !== undefined) move.indices.push(index);
  else
    batch.moves.set(key, {
      from: chunk,
      to: failoverChannel,
      tried,
      isQueued: stored.queueNo !== null,
      indices: [index],
    });
}

/** A part that was in flight when its task ended was withdrawn: it was certainly not sent, and is not sent again. */
function endWithdrawn(batch: Settlement, { chunk, index, channelId }: DeliveryEvent): void {
  const code = batch.tasks.get(chunk.taskKey)?.ending;
  if (!code) return;
  const event = { kind: code === 'cancelled' ? 'stopped' : 'ended' } as const;
  applyDeliveryEvent(batch, { chunk, index, part: 1, event, channelId, code });
}

const SUBMIT_STATUS: { readonly [kind in DeliveryEvent['event']['kind']]?: Submit['status'] } = {
  accepted: 'accepted',
  refused: 'rejected',
  declined: 'rejected',
  unknown: 'unknown',
};

/** Events of a whole number, which resolve no part. */
const OF_NUMBERS: ReadonlySet<DeliveryEvent['event']['kind']> = new Set([
  'no_receipt',
  'ended',
  'stopped',
  'rerouted',
  'stranded',
] as const);

/** Events that resolve an unknown part as not accepted. All others prove that the carrier has it. */
const NOT_ACCEPTED: ReadonlySet<DeliveryEvent['event']['kind']> = new Set([
  'not_accepted',
  'refused',
  'declined',
] as const);

/** Events of another part after which a declined number cannot fail over. Their code is not the reason of the rejection. */
const BLOCKS_FAILOVER: ReadonlySet<DeliveryEvent['event']['kind']> = new Set([
  'accepted',
  'unknown',
  'withdrawn',
] as const);

/** Adds the wire records: one per answer and per report, none for repeated events. */
function addRecords(batch: Settlement, deliveryEvent: DeliveryEvent, before: number, applied: Applied): void {
  const { chunk, index, part, event } = deliveryEvent;
  const { customerId, taskId, numbers } = chunk;
  const seq = numbers.seq[index] ?? 0;
  const changed = applied !== 'unchanged' && applied !== 'duplicate';
  const answer = changed ? SUBMIT_STATUS[event.kind] : undefined;
  if (before === PART.unknown && changed && !OF_NUMBERS.has(event.kind)) {
    const status = NOT_ACCEPTED.has(event.kind) ? 'rejected' : 'accepted';
    // A late answer has the carrier's code.
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
  // The record of its answer was lost or never written: the report proves the acceptance.
  if (changed && isLostCommit(deliveryEvent, before)) {
    batch.submits.push(submitOf({ ...deliveryEvent, code: undefined }, 'accepted', batch.now));
  }
  // The state of a part that was refused, or reported otherwise, does not say whether this report was recorded before.
  const isFirst = changed || event.status === 'intermediate';
  (isFirst ? batch.deliveries : batch.lateDeliveries).push(deliveryOf(deliveryEvent, event.status));
}

/** Adds counts, receipt and money. */
function addConsequences(batch: Settlement, deliveryEvent: DeliveryEvent, change: NumberChange): void {
  const tally = batch.tasks.get(deliveryEvent.chunk.taskKey);
  // A batch of intents alone has no tasks: they change none.
  if (tally === undefined) return;
  const { chunk, index, event } = deliveryEvent;
  addToTally(tally, change, priceOf(chunk, index));
  if (change.result === undefined) return;
  const { terms } = tally.task;
  const receipt = receiptOf(deliveryEvent, change.result, terms !== null && isCharged(change, terms), change.accepted);
  if (isCancelled(receipt)) tally.cancelled += 1;
  if (event.kind === 'reported' && event.status !== change.result) batch.mixed.push(receipt);
  else if (change.result === 'rejected' && BLOCKS_FAILOVER.has(event.kind)) batch.declinedBefore.push(receipt);
  else batch.receipts.push(receipt);
}
