// When a task is dispatched, and what it waits for until then.

import { errorText } from '../fault/error-text.js';
import { addFault, type Fault } from '../fault/fault.js';
import type { SendRequest } from '../request/send-request.js';
import { isFinal } from './stages.js';
import type { Task } from './task.js';

const MAX_AHEAD_MS = 90 * 24 * 3_600_000;

/**
 * Validates the times of a request against the current time. Separate from the other validation, because a repeated request is
 * still valid after its times have passed.
 */
export function checkTimes({ sendAt, expiresAt }: Pick<SendRequest, 'sendAt' | 'expiresAt'>, nowMs: number): Fault[] {
  const faults: Fault[] = [];
  if (sendAt !== undefined && sendAt.getTime() > nowMs + MAX_AHEAD_MS) {
    addFault(faults, '/send_at', 'out_of_range', errorText('too_far_ahead'));
  }
  if (expiresAt !== undefined && expiresAt.getTime() <= nowMs) {
    addFault(faults, '/expires_at', 'out_of_range', errorText('not_in_future'));
  } else if (expiresAt !== undefined && sendAt !== undefined && expiresAt <= sendAt) {
    addFault(faults, '/expires_at', 'out_of_range', errorText('not_after_send_at'));
  }
  return faults;
}

/** Whether a task is dispatched at once when its submission is granted. */
export function mayStart({ sendAt, paused }: Pick<Task, 'sendAt' | 'paused'>, now: Date): boolean {
  return paused !== true && (sendAt === null || sendAt <= now);
}

/** When a task is dispatched whose submission is granted now. */
export function startOf({ sendAt }: Pick<Task, 'sendAt'>, now: Date): Date {
  return sendAt !== null && sendAt > now ? sendAt : now;
}

/** Whether its submission is granted and its time has come. */
export function isDueToStart({ submitAt, paused }: Pick<Task, 'submitAt' | 'paused'>, now: Date): boolean {
  return submitAt !== null && submitAt <= now && paused !== true;
}

/** Whether its chunks with unsent parts are in the queues of their channels. */
export function isDispatching({ stage, submitAt }: Pick<Task, 'stage' | 'submitAt'>): boolean {
  return stage === 'submitting' && submitAt === null;
}

/** Whether it has expired: its unsent numbers are not sent. */
export function isDueToEnd({ stage, expiresAt }: Pick<Task, 'stage' | 'expiresAt'>, now: Date): boolean {
  return !isFinal(stage) && expiresAt !== null && expiresAt <= now;
}

export const WAITS = [
  'prepare',
  'freeze',
  'submit',
  'funds',
  'limit',
  'send_at',
  'window',
  'resume',
  'channel',
  'receipts',
  'verification',
] as const;
export type WaitsFor = (typeof WAITS)[number];

type WaitFields = Pick<
  Task,
  'stage' | 'paused' | 'queuedFor' | 'frozenAt' | 'insufficientFunds' | 'overLimit' | 'submitAt'
>;

/** What the task waits for: an API call, money, a time or the carrier. Null when it has ended or is being processed. */
export function waitsFor(task: WaitFields, isOutsideWindow = false): WaitsFor | null {
  if (isFinal(task.stage)) return null;
  if (task.stage === 'submit_unknown') return 'verification';
  if (task.stage === 'waiting_receipt') return 'receipts';
  // First, because nothing else shows that a task is paused.
  if (task.paused === true) return 'resume';
  if (task.submitAt !== null) return 'send_at';
  if (task.stage === 'submitting') return isOutsideWindow ? 'window' : 'channel';
  if (task.stage === 'queued') return task.queuedFor === 'manual' ? 'prepare' : null;
  if (task.frozenAt !== null) return 'submit';
  if (task.insufficientFunds) return task.overLimit ? 'limit' : 'funds';
  return 'freeze';
}
