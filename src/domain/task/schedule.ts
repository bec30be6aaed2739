// When a task is handed over, and what it waits for until then.

import { errorText } from '../request/error-text.js';
import { addFault, type Fault } from '../request/fault.js';
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

/** Whether a task whose submission is granted goes into the queue at once. */
export function mayStart({ sendAt, paused }: Pick<Task, 'sendAt' | 'paused'>, now: Date): boolean {
  return paused !== true && (sendAt === null || sendAt <= now);
}

/** From when on it goes into the queue, once its submission is granted at this moment. */
export function startOf({ sendAt }: Pick<Task, 'sendAt'>, now: Date): Date {
  return sendAt !== null && sendAt > now ? sendAt : now;
}

/** Its submission is granted for a time that has come. */
export function isDueToStart({ submitAt, paused }: Pick<Task, 'submitAt' | 'paused'>, now: Date): boolean {
  return submitAt !== null && submitAt <= now && paused !== true;
}

/** Whether its chunks have their places in the queues of their channels, as long as they have parts to send. */
export function isUp({ stage, submitAt }: Pick<Task, 'stage' | 'submitAt'>): boolean {
  return stage === 'submitting' && submitAt === null;
}

/** What is unsent of it is not sent any more. */
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

type Waiting = Pick<
  Task,
  'stage' | 'paused' | 'queuedFor' | 'frozenAt' | 'insufficientFunds' | 'overLimit' | 'submitAt'
>;

/** What has to come for the task to go on: a call, money, a time, or somebody else. Null when it has ended, or is at work. */
export function waitsFor(task: Waiting, isOutsideWindow = false): WaitsFor | null {
  if (isFinal(task.stage)) return null;
  if (task.stage === 'submit_unknown') return 'verification';
  if (task.stage === 'waiting_receipt') return 'receipts';
  // Before anything else it may wait for, because it shows nowhere else.
  if (task.paused === true) return 'resume';
  if (task.submitAt !== null) return 'send_at';
  if (task.stage === 'submitting') return isOutsideWindow ? 'window' : 'channel';
  if (task.stage === 'queued') return task.queuedFor === 'manual' ? 'prepare' : null;
  if (task.frozenAt !== null) return 'submit';
  if (task.insufficientFunds) return task.overLimit ? 'limit' : 'funds';
  return 'freeze';
}
