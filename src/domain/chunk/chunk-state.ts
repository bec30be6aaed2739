// What is known of each part and each number of a chunk, one byte each, and how it changes. Everything that happens to
// a number passes through `applyToPart` or one of the functions that end it or let it go on elsewhere, so that a number gets one
// receipt and its money moves once, however often and in whatever order the news arrives.

import type { ReceiptResult } from '../task/stages.js';

export const PART = {
  unsent: 0,
  /** The intent to send it is committed; it may be on the wire. */
  intended: 1,
  accepted: 2,
  refused: 3,
  unknown: 4,
  delivered: 5,
  undelivered: 6,
  expired: 7,
  rejected: 8,
  /** Refused in a way that lets the number try another channel, where this one has nothing of it. */
  declined: 9,
} as const;

const RESULTS: readonly (ReceiptResult | undefined)[] = [undefined, 'delivered', 'undelivered', 'expired', 'rejected'];
const RESULT_BYTE: Record<ReceiptResult, number> = { delivered: 1, undelivered: 2, expired: 3, rejected: 4 };
/** In place of a result: the number goes on in another chunk, and nothing more can happen to it in this one. */
const MOVED = 5;
/** A part's final report and the receipt result it stands for lie this far apart. */
const REPORT_OFFSET = PART.delivered - RESULT_BYTE.delivered;

/** What a delivery report says of its part. */
export type DeliveryStatus = ReceiptResult | 'intermediate';

export interface ChunkState {
  /** Index of each number's first part, and one past the last: a number's parts are `offsets[i] … offsets[i + 1]`. */
  readonly offsets: Uint32Array;
  readonly partStates: Uint8Array;
  readonly results: Uint8Array;
}

/** How a number counts in its task. The names are those of the contract's `counts`. */
export type NumberState = 'unsent' | 'rejected' | 'unknown' | 'awaiting' | 'delivered' | 'undelivered' | 'expired';

export type PartEvent =
  | { readonly kind: 'intended' }
  /** It certainly never left: it may be intended again. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' }
  /** Refused, and the number may try another channel. */
  | { readonly kind: 'declined' }
  | { readonly kind: 'unknown' }
  /** An unknown part that turned out, or by its deadline counts as, never accepted. */
  | { readonly kind: 'not_accepted' }
  | {
      readonly kind: 'reported';
      readonly status: DeliveryStatus;
      /** The answer to the part was committed before. Where the row does not show it, the database has lost it. */
      readonly isAnswered?: boolean;
    };

export interface NumberChange {
  readonly from: NumberState;
  readonly to: NumberState;
  /** All parts are known to be with the upstream, and were not before. */
  readonly becameAccepted: boolean;
  /** Whether all parts ever were accepted: what `charge_on=submit` has charged for. */
  readonly accepted: boolean;
  /** The receipt, when this change brought it. */
  readonly result: ReceiptResult | undefined;
}

/** The event repeats what is known, or comes too late to change anything. */
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

export function numberStateOf(chunk: ChunkState, index: number): NumberState {
  const result = resultOf(chunk, index);
  if (result !== undefined) return result;
  let isUnknown = false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    const state = chunk.partStates[at] ?? 0;
    // Handed over only when all parts are: a stage that moved on for one part would have to go back for the next.
    if (state === PART.unsent || state === PART.intended || state === PART.declined) return 'unsent';
    if (state === PART.unknown) isUnknown = true;
  }
  return isUnknown ? 'unknown' : 'awaiting';
}

/** Whether nothing more can happen to any number, nor is any part still on the wire or waiting to be known. */
export function isFinished(chunk: ChunkState): boolean {
  const { results, partStates } = chunk;
  return !results.includes(0) && !partStates.includes(PART.intended) && !partStates.includes(PART.unknown);
}

/** Whether every part has had its answer, or will never be sent because its number has its receipt. */
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

/** Whether some number is in the middle of being handed over: parts of it have gone, and others are still to go. */
export function hasBegunMessage(chunk: ChunkState): boolean {
  for (let index = 0; index < chunk.results.length; index++) {
    const [first, end] = [chunk.offsets[index] ?? 0, chunk.offsets[index + 1] ?? 0];
    if (chunk.results[index] !== 0 || end - first < 2) continue;
    const parts = chunk.partStates.subarray(first, end);
    if (parts.includes(PART.unsent) && parts.some((state) => state !== PART.unsent)) return true;
  }
  return false;
}

