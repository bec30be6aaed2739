// The state of each part and each number of a chunk, one byte each, and its transitions. Every event passes through `applyToPart` or one
// of the functions that end or move a number, so that a number gets one receipt and its money moves once, however often and in whatever
// order events arrive.

import type { DeliveryStatus, ReceiptResult } from '../record/records.js';

export const PART = {
  unsent: 0,
  /** The intent to send it is committed; it may be on the wire. */
  intended: 1,
  // By the answer of the carrier, or the loss of it.
  accepted: 2,
  refused: 3,
  unknown: 4,
  // By the final report.
  delivered: 5,
  undelivered: 6,
  expired: 7,
  rejected: 8,
  /** Refused with a code that allows failover. The number fails over only if the carrier has no other part (`isDeclined`). */
  declined: 9,
} as const;

const RESULTS: readonly (ReceiptResult | undefined)[] = [undefined, 'delivered', 'undelivered', 'expired', 'rejected'];
const RESULT_BYTE: Record<ReceiptResult, number> = { delivered: 1, undelivered: 2, expired: 3, rejected: 4 };
/** Instead of a result: the number moved to another chunk, and this one ignores it. */
const MOVED = 5;
/** The difference between the byte of a reported part and the byte of its result. */
const REPORT_OFFSET = PART.delivered - RESULT_BYTE.delivered;

export interface ChunkState {
  /** Index of each number's first part; the parts of number i are `offsets[i]` up to but not including `offsets[i + 1]`. */
  readonly offsets: Uint32Array;
  /** A `PART` for each part. */
  readonly partStates: Uint8Array;
  /** For each number: 0 while it has no receipt, else its result, or that it moved to another chunk. */
  readonly results: Uint8Array;
}

/** The state of a number, named as in the `counts` of a task. */
export type NumberState = 'unsent' | 'rejected' | 'unknown' | 'awaiting' | 'delivered' | 'undelivered' | 'expired';

export type PartEvent =
  | { readonly kind: 'intended' }
  /** It was certainly not sent: it may be intended again. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' }
  /** Refused, and the number may try another channel. */
  | { readonly kind: 'declined' }
  | { readonly kind: 'unknown' }
  /** An unknown part was not accepted, or counts as such at its deadline. */
  | { readonly kind: 'not_accepted' }
  | {
      readonly kind: 'reported';
      readonly status: DeliveryStatus;
      /** The answer was committed before. If the row does not show it, the database lost the commit. */
      readonly isAnswered?: boolean;
    };

export interface NumberChange {
  readonly from: NumberState;
  readonly to: NumberState;
  /** With this change all parts are accepted. */
  readonly becameAccepted: boolean;
  /** Whether all parts were ever accepted: with `charge_on=submit` the number was charged. */
  readonly accepted: boolean;
  /** Set if this change decides the receipt. */
  readonly result: ReceiptResult | undefined;
}

/** `duplicate`: the event was applied before. `unchanged`: it arrived too late to have an effect. */
export type Applied = NumberChange | 'unchanged' | 'duplicate';

export function newChunkState(partCounts: readonly number[]): ChunkState {
  const offsets = offsetsOf(partCounts);
  return {
    offsets,
    partStates: new Uint8Array(offsets[partCounts.length] ?? 0),
    results: new Uint8Array(partCounts.length),
  };
}

export function offsetsOf(partCounts: readonly number[]): Uint32Array {
  const offsets = new Uint32Array(partCounts.length + 1);
  let next = 0;
  for (const [index, count] of partCounts.entries()) {
    offsets[index] = next;
    next += count;
  }
  offsets[partCounts.length] = next;
  return offsets;
}

export function partStateOf(chunk: ChunkState, index: number, part: number): number {
  return chunk.partStates[(chunk.offsets[index] ?? 0) + part - 1] ?? PART.unsent;
}

export function resultOf(chunk: ChunkState, index: number): ReceiptResult | undefined {
  return RESULTS[chunk.results[index] ?? 0];
}

/** A number that moved reads as unsent, as it left: its present chunk says where it stands. */
export function numberStateOf(chunk: ChunkState, index: number): NumberState {
  if (isMoved(chunk, index)) return 'unsent';
  const result = resultOf(chunk, index);
  if (result !== undefined) return result;
  let isUnknown = false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    const state = chunk.partStates[at] ?? 0;
    // A number counts as handed over only when all parts are: otherwise the stage would have to go back.
    if (state === PART.unsent || state === PART.intended || state === PART.declined) return 'unsent';
    if (state === PART.unknown) isUnknown = true;
  }
  return isUnknown ? 'unknown' : 'awaiting';
}

/** Whether all numbers have receipts, and no part is on the wire or unknown. */
export function isFinished(chunk: ChunkState): boolean {
  const { results, partStates } = chunk;
  return !results.includes(0) && !partStates.includes(PART.intended) && !partStates.includes(PART.unknown);
}

