// The steps of a task: accept, prepare, freeze, submit, start. Pure functions: the caller reads the inputs under the lock of the account
// and writes the resulting task.

import type { CustomerConfig } from '../entities/customer.js';
import { timeOfId } from '../id.js';
import { type FreezeObstacle, tryFreeze, waitingFieldsOf } from '../money/freeze.js';
import type { Account } from '../money/ledger.js';
import { ZERO } from '../money/money.js';
import type { Plan } from '../plan/plan.js';
import { isAutomatic } from './automation.js';
import { mayStart, startOf } from './schedule.js';
import { isFinal, type Stage } from './stages.js';
import { type NewTask, NOTHING_HELD, nextTimeline, sendableOf, type Task, type TaskState, UNTOUCHED } from './task.js';

/** The settings of a customer that decide the steps of its tasks. */
export type TaskRules = Pick<CustomerConfig, 'policy' | 'chargeOn' | 'refundOnFailure'>;

/** A task before its first step. */
export type TaskOrigin = Omit<NewTask, keyof TaskState | 'queuedFor' | 'createdAt' | 'updatedAt'>;

/** The task as it is inserted, waiting to be prepared automatically or by a call. Complete, so that it is not read back. */
export function acceptTask(origin: TaskOrigin, total: number, { policy }: Pick<TaskRules, 'policy'>): NewTask {
  const createdAt = timeOfId(origin.taskId);
  // Field by field: spreading two large objects takes several times as long.
  return {
    bucket: origin.bucket,
    customerId: origin.customerId,
    taskId: origin.taskId,
    requestKey: origin.requestKey,
    fingerprint: origin.fingerprint,
    templateId: origin.templateId,
    serviceAccountId: origin.serviceAccountId,
    batchId: origin.batchId,
    title: origin.title,
    accountDefaulted: origin.accountDefaulted,
    targetFirms: origin.targetFirms,
    autoPrepare: origin.autoPrepare,
    autoFreeze: origin.autoFreeze,
    autoSubmit: origin.autoSubmit,
    sendAt: origin.sendAt,
    expiresAt: origin.expiresAt,
    payload: origin.payload,
    content: origin.content,
    insufficientFunds: UNTOUCHED.insufficientFunds,
    overLimit: UNTOUCHED.overLimit,
    frozenAt: UNTOUCHED.frozenAt,
    hold: UNTOUCHED.hold,
    terms: UNTOUCHED.terms,
    submitAt: UNTOUCHED.submitAt,
    paused: UNTOUCHED.paused,
    ending: UNTOUCHED.ending,
    cancelled: UNTOUCHED.cancelled,
    stage: 'queued',
    failure: null,
    price: ZERO,
    counts: { total, unsent: total, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 },
    queuedFor: isAutomatic('prepare', origin, policy) ? 'prepare' : 'manual',
    timeline: [{ stage: 'queued', at: createdAt.toISOString() }],
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
  };
}

/**
 * Applies the plan; without a plan the task fails. Freezes its price, posted to the account, and starts it, as far as the request and
 * the customer's policy allow.
 */
export function prepareTask<Kind extends Task>(
  task: Kind,
  plan: Plan | undefined,
  account: Account,
  rules: TaskRules,
  now: Date,
): Kind {
  const planned = { ...task, queuedFor: null };
  if (plan === undefined) return { ...enterStage(planned, 'failed', now), failure: 'template_unavailable' };
  const rejected = plan.rejected.length;
  const counts = { ...task.counts, rejected, unsent: task.counts.total - rejected };
  const prepared = { ...enterStage(planned, 'prepared', now), price: plan.price, counts };
  if (plan.chunks.length === 0) return enterStage(prepared, 'completed', now);
  return isAutomatic('freeze', task, rules.policy) ? freezeTask(prepared, account, rules, now).task : prepared;
}

/** The task after an attempt to freeze its price. */
export interface FreezeAttempt<Kind extends Task = Task> {
  readonly task: Kind;
  /** Why its price is not frozen; undefined: it is. */
  readonly obstacle: FreezeObstacle | undefined;
}

/** Freezes the price on the current terms, unless there is an obstacle, and submits the task if the policy allows. */
export function freezeTask<Kind extends Task>(
  task: Kind,
  account: Account,
  rules: TaskRules,
  now: Date,
): FreezeAttempt<Kind> {
  const { taskId, price } = task;
  const obstacle = tryFreeze(account, { taskId, price, numbers: sendableOf(task) }, now);
  if (obstacle !== undefined) return { task: { ...task, ...waitingFieldsOf(obstacle) }, obstacle };
  const { policy, chargeOn, refundOnFailure } = rules;
  const frozen: Kind = {
    ...task,
    insufficientFunds: false,
    overLimit: false,
    frozenAt: now,
    hold: { ...NOTHING_HELD, frozen: price },
    terms: { chargeOn, refundOnFailure },
  };
  return { task: isAutomatic('submit', task, policy) ? submitTask(frozen, now) : frozen, obstacle: undefined };
}

/**
 * Tries again to freeze a task that waits for money or for the next day, unless the policy changed to freezing by a call. Undefined if
 * nothing changes.
 */
export function refreezeTask(task: Task, account: Account, rules: TaskRules, now: Date): Task | undefined {
  const isWaiting = task.stage === 'prepared' && task.insufficientFunds;
  if (!isWaiting || !isAutomatic('freeze', task, rules.policy)) return undefined;
  const { task: tried, obstacle } = freezeTask(task, account, rules, now);
  // What it waits for may have changed: a new day began, and now the money is missing.
  return obstacle === undefined || tried.overLimit !== task.overLimit ? tried : undefined;
}

/** Grants submission: the task starts at once, or at its time when it is not paused. */
export function submitTask<Kind extends Task>(task: Kind, now: Date): Kind {
  return mayStart(task, now) ? startTask(task, now) : { ...task, submitAt: startOf(task, now) };
}

/** The caller queues its chunks. A pause of the task ends. */
export function startTask<Kind extends Task>(task: Kind, now: Date): Kind {
  return { ...enterStage(task, 'submitting', now), submitAt: null, paused: unpaused(task) };
}

/** A task in a final stage is not paused: there is nothing to resume. */
function enterStage<Kind extends Task>(task: Kind, stage: Stage, now: Date): Kind {
  const timeline = nextTimeline(task.timeline, stage, now);
  const entered = { ...task, stage, timeline };
  return isFinal(stage) ? { ...entered, completedAt: now, paused: unpaused(task) } : entered;
}

/** Null stays null: the task was never paused. */
function unpaused({ paused }: Task): false | null {
  return paused === null ? null : false;
}