/** Applies what happened to one part (numbered from 1) of one number, changing the chunk in place. */
export function applyToPart(chunk: ChunkState, index: number, part: number, event: PartEvent): Applied {
  const at = (chunk.offsets[index] ?? 0) + part - 1;
  const state = chunk.partStates[at] ?? 0;
  // What is left of a message that cannot be completed here any more is not sent.
  if (event.kind === 'intended' && (chunk.results[index] !== 0 || hasPart(chunk, index, PART.declined))) {
    return 'unchanged';
  }
  const next = nextPartState(state, event);
  if (next === 'unchanged' || next === 'duplicate') return next;
  if (state === PART.unsent && chunk.results[index] !== 0) return recordOnly(chunk, index, at, next);
  const from = numberStateOf(chunk, index);
  const wasAccepted = isAcceptedNumber(chunk, index);
  chunk.partStates[at] = next;
  const accepted = isAcceptedNumber(chunk, index);
  const result = chunk.results[index] === 0 ? resultOfParts(chunk, index) : undefined;
  if (result !== undefined) chunk.results[index] = RESULT_BYTE[result];
  return { from, to: numberStateOf(chunk, index), becameAccepted: accepted && !wasAccepted, accepted, result };
}

/** The number has its receipt, or goes on elsewhere: its money has moved, and a part that was sent all the same moves none. */
function recordOnly(chunk: ChunkState, index: number, at: number, next: number): Applied {
  if (next === PART.intended || next === PART.unknown) return 'unchanged';
  chunk.partStates[at] = next;
  const state = resultOf(chunk, index) ?? 'unsent';
  return { from: state, to: state, becameAccepted: false, accepted: false, result: undefined };
}

/** No final report came in time. Applies to numbers that the upstream accepted and nothing is known of since. */
export function expireNumber(chunk: ChunkState, index: number): Applied {
  if (numberStateOf(chunk, index) !== 'awaiting') return 'unchanged';
  chunk.results[index] = RESULT_BYTE.expired;
  return { from: 'awaiting', to: 'expired', becameAccepted: false, accepted: true, result: 'expired' };
}

/** Whether nothing of the number was handed over, nor may have been. */
export function isUntouched(chunk: ChunkState, index: number): boolean {
  if (chunk.results[index] !== 0) return false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    if (chunk.partStates[at] !== PART.unsent) return false;
  }
  return true;
}

/** The receipt of a number that the upstream will not get. */
export function rejectUnsent(chunk: ChunkState, index: number): NumberChange {
  chunk.results[index] = RESULT_BYTE.rejected;
  return { from: 'unsent', to: 'rejected', becameAccepted: false, accepted: false, result: 'rejected' };
}

/** A part of it was refused, or given up: then the upstream may have it all the same, and speak of it. */
export function hasRefusedPart(chunk: ChunkState, index: number): boolean {
  return hasPart(chunk, index, PART.refused);
}

/** It is not to be sent any more. A message that was begun is finished: a part of it alone is of no use to anybody. */
export function endUnsent(chunk: ChunkState, index: number): Applied {
  if (!isUntouched(chunk, index)) return 'unchanged';
  return rejectUnsent(chunk, index);
}

/**
 * Whether a part of the number was declined and the upstream has nothing of it, nor may have: it goes on elsewhere now, or is
 * rejected. While the answer to another part is out, that is not known yet.
 */
export function isDeclined(chunk: ChunkState, index: number): boolean {
  if (chunk.results[index] !== 0 || !hasPart(chunk, index, PART.declined)) return false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    if (chunk.partStates[at] !== PART.declined && chunk.partStates[at] !== PART.unsent) return false;
  }
  return true;
}

/** The number goes on in another chunk. In its task it is unsent, as it was. */
export function moveDeclined(chunk: ChunkState, index: number): void {
  chunk.results[index] = MOVED;
}

/**
 * Nothing more of it can be handed over, a message that was begun included. What may be on the wire, or is in doubt, is waited
 * for.
 */
export function giveUpUnsent(chunk: ChunkState, index: number): Applied {
  if (chunk.results[index] !== 0 || !hasPart(chunk, index, PART.unsent)) return 'unchanged';
  if (hasPart(chunk, index, PART.intended) || hasPart(chunk, index, PART.unknown)) return 'unchanged';
  return rejectUnsent(chunk, index);
}

/** A number that nobody has tried to send goes on in another chunk. */
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
 * Facts from the wire win over the row. An answer or a report proves that the part was sent, also where the row says `unsent`
 * because the database has lost the commit of the intent: the part must not go again.
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
      // A number that was unknown does not try another channel.
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
  // Any report proves that the upstream has the part, also where its answer was lost.
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
 * One refused part makes the message undeliverable, and so does a declined one where the upstream has, or may have, another;
 * otherwise all parts must have been reported.
 */
function resultOfParts(chunk: ChunkState, index: number): ReceiptResult | undefined {
  let worst: number = PART.delivered;
  let allReported = true;
  let hasDeclined = false;
  let isTaken = false;
  for (let at = chunk.offsets[index] ?? 0, end = chunk.offsets[index + 1] ?? 0; at < end; at++) {
    const state = chunk.partStates[at] ?? 0;
    if (state === PART.refused) return 'rejected';
    if (state === PART.declined) hasDeclined = true;
    else if (state > PART.intended) isTaken = true;
    if (state < PART.delivered) allReported = false;
    else if (worst === PART.delivered) worst = state;
  }
  if (hasDeclined) return isTaken ? 'rejected' : undefined;
  return allReported ? RESULTS[worst - REPORT_OFFSET] : undefined;
}