/** Whether every part has an answer, or is never sent because its number has a receipt. */
export function isHandedOver(chunk: ChunkState): boolean {
  if (!chunk.partStates.includes(PART.unsent) && !chunk.partStates.includes(PART.intended)) return true;
  for (let index = 0; index < chunk.results.length; index++) {
    for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
      const state = chunk.partStates[at];
      if (state === PART.intended || (state === PART.unsent && chunk.results[index] === 0)) return false;
    }
  }
  return true;
}

/** Whether a message is in progress: some of its parts were sent and others were not. */
export function hasBegunMessage(chunk: ChunkState): boolean {
  for (let index = 0; index < chunk.results.length; index++) {
    const [first, end] = [chunk.offsets[index] ?? 0, chunk.offsets[index + 1] ?? 0];
    if (chunk.results[index] !== 0 || end - first < 2) continue;
    const parts = chunk.partStates.subarray(first, end);
    if (parts.includes(PART.unsent) && parts.some((state) => state !== PART.unsent)) return true;
  }
  return false;
}

/** Applies an event to a part (numbered from 1) and changes the chunk in place. */
export function applyToPart(chunk: ChunkState, index: number, part: number, event: PartEvent): Applied {
  const at = (chunk.offsets[index] ?? 0) + part - 1;
  const state = chunk.partStates[at] ?? 0;
  // The rest of a message that cannot be completed on this channel is not sent.
  if (event.kind === 'intended' && (chunk.results[index] !== 0 || hasPart(chunk, index, PART.declined))) {
    return 'unchanged';
  }
  const next = nextPartState(state, event);
  if (next === 'unchanged' || next === 'duplicate') return next;
  const isOver = isMoved(chunk, index) || (state === PART.unsent && chunk.results[index] !== 0);
  if (isOver) return recordOnly(chunk, index, at, next);
  const from = numberStateOf(chunk, index);
  const hasReceipt = chunk.results[index] !== 0;
  const wasAccepted = isAcceptedNumber(chunk, index);
  chunk.partStates[at] = next;
  const accepted = isAcceptedNumber(chunk, index);
  const result = hasReceipt ? undefined : resultOfParts(chunk, index);
  if (result !== undefined) chunk.results[index] = RESULT_BYTE[result];
  // A number that was cancelled while a part was on the wire has had its money back, even if all of it turns out to be sent.
  const becameAccepted = accepted && !wasAccepted && !hasReceipt;
  return { from, to: numberStateOf(chunk, index), becameAccepted, accepted, result };
}

/** The number has its receipt or moved to another chunk, which decides it. A part that was sent all the same changes only its own state. */
function recordOnly(chunk: ChunkState, index: number, at: number, next: number): Applied {
  if (next === PART.intended || next === PART.unknown) return 'unchanged';
  chunk.partStates[at] = next;
  const state = resultOf(chunk, index) ?? 'unsent';
  return { from: state, to: state, becameAccepted: false, accepted: false, result: undefined };
}

/** No final report arrived in time. Applies to accepted numbers only. */
export function expireNumber(chunk: ChunkState, index: number): Applied {
  if (numberStateOf(chunk, index) !== 'awaiting') return 'unchanged';
  chunk.results[index] = RESULT_BYTE.expired;
  return { from: 'awaiting', to: 'expired', becameAccepted: false, accepted: true, result: 'expired' };
}

/** Whether no part of the number was sent, or may have been. */
export function isUntouched(chunk: ChunkState, index: number): boolean {
  if (chunk.results[index] !== 0) return false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    if (chunk.partStates[at] !== PART.unsent) return false;
  }
  return true;
}

/** The number is never sent. */
export function rejectUnsent(chunk: ChunkState, index: number): NumberChange {
  chunk.results[index] = RESULT_BYTE.rejected;
  return { from: 'unsent', to: 'rejected', becameAccepted: false, accepted: false, result: 'rejected' };
}

/** Whether a part was refused, or resolved as not accepted: in the second case the carrier may have it and report on it. */
export function hasRefusedPart(chunk: ChunkState, index: number): boolean {
  return hasPart(chunk, index, PART.refused) || hasPart(chunk, index, PART.declined);
}

/** The task expired. A message in progress is completed, because a single part is useless. */
export function endUnsent(chunk: ChunkState, index: number): Applied {
  if (!isUntouched(chunk, index)) return 'unchanged';
  return rejectUnsent(chunk, index);
}

/**
 * Nothing more of the number is sent, the rest of a message in progress included. It can never be complete, so it is rejected at once:
 * answers to parts that are on the wire are recorded and change nothing of that.
 */
export function stopUnsent(chunk: ChunkState, index: number): Applied {
  if (chunk.results[index] !== 0 || !hasPart(chunk, index, PART.unsent)) return 'unchanged';
  return rejectUnsent(chunk, index);
}

