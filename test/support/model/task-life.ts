// The life of one task without a database: the rules are asked as the pipeline asks them, and what they say is done.

import { newChunkState } from '../../../src/domain/chunk/chunk-state.js';
import { type Account, postEntry } from '../../../src/domain/money/ledger.js';
import type { Money } from '../../../src/domain/money/money.js';
import { concludeBatch } from '../../../src/domain/outcome/conclude-batch.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { endTask, isAllUnsent } from '../../../src/domain/outcome/ending.js';
import { applyDeliveryEvent, startSettlement } from '../../../src/domain/outcome/settlement.js';
import { rejectAll } from '../../../src/domain/plan/plan.js';
import { finishSteps } from '../../../src/domain/steps.js';
import { isDispatching, isDueToEnd, isDueToStart } from '../../../src/domain/task/schedule.js';
import { isFinal } from '../../../src/domain/task/stages.js';
import type { Ending, Task } from '../../../src/domain/task/task.js';
import * as moves from '../../../src/domain/task/task-moves.js';
import { prepareTask, refreezeTask, startTask, type TaskRules } from '../../../src/domain/task/task-steps.js';
import { accountOf, planOf, taskOf } from './task-of.js';

export interface LifeGiven {
  readonly numbers: number;
  /** How many of them preparing rejects. */
  readonly rejected: number;
  readonly unitPrice: Money;
  readonly available: Money;
  readonly dailyLimit: Money | null;
  readonly rules: TaskRules;
  readonly task: Partial<Task>;
}

export type LifeEvent =
  | { readonly kind: 'move'; readonly move: moves.MoveName }
  | { readonly kind: 'reschedule'; readonly inMs: number }
  | { readonly kind: 'top_up'; readonly amount: Money }
  | { readonly kind: 'time'; readonly ms: number }
  /** A round of the worker that prepares; without a template it fails. */
  | { readonly kind: 'prepare'; readonly hasTemplate: boolean }
  /** The other rounds of the worker: what is due starts and ends, what waits for money is tried again. */
  | { readonly kind: 'rounds' }
  | { readonly kind: 'part'; readonly number: number; readonly event: DeliveryEvent['event'] };

export interface Life {
  readonly task: Task;
  readonly account: Account;
  readonly now: Date;
  readonly deposited: bigint;
  /** What was answered to the last move by hand. */
  happen(event: LifeEvent): moves.MoveOutcome | undefined;
}

export function startLife(given: LifeGiven, startAt: Date): Life {
  const { rules, available, dailyLimit } = given;
  const account = accountOf({ available, dailyLimit });
  const plan = planOf(given.numbers, given.rejected, given.unitPrice);
  const [chunk] = plan.chunks;
  const state = newChunkState(chunk?.numbers.parts ?? []);
  let task = taskOf(given.numbers, given.task);
  let now = startAt;
  let deposited: bigint = available;
  let hasSubmits = false;

  const settle = (deliveryEvents: readonly DeliveryEvent[], ending?: Ending): void => {
    const isOpen = chunk !== undefined && task.stage !== 'queued';
    const queueNo = isDispatching(task) ? 1n : null;
    const stored = isOpen ? [{ ...chunk, ...state, queueNo }] : [];
    const end = {
      task,
      ending: ending ?? 'cancelled',
      chunks: isOpen ? [{ chunk, state, canSend: true }] : [],
      unprepared:
        task.stage === 'queued' ? finishSteps(rejectAll(phonesOf(given.numbers), task, 'cancelled', 'CN')) : [],
      hasSubmits,
    };
    const all = ending === undefined ? deliveryEvents : (chunk?.numbers.seq ?? []).map((_, index) => ended(index));
    const batch = startSettlement(now, new Map([[account.customerId, account]]), stored, [task], all);
    if (ending === undefined) for (const deliveryEvent of deliveryEvents) applyDeliveryEvent(batch, deliveryEvent);
    else endTask(batch, end);
    if (batch.submits.length > 0) hasSubmits = true;
    // As the row is written: what has left the queue waits to be prepared no more.
    for (const change of concludeBatch(batch).tasks) task = { ...task, ...change, queuedFor: null };
    if (ending !== undefined && task.stage === 'submitting' && !isDispatching(task)) task = startTask(task, now);
  };

  const ended = (index: number): DeliveryEvent => deliveryEventOf(index, { kind: 'ended' });
  const deliveryEventOf = (index: number, event: DeliveryEvent['event']): DeliveryEvent => {
    if (chunk === undefined) throw new Error('nothing of the task can be sent');
    return { chunk, index, part: 1, event, channelId: 1n };
  };

  const judge = (move: moves.MoveName): moves.Moved => {
    if (move === 'prepare') return moves.prepareByHand(task);
    if (move === 'freeze') return moves.freezeByHand(task, account, rules, now);
    if (move === 'submit') return moves.submitByHand(task, now);
    if (move === 'cancel') return moves.cancelByHand(task);
    return move === 'pause' ? moves.pauseByHand(task, now) : moves.resumeByHand(task, now);
  };

  const take = (moved: moves.Moved): moves.MoveOutcome => {
    task = moved.task ?? task;
    return moved.outcome;
  };

  const runRounds = (): void => {
    if (isDueToStart(task, now)) task = startTask(task, now);
    task = refreezeTask(task, account, rules, now) ?? task;
    if (isDueToEnd(task, now) && task.ending === null) settle([], 'expired_unsent');
  };

  return {
    get task() {
      return task;
    },
    get now() {
      return now;
    },
    get deposited() {
      return deposited;
    },
    account,
    happen(event) {
      switch (event.kind) {
        case 'move': {
          const moved = judge(event.move);
          if (event.move !== 'cancel') return take(moved);
          if (moved.task !== undefined) settle([], 'cancelled');
          return moved.outcome;
        }
        case 'reschedule': {
          const hasBegun = hasSubmits || !isAllUnsent(state);
          return take(moves.rescheduleByHand(task, new Date(now.getTime() + event.inMs), hasBegun, now));
        }
        case 'top_up':
          deposited += event.amount;
          postEntry(account, { type: 'topup', amount: event.amount }, now);
          return undefined;
        case 'time':
          now = new Date(now.getTime() + event.ms);
          return undefined;
        case 'prepare':
          if (task.queuedFor === 'prepare') {
            task = prepareTask(task, event.hasTemplate ? plan : undefined, account, rules, now);
          }
          return undefined;
        case 'rounds':
          runRounds();
          return undefined;
        case 'part':
          // Nothing of a task is on the wire before it was submitted.
          if (chunk === undefined || ['queued', 'prepared'].includes(task.stage) || isFinal(task.stage))
            return undefined;
          // Only what is up can be stranded.
          if (event.event.kind === 'stranded' && !isDispatching(task)) return undefined;
          settle([deliveryEventOf(event.number % chunk.numbers.seq.length, event.event)]);
          return undefined;
      }
    },
  };
}

function phonesOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(13_800_138_001 + at));
}
