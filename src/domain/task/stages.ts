// The three states of a task, which are read separately: where it is (stage), what its money does (accounting), what is
// known of its numbers (receipts). Each is derived from counters and amounts, never from one of the others.
// docs/state-machine.md draws these tables; a test compares the two.

import type { Money } from '../money/money.js';

export const STAGES = [
  'queued',
  'prepared',
  'submitting',
  'waiting_receipt',
  'submit_unknown',
  'completed',
  'failed',
  'cancelled',
] as const;
export type Stage = (typeof STAGES)[number];

export const ACCOUNTING_STATES = ['none', 'insufficient_funds', 'frozen', 'settling', 'settled'] as const;
export type AccountingState = (typeof ACCOUNTING_STATES)[number];

export const RECEIPT_STATES = ['none', 'pending', 'partial', 'complete'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

/** When a number is charged: when the upstream accepts it, or when it is delivered. */
export type ChargeOn = 'submit' | 'delivery';

/**
 * Where a stage may go. It never goes back; leaving `submit_unknown` for `waiting_receipt` only looks like it. A stage
 * that goes nowhere is final.
 */
export const STAGE_MOVES: { readonly [from in Stage]: readonly Stage[] } = {
  // Straight to completed when its time is up before it was prepared.
  queued: ['prepared', 'completed', 'failed', 'cancelled'],
  // Straight to completed when preparing rejected every number: there is nothing to hand over.
  prepared: ['submitting', 'completed', 'failed', 'cancelled'],
  // No failed from here on: something may be with the upstream, so every number gets its own outcome. It is cancelled as
  // a whole only where nothing was handed over yet.
  submitting: ['waiting_receipt', 'submit_unknown', 'completed', 'cancelled'],
  // Unknown numbers come from handing over, which has ended here.
  waiting_receipt: ['completed'],
  submit_unknown: ['waiting_receipt', 'completed'],
  completed: [],
  failed: [],
  cancelled: [],
};

export const ACCOUNTING_MOVES: { readonly [from in AccountingState]: readonly AccountingState[] } = {
  // Settled at once when the frozen amount is zero.
  none: ['insufficient_funds', 'frozen', 'settled'],
  insufficient_funds: ['frozen'],
  frozen: ['settling', 'settled'],
  settling: ['settled'],
  settled: [],
};

export const RECEIPT_MOVES: { readonly [from in ReceiptState]: readonly ReceiptState[] } = {
  none: ['pending', 'partial', 'complete'],
  pending: ['partial', 'complete'],
  partial: ['complete'],
  complete: [],
};

export function canMove(from: Stage, to: Stage): boolean {
  return STAGE_MOVES[from].includes(to);
}

export function isFinal(stage: Stage): boolean {
  return STAGE_MOVES[stage].length === 0;
}

/** How the numbers of a task stand. The other seven always add up to `total`. */
export interface Counts {
  readonly total: number;
  /** Not handed over yet. */
  readonly unsent: number;
  readonly rejected: number;
  /** Handed over, and not known whether the upstream accepted. */
  readonly unknown: number;
  /** Accepted upstream, outcome outstanding. */
  readonly awaiting: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly expired: number;
}

/** The stage once submission has begun. Before that, a task moves by what is done to it and not by its counts. */
export function stageOf(counts: Counts): Stage {
  if (counts.unsent > 0) return 'submitting';
  if (counts.unknown > 0) return 'submit_unknown';
  if (counts.awaiting > 0) return 'waiting_receipt';
  return 'completed';
}

export function receiptState(counts: Counts): ReceiptState {
  const receipts = counts.rejected + counts.delivered + counts.undelivered + counts.expired;
  if (receipts > 0) return receipts === counts.total ? 'complete' : 'partial';
  return counts.awaiting > 0 || counts.unknown > 0 ? 'pending' : 'none';
}

/** The money of one task: `frozen = charged + released + held` and `refunded <= charged`. */
export interface Hold {
  readonly frozen: Money;
  readonly charged: Money;
  readonly released: Money;
  readonly refunded: Money;
}

export interface Accounting {
  /** When the task was frozen; undefined when it has not been. */
  readonly frozenAt: Date | undefined;
  /** The last attempt to freeze found too little money. */
  readonly insufficient: boolean;
  readonly hold: Hold;
  readonly chargeOn: ChargeOn;
  readonly refundOnFailure: boolean;
  /** Numbers that have no receipt yet. */
  readonly outstanding: number;
}

/**
 * A task of which part is charged and part still held reads `frozen`, as in the contract's example: money is held.
 * `settling` is the time after that in which a refund may still come.
 */
export function accountingState(accounting: Accounting): AccountingState {
  if (accounting.frozenAt === undefined) return accounting.insufficient ? 'insufficient_funds' : 'none';
  const { frozen, charged, released, refunded } = accounting.hold;
  if (frozen > charged + released) return 'frozen';
  const mayRefund = accounting.chargeOn === 'submit' && accounting.refundOnFailure && charged > refunded;
  return mayRefund && accounting.outstanding > 0 ? 'settling' : 'settled';
}
