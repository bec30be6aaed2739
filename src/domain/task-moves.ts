// How a task stands after each of the moves that are made on it. What a move needs to know is read under the lock of the
// account, and what comes out is written as it is.

import { isAutomatic } from './automation.js';
import type { CustomerConfig } from './entities/customer.js';
import { mayStart, startOf } from './schedule.js';
import { NOTHING_HELD, nextTimeline, type Task, type TaskChange } from './task.js';

/** What of a customer decides how its tasks go on. */
export type TaskRules = Pick<CustomerConfig, 'policy' | 'chargeOn' | 'refundOnFailure'>;

/** What of a task decides how it goes on. */
type Unfrozen = TaskChange & Pick<Task, 'autoPrepare' | 'autoFreeze' | 'autoSubmit' | 'sendAt'>;

/**
 * Its price is frozen, on the terms of this moment. Where it goes on by itself it is up for dispatch at once, or as soon as
 * its time has come.
 */
export function freezeTask<T extends Unfrozen>(
  task: T,
  { policy, chargeOn, refundOnFailure }: TaskRules,
  now: Date,
): T {
  const isGoing = isAutomatic('submit', task, policy);
  const stage = isGoing && mayStart(task, now) ? 'submitting' : task.stage;
  return {
    ...task,
    stage,
    insufficientFunds: false,
    overLimit: false,
    submitAt: isGoing && stage !== 'submitting' ? startOf(task, now) : null,
    frozenAt: now,
    hold: { ...NOTHING_HELD, frozen: task.price },
    terms: { chargeOn, refundOnFailure },
    timeline: nextTimeline(task.timeline, [stage], now),
  };
}
