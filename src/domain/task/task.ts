// One accepted send request.

import type { TaskId } from '../id.js';
import { type Money, moneyFromMillionths, ZERO } from '../money/money.js';
import type { Tenant } from '../tenant.js';
import type { BillingTerms } from './billing.js';
import type { Counts, Hold, Stage } from './stages.js';

/** Why the unsent numbers of a task are not sent: the code of their receipts. */
export type Ending = 'cancelled' | 'expired_unsent' | 'outside_window';

export interface TimelineEntry {
  readonly stage: Stage;
  readonly at: string;
}

/** The fields of a task that change. */
export interface TaskState {
  readonly stage: Stage;
  readonly failure: string | null;
  readonly insufficientFunds: boolean;
  /** With `insufficientFunds`: it waits because of the customer's daily limit. */
  readonly overLimit: boolean;
  readonly frozenAt: Date | null;
  /** The price of all numbers that can be sent. */
  readonly price: Money;
  readonly counts: Counts;
  /** Of the rejected numbers: those whose task ended before they were sent. */
  readonly cancelled: number;
  readonly hold: Hold;
  /** The terms of the freeze; null before it. */
  readonly terms: BillingTerms | null;
  /** Its submission is granted, and its chunks are queued at this time, or when it is resumed. */
  readonly submitAt: Date | null;
  /** Null if it was never paused, false if it was resumed. */
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
  /** A label for people. */
  readonly title: string | null;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  /** The request named no service account and got the template's. */
  readonly accountDefaulted: boolean;
  readonly targetFirms: readonly string[] | null;
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
  /** Before it is prepared: whether that happens automatically or by a call. */
  readonly queuedFor: 'prepare' | 'manual' | null;
  /** Nothing is sent before this. */
  readonly sendAt: Date | null;
  /** Unsent numbers are not sent after this. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Identifies a task in its bucket. */
export type TaskKey = Pick<Task, 'customerId' | 'taskId'>;

/** The request key of a task is unique per customer; this is unique over all customers. */
export function uniqueRequestKeyOf({ customerId, requestKey }: Pick<Task, 'customerId' | 'requestKey'>): string {
  return `${customerId} ${requestKey}`;
}

/** A task to insert, with its numbers and variables. */
export interface NewTask extends Task {
  readonly payload: string;
  /** The part of the payload that is kept after it is prepared. */
  readonly content: string;
}

/** A stored task, or a new one with its content, as the express lane plans it. */
export type MaybeNewTask = Task & Partial<Pick<NewTask, 'content'>>;

/** The columns that are written when a task changes. */
export type TaskChange = Tenant & TaskKey & TaskState;

/** The fields of a task that delivery events read and change. */
export type SettledTask = TaskChange & Pick<Task, 'templateId'>;

export const NOTHING_HELD: Hold = { frozen: ZERO, charged: ZERO, released: ZERO, refunded: ZERO };

/** The initial state. */
export const UNTOUCHED = {
  cancelled: 0,
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

/** A task without it has no price: it failed or was cancelled before. */
export function wasPrepared({ timeline }: Pick<Task, 'timeline'>): boolean {
  return timeline.some(({ stage }) => stage === 'prepared');
}

/** How many numbers the price is for. */
export function sendableOf({ counts }: Pick<Task, 'counts'>): number {
  return counts.total - counts.rejected;
}

/** Adds the stage, unless it is the current one. */
export function nextTimeline(timeline: readonly TimelineEntry[], stage: Stage, now: Date): readonly TimelineEntry[] {
  return timeline.at(-1)?.stage === stage ? timeline : [...timeline, { stage, at: now.toISOString() }];
}
