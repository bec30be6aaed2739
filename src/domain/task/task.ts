// One accepted send request, as everybody reads it.

import type { TaskId } from '../id.js';
import type { BillingTerms } from '../money/billing.js';
import { type Money, moneyFromMillionths, ZERO } from '../money/money.js';
import type { Tenant } from '../tenant.js';
import type { Counts, Hold, Stage } from './stages.js';

/** Why what is unsent of a task is not sent any more: the code of those receipts. */
export type Ending = 'cancelled' | 'expired_unsent' | 'outside_window';

export interface TimelineEntry {
  readonly stage: Stage;
  readonly at: string;
}

/** What a task changes in while it lives. */
export interface TaskState {
  readonly stage: Stage;
  readonly failure: string | null;
  readonly insufficientFunds: boolean;
  /** With `insufficientFunds`: it is the customer's limit for the day that it waits for. */
  readonly overLimit: boolean;
  readonly frozenAt: Date | null;
  /** What freezing takes: the price of all numbers that can be sent. */
  readonly price: Money;
  readonly counts: Counts;
  readonly hold: Hold;
  /** The terms of the freeze; null before it. */
  readonly terms: BillingTerms | null;
  /** Its submission is granted, and its chunks are kept out of the queue until then, or until it is resumed. */
  readonly submitAt: Date | null;
  /** Null when it never was, false when it goes on again. */
  readonly paused: boolean | null;
  readonly ending: Ending | null;
  readonly timeline: readonly TimelineEntry[];
  readonly completedAt: Date | null;
}

export interface Task extends Tenant, TaskState {
  readonly taskId: TaskId;
  readonly requestKey: string;
  readonly fingerprint: Buffer;
  /** The customer's name for the requests that belong together. */
  readonly batchId: string | null;
  /** What people call it. */
  readonly title: string | null;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  /** The request named no service account and got the template's. */
  readonly accountDefaulted: boolean;
  readonly targetFirms: readonly string[] | null;
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
  /** Accepted and not prepared: whether it is prepared by itself, or waits to be asked for. */
  readonly queuedFor: 'prepare' | 'manual' | null;
  /** Nothing is handed over before it. */
  readonly sendAt: Date | null;
  /** What is unsent then is not sent any more. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Which task of its bucket. */
export type TaskKey = Pick<Task, 'customerId' | 'taskId'>;

/** A task as it is accepted, with the numbers and values that it is about. */
export interface NewTask extends Task {
  readonly payload: string;
  /** What is kept of it once it is prepared. */
  readonly content: string;
}

/** What is written of a task that changed. */
export type TaskChange = Tenant & TaskKey & TaskState;

export const NOTHING_HELD: Hold = { frozen: ZERO, charged: ZERO, released: ZERO, refunded: ZERO };

/** How a task stands that nothing was frozen, paused or put off for. */
export const UNTOUCHED = {
  insufficientFunds: false,
  overLimit: false,
  frozenAt: null,
  hold: NOTHING_HELD,
  terms: null,
  submitAt: null,
  paused: null,
  ending: null,
} as const;

export function heldOf({ frozen, charged, released }: Hold): Money {
  return moneyFromMillionths(frozen - charged - released);
}

/** From then on it has a price. A task that failed or was cancelled before has none. */
export function wasPrepared({ timeline }: Pick<Task, 'timeline'>): boolean {
  return timeline.some(({ stage }) => stage === 'prepared');
}

/** How many numbers the price is for. */
export function sendableOf({ counts }: Pick<Task, 'counts'>): number {
  return counts.total - counts.rejected;
}

/** The timeline with the stage that the task is in now; the one that it was in already adds nothing. */
export function nextTimeline(timeline: readonly TimelineEntry[], stage: Stage, now: Date): readonly TimelineEntry[] {
  return timeline.at(-1)?.stage === stage ? timeline : [...timeline, { stage, at: now.toISOString() }];
}
