// A number as a plain record of what was said of its parts, from which everything else is derived. The state machine in
// bytes is held against it, alone and through the database.

import type { NumberState, PartEvent } from '../../../src/domain/chunk/chunk-state.js';
import type { ReceiptResult } from '../../../src/domain/record/records.js';

export interface ModelPart {
  /** Whether it may be on the wire, or was. */
  sent: boolean;
  answer: 'none' | 'accepted' | 'refused' | 'declined' | 'unknown';
  report: ReceiptResult | undefined;
}

export interface ModelNumber {
  readonly parts: ModelPart[];
  /** The outcome of its parts on the channels that refused it. */
  readonly earlier: ModelPart[][];
  /** It continues on another channel, and is not followed here any more. */
  isMoved: boolean;
  result: ReceiptResult | undefined;
  /** Reports decided it, and not a refusal or a time limit. */
  isReported: boolean;
}

export type NumberEvent =
  | PartEvent
  | { readonly kind: 'no_receipt' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'stranded' };

export function newNumber(parts: number): ModelNumber {
  return { parts: newParts(parts), earlier: [], isMoved: false, result: undefined, isReported: false };
}

function newParts(count: number): ModelPart[] {
  return Array.from({ length: count }, () => ({ sent: false, answer: 'none', report: undefined }));
}

/** It begins anew on another channel. */
export function tryAnew(number: ModelNumber): void {
  const fresh = newParts(number.parts.length);
  number.earlier.push(number.parts.splice(0, fresh.length, ...fresh));
}

/** Some part was declined, and the channel has nothing of the number, nor may have. */
export function isDeclined({ parts, result, isMoved }: ModelNumber): boolean {
  const isFree = parts.every(({ sent, answer }) => answer === 'declined' || (answer === 'none' && !sent));
  return result === undefined && !isMoved && isFree && parts.some(({ answer }) => answer === 'declined');
}

/** `part` counts from 1. */
export function tellNumber(number: ModelNumber, part: number, event: NumberEvent): void {
  if (event.kind === 'no_receipt') {
    if (stateOf(number) === 'awaiting') number.result = 'expired';
    return;
  }
  if (event.kind === 'ended') {
    if (isUntouched(number)) number.result = 'rejected';
    return;
  }
  if (event.kind === 'stopped') {
    const isIncomplete = number.parts.some(({ sent, answer }) => !sent && answer === 'none');
    if (number.result === undefined && !number.isMoved && isIncomplete) number.result = 'rejected';
    return;
  }
  if (event.kind === 'stranded') {
    const isInDoubt = number.parts.some(({ sent, answer }) => answer === 'unknown' || (sent && answer === 'none'));
    if (stateOf(number) === 'unsent' && !number.isMoved && !isInDoubt) number.result = 'rejected';
    return;
  }
  const told = number.parts[part - 1];
  if (told === undefined) throw new Error(`the number has no part ${part}`);
  // Nothing more is sent to a number that has its receipt, or that is not wanted here.
  const isOver = number.result !== undefined || number.isMoved;
  if (event.kind === 'intended' && (isOver || number.parts.some(({ answer }) => answer === 'declined'))) return;
  tellPart(told, event, isOver);
  if (isOver) return;
  number.result = outcomeOf(number);
  number.isReported = number.result !== undefined && event.kind === 'reported';
}

function tellPart(part: ModelPart, event: PartEvent, isOver: boolean): void {
  const isOnTheWire = part.sent && part.answer === 'none';
  const isUnsent = !part.sent && part.answer === 'none';
  switch (event.kind) {
    case 'intended':
      part.sent = true;
      return;
    case 'withdrawn':
      if (isOnTheWire) part.sent = false;
      return;
    case 'accepted':
    case 'refused':
    case 'declined':
      if (part.answer === 'none') part.answer = event.kind;
      else if (part.answer === 'unknown') part.answer = event.kind === 'accepted' ? 'accepted' : 'refused';
      part.sent = true;
      return;
    case 'unknown':
      // Nothing is waited for where the number is over.
      if (isUnsent && isOver) return;
      if (part.answer === 'none') part.answer = 'unknown';
      part.sent = true;
      return;
    case 'not_accepted':
      if (part.answer === 'unknown') part.answer = 'refused';
      return;
    case 'reported':
      // Reports follow their answers. One on a part that never left, as the row has it, proves that it did; one on a part that
      // was refused says nothing about the number.
      if (part.answer === 'unknown' || isUnsent) part.answer = 'accepted';
      if (part.answer === 'accepted') part.sent = true;
      if (event.status !== 'intermediate' && part.answer === 'accepted') part.report ??= event.status;
      return;
  }
}

/** Nothing of it was handed over, nor may have been. */
export function isUntouched({ parts, result, isMoved }: ModelNumber): boolean {
  return result === undefined && !isMoved && parts.every(({ sent, answer }) => !sent && answer === 'none');
}

export function stateOf({ parts, result }: ModelNumber): NumberState {
  if (result !== undefined) return result;
  if (parts.some((part) => part.answer === 'none' || part.answer === 'declined')) return 'unsent';
  return parts.some((part) => part.answer === 'unknown') ? 'unknown' : 'awaiting';
}

function outcomeOf({ parts }: ModelNumber): ReceiptResult | undefined {
  if (parts.some((part) => part.answer === 'refused')) return 'rejected';
  const isTaken = parts.some((part) => part.answer === 'accepted' || part.answer === 'unknown');
  if (isTaken && parts.some((part) => part.answer === 'declined')) return 'rejected';
  if (parts.some((part) => part.report === undefined)) return undefined;
  return parts.find((part) => part.report !== 'delivered')?.report ?? 'delivered';
}

export function isHandedOver({ parts, result, isMoved }: ModelNumber): boolean {
  return parts.every(({ sent, answer }) => answer !== 'none' || (!sent && (result !== undefined || isMoved)));
}

export function isFinished({ parts, result, isMoved }: ModelNumber): boolean {
  return (
    (result !== undefined || isMoved) &&
    parts.every(({ sent, answer }) => answer !== 'unknown' && !(sent && answer === 'none'))
  );
}