/**
 * Whether a part was declined and the carrier certainly has no other part: the number fails over or is rejected. False while
 * another part is unanswered.
 */
export function isDeclined(chunk: ChunkState, index: number): boolean {
  if (chunk.results[index] !== 0 || !hasPart(chunk, index, PART.declined)) return false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    if (chunk.partStates[at] !== PART.declined && chunk.partStates[at] !== PART.unsent) return false;
  }
  return true;
}

/** The number moves to another chunk. Its task counts it as unsent, as before. */
export function moveDeclined(chunk: ChunkState, index: number): void {
  chunk.results[index] = MOVED;
}

/**
 * The channel has been gone for too long: nothing more is sent, messages in progress included. Numbers with parts on the wire or unknown
 * are left until those are settled.
 */
export function giveUpUnsent(chunk: ChunkState, index: number): Applied {
  if (chunk.results[index] !== 0 || !hasPart(chunk, index, PART.unsent)) return 'unchanged';
  if (hasPart(chunk, index, PART.intended) || hasPart(chunk, index, PART.unknown)) return 'unchanged';
  return rejectUnsent(chunk, index);
}

/** Moves a number of which nothing was sent to another chunk. */
export function moveUntouched(chunk: ChunkState, index: number): Applied {
  if (!isUntouched(chunk, index)) return 'unchanged';
  chunk.results[index] = MOVED;
  return { from: 'unsent', to: 'unsent', becameAccepted: false, accepted: false, result: undefined };
}

export function isMoved(chunk: ChunkState, index: number): boolean {
  return chunk.results[index] === MOVED;
}

function hasPart(chunk: ChunkState, index: number, wanted: number): boolean {
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    if (chunk.partStates[at] === wanted) return true;
  }
  return false;
}

/**
 * Facts from the wire win over the row. An answer or a report proves that the part was sent, even if the row says `unsent` because the
 * database lost the commit of the intent: the part must not be sent again.
 */
function nextPartState(state: number, event: PartEvent): number | 'unchanged' | 'duplicate' {
  const isOpen = state === PART.intended || state === PART.unsent;
  switch (event.kind) {
    case 'intended':
      return state === PART.unsent ? PART.intended : 'duplicate';
    case 'withdrawn':
      return state === PART.intended ? PART.unsent : 'duplicate';
    case 'accepted':
      return isOpen || state === PART.unknown ? PART.accepted : 'duplicate';
    case 'refused':
      return isOpen || state === PART.unknown ? PART.refused : 'duplicate';
    case 'declined':
      // Unknown numbers do not fail over.
      if (state === PART.unknown) return PART.refused;
      return isOpen ? PART.declined : 'duplicate';
    case 'unknown':
      return isOpen ? PART.unknown : 'duplicate';
    case 'not_accepted':
      return state === PART.unknown ? PART.refused : 'duplicate';
    case 'reported':
      return stateAfterReport(state, event.status, event.isAnswered === true);
  }
}

function stateAfterReport(state: number, status: DeliveryStatus, isAnswered: boolean) {
  // Any report proves that the carrier has the part, even if its answer was lost.
  const isProof = state === PART.unsent || state === PART.unknown || (state === PART.intended && isAnswered);
  if (status === 'intermediate') return isProof ? PART.accepted : 'unchanged';
  const reported = RESULT_BYTE[status] + REPORT_OFFSET;
  if (isProof || state === PART.accepted) return reported;
  return state === reported ? 'duplicate' : 'unchanged';
}

function isAcceptedPart(state: number): boolean {
  return state === PART.accepted || (state >= PART.delivered && state <= PART.rejected);
}

function isAcceptedNumber(chunk: ChunkState, index: number): boolean {
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    if (!isAcceptedPart(chunk.partStates[at] ?? 0)) return false;
  }
  return true;
}

/**
 * A refused part rejects the number, and so does a declined part if the carrier has, or may have, another. Otherwise the result is
 * known when all parts are reported.
 */
function resultOfParts(chunk: ChunkState, index: number): ReceiptResult | undefined {
  /** The first final report other than `delivered`, if there is one, decides the result. */
  let deciding: number = PART.delivered;
  let allReported = true;
  let hasDeclined = false;
  /** The carrier has a part, or may have it. */
  let mayBeTaken = false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    const state = chunk.partStates[at] ?? 0;
    if (state === PART.refused) return 'rejected';
    if (state === PART.declined) hasDeclined = true;
    else if (state > PART.intended) mayBeTaken = true;
    if (state < PART.delivered) allReported = false;
    else if (deciding === PART.delivered) deciding = state;
  }
  if (hasDeclined) return mayBeTaken ? 'rejected' : undefined;
  return allReported ? RESULTS[deciding - REPORT_OFFSET] : undefined;
}
