// How a task goes on: it is accepted and prepared, its price is frozen, its chunks are put up for dispatch. What a step needs to
// know is read under the lock of the account, and the task that comes out is written as it is.

import type { CustomerConfig } from '../entities/customer.js';
import { timeOfId } from '../id.js';
import { type FreezeObstacle, tryFreeze, waitingFor } from '../money/freeze.js';
import type { Account } from '../money/ledger.js';
import { ZERO } from '../money/money.js';
import type { Plan } from '../plan/plan.js';
import { isAutomatic } from './automation.js';
import { mayStart, startOf } from './schedule.js';
import { isFinal, type Stage } from './stages.js';
import { type NewTask, NOTHING_HELD, nextTimeline, sendableOf, type Task, type TaskState, UNTOUCHED } from './task.js';

/** What of a customer decides how its tasks go on. */
export type TaskRules = Pick<CustomerConfig, 'policy' | 'chargeOn' | 'refundOnFailure'>;

/** What a request and the platform say of a task, before anything becomes of it. */
export type TaskOrigin = Omit<NewTask, keyof TaskState | 'queuedFor' | 'createdAt' | 'updatedAt'>;

/** It waits to be prepared, by itself or by hand: as it stands right after its insert, so that it need not be read back. */
export function acceptTask(origin: TaskOrigin, total: number, { policy }: Pick<TaskRules, 'policy'>): NewTask {
  const createdAt = timeOfId(origin.taskId);
  // Field by field: to spread two large objects takes several times as long.
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
 * Its numbers are checked, routed and priced; without a plan it cannot go on. It is frozen and put up by itself as far as the
 * request and the customer's policy allow, the freeze posted to the account.
 */
export function prepareTask(task: Task, plan: Plan | undefined, account: Account, rules: TaskRules, now: Date): Task {
  const planned = { ...task, queuedFor: null };
  if (plan === undefined) return { ...enterStage(planned, 'failed', now), failure: 'template_unavailable' };
  const rejected = plan.rejected.length;
  const counts = { ...task.counts, rejected, unsent: task.counts.total - rejected };
  const prepared = { ...enterStage(planned, 'prepared', now), price: plan.price, counts };
  if (plan.chunks.length === 0) return enterStage(prepared, 'completed', now);
  return isAutomatic('freeze', task, rules.policy) ? freezeTask(prepared, account, rules, now).task : prepared;
}

/** What became of an attempt to freeze the price of a task, and how it stands then. */
export interface FreezeAttempt {
  readonly task: Task;
  /** Why its price is not frozen; undefined: it is. */
  readonly obstacle: FreezeObstacle | undefined;
}

/** Its price is frozen on the terms of this moment, and posted, unless something is in the way. Then it may continue automatically. */
export function freezeTask(task: Task, account: Account, rules: TaskRules, now: Date): FreezeAttempt {
  const { taskId, price } = task;
  const obstacle = tryFreeze(account, { taskId, price, numbers: sendableOf(task) }, now);
  if (obstacle !== undefined) return { task: { ...task, ...waitingFor(obstacle) }, obstacle };
  const { policy, chargeOn, refundOnFailure } = rules;
  const frozen: Task = {
    ...task,
    insufficientFunds: false,
    overLimit: false,
    frozenAt: now,
    hold: { ...NOTHING_HELD, frozen: price },
    terms: { chargeOn, refundOnFailure },
  };
  return { task: isAutomatic('submit', task, policy) ? submitTask(frozen, now) : frozen, obstacle };
}

/**
 * A task that waits for money or for another day is tried again, unless the policy has changed to freezing by hand. Undefined
 * when nothing about it changes.
 */
export function refreezeTask(task: Task, account: Account, rules: TaskRules, now: Date): Task | undefined {
  const isWaiting = task.stage === 'prepared' && task.insufficientFunds;
  if (!isWaiting || !isAutomatic('freeze', task, rules.policy)) return undefined;
  const { task: tried, obstacle } = freezeTask(task, account, rules, now);
  // What it waits for may have changed: the day has begun, and now there is no money.
  return obstacle === undefined || tried.overLimit !== task.overLimit ? tried : undefined;
}

/** Handing it over is granted: it is up for dispatch at once, or as soon as its time has come and nobody keeps it. */
export function submitTask(task: Task, now: Date): Task {
  return mayStart(task, now) ? startTask(task, now) : { ...task, submitAt: startOf(task, now) };
}

/** Its chunks are up for dispatch from now on, and it is paused no more. */
export function startTask(task: Task, now: Date): Task {
  return { ...enterStage(task, 'submitting', now), submitAt: null, paused: unpaused(task) };
}

/** One that has ended is not paused either: there is nothing to resume. */
function enterStage(task: Task, stage: Stage, now: Date): Task {
  const timeline = nextTimeline(task.timeline, stage, now);
  const entered = { ...task, stage, timeline };
  return isFinal(stage) ? { ...entered, completedAt: now, paused: unpaused(task) } : entered;
}

function unpaused({ paused }: Task): false | null {
  return paused === null ? null : false;
}
