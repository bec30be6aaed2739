// The moves that a customer or an operator makes on a task by a call: whether a move applies in the current state, the answer, and the
// resulting task. All are idempotent and pure: the caller reads the inputs under the lock of the account and writes the result.

import { type ErrorText, errorText } from '../fault/error-text.js';
import { explainObstacle, type FreezeObstacle } from '../money/freeze.js';
import type { Account } from '../money/ledger.js';
import { isDispatching, isDueToStart } from './schedule.js';
import { isFinal, type Stage } from './stages.js';
import type { Task } from './task.js';
import { freezeTask, startTask, submitTask, type TaskRules } from './task-steps.js';

export type MoveOutcome =
  /** `isRepeat`: the move was made before, and nothing changed. */
  | { readonly kind: 'ok'; readonly isRepeat?: true }
  | { readonly kind: 'invalid_stage'; readonly stage: Stage; readonly detail: ErrorText }
  | { readonly kind: 'insufficient_funds'; readonly waitsFor: FreezeObstacle; readonly detail: ErrorText };

/** The result of a move on one task. */
export interface Moved {
  readonly outcome: MoveOutcome;
  /** The changed task; absent if there is nothing to write. */
  readonly task?: Task;
}

export interface TaskPlaces {
  readonly stages: readonly Stage[];
  /** Set if the move depends on whether the price is frozen. */
  readonly isFrozen?: boolean;
}

/** Stages in which a task may have unsent numbers. */
const UNSENT: readonly Stage[] = ['queued', 'prepared', 'submitting'];

/** The stages in which a move has an effect. */
export const OPEN_TO = {
  prepare: { stages: ['queued'] },
  freeze: { stages: ['prepared'], isFrozen: false },
  submit: { stages: ['prepared'], isFrozen: true },
  cancel: { stages: UNSENT },
  pause: { stages: UNSENT },
  resume: { stages: UNSENT },
} as const satisfies Record<string, TaskPlaces>;

export type MoveName = keyof typeof OPEN_TO;
export const MOVE_NAMES = Object.keys(OPEN_TO) as readonly MoveName[];

const OK: MoveOutcome = { kind: 'ok' };
const DONE_BEFORE: Moved = { outcome: { kind: 'ok', isRepeat: true } };

function refuse({ stage }: Task, detail: ErrorText): Moved {
  return { outcome: { kind: 'invalid_stage', stage, detail } };
}

/** The task is prepared soon after. A task that waits for it already is written, too: if it is quarantined, it is retried at once. */
export function prepareByHand(task: Task): Moved {
  const { stage } = task;
  if (stage === 'failed' || stage === 'cancelled') return refuse(task, errorText('stage_cannot_prepare', { stage }));
  if (stage !== 'queued') return DONE_BEFORE;
  return task.queuedFor === 'manual'
    ? { outcome: OK, task: { ...task, queuedFor: 'prepare' } }
    : { ...DONE_BEFORE, task };
}

/** If the price cannot be frozen, the task waits, and the answer says for what. */
export function freezeByHand(task: Task, account: Account, rules: TaskRules, now: Date): Moved {
  const { stage } = task;
  if (task.frozenAt !== null && stage !== 'cancelled') return DONE_BEFORE;
  if (stage === 'queued') return refuse(task, errorText('not_prepared'));
  if (stage !== 'prepared') return refuse(task, errorText('stage_cannot_freeze', { stage }));
  const { task: tried, obstacle } = freezeTask(task, account, rules, now);
  if (obstacle === undefined) return { outcome: OK, task: tried };
  const detail = explainObstacle(account, task.price, obstacle, now);
  return { outcome: { kind: 'insufficient_funds', waitsFor: obstacle, detail }, task: tried };
}

/** The task is dispatched, at once or at its time. */
export function submitByHand(task: Task, now: Date): Moved {
  const { stage, frozenAt, submitAt } = task;
  if (['submitting', 'waiting_receipt', 'submit_unknown', 'completed'].includes(stage)) return DONE_BEFORE;
  if (stage !== 'prepared') return refuse(task, errorText('stage_cannot_submit', { stage }));
  if (frozenAt === null) return refuse(task, errorText('not_frozen'));
  return submitAt === null ? { outcome: OK, task: submitTask(task, now) } : DONE_BEFORE;
}

/** Unsent numbers are not sent: the settlement ends the task (`ending.ts`). Parts in flight are completed. */
export function cancelByHand(task: Task): Moved {
  const { stage, ending } = task;
  if (stage === 'cancelled' || ending === 'cancelled') return DONE_BEFORE;
  if (isFinal(stage)) return refuse(task, errorText('stage_cannot_cancel', { stage }));
  return { outcome: OK, task };
}

/** Nothing more is sent until the task is resumed; it is still prepared and frozen. */
export function pauseByHand(task: Task, now: Date): Moved {
  const { stage, ending, submitAt } = task;
  if (!UNSENT.includes(stage)) return refuse(task, errorText('stage_cannot_pause', { stage }));
  if (ending !== null) return refuse(task, errorText('already_ending'));
  if (task.paused === true) return DONE_BEFORE;
  return { outcome: OK, task: { ...task, paused: true, submitAt: isDispatching(task) ? now : submitAt } };
}

/** Continues a paused task, unless its time to be sent is in the future. */
export function resumeByHand(task: Task, now: Date): Moved {
  if (task.paused === null) return refuse(task, errorText('not_paused'));
  if (!task.paused) return DONE_BEFORE;
  const resumed = { ...task, paused: false };
  return { outcome: OK, task: isDueToStart(resumed, now) ? startTask(resumed, now) : resumed };
}

/** Changes the time to be sent, until the first part is sent. The stage stays, because it never goes back. */
export function rescheduleByHand(task: Task, sendAt: Date, hasBegun: boolean, now: Date): Moved {
  const { stage, ending, submitAt } = task;
  if (!UNSENT.includes(stage) || ending !== null) return refuse(task, errorText('stage_cannot_reschedule', { stage }));
  if (hasBegun) return refuse(task, errorText('already_begun'));
  const changed = { ...task, sendAt };
  const isGranted = submitAt !== null || isDispatching(task);
  return { outcome: OK, task: isGranted ? submitTask(changed, now) : changed };
}

/** The operator decides unknown numbers. */
export function resolveByHand(task: Task, hasUnknown: boolean): Moved {
  if (hasUnknown) return { outcome: OK, task };
  const hadUnknown = task.timeline.some(({ stage }) => stage === 'submit_unknown');
  return hadUnknown ? DONE_BEFORE : refuse(task, errorText('nothing_unknown'));
}
