// The counts and money of a task while a batch of delivery events is applied, and the resulting change of the task.

import type { NumberChange } from '../chunk/chunk-state.js';
import type { CustomerId } from '../id.js';
import { type Account, postEntry } from '../money/ledger.js';
import { type Money, moneyFromMillionths } from '../money/money.js';
import { type Movement, movementsOf } from './billing.js';
import { type Counts, type Hold, isFinal, stageOf } from './stages.js';
import { type Ending, nextTimeline, type SettledTask, type TaskChange } from './task.js';

export interface TaskTally {
  readonly task: SettledTask;
  readonly counts: { -readonly [K in keyof Counts]: Counts[K] };
  readonly money: Record<Movement, { amount: bigint; numbers: number }>;
  countsChanged: boolean;
  cancelled: number;
  /** Set if its unsent numbers are not sent. */
  ending: Ending | null;
  /** Set if nothing was sent or will be: it was cancelled, or its numbers cannot be read. */
  endsAs: 'cancelled' | 'failed' | null;
  /** The database lost commits: numbers that it shows as unsent may have been sent, so the task is paused until an operator decides. */
  hasLostCommits: boolean;
}

export function startTally(task: SettledTask): TaskTally {
  const money = {
    charge: { amount: 0n, numbers: 0 },
    release: { amount: 0n, numbers: 0 },
    refund: { amount: 0n, numbers: 0 },
  };
  const unchanged = {
    countsChanged: false,
    cancelled: task.cancelled,
    ending: task.ending,
    endsAs: null,
    hasLostCommits: false,
  };
  return { task, counts: { ...task.counts }, money, ...unchanged };
}

/** Adds the change of one number, and its price. */
export function addToTally(tally: TaskTally, change: NumberChange, price: Money): void {
  if (change.from !== change.to) {
    tally.counts[change.from] -= 1;
    tally.counts[change.to] += 1;
    tally.countsChanged = true;
  }
  const { terms } = tally.task;
  if (terms === null || price === 0n) return;
  for (const movement of movementsOf(change, terms)) {
    tally.money[movement].amount += price;
    tally.money[movement].numbers += 1;
  }
}

/** The tasks of a batch, with the accounts that are locked for them. */
export interface Tallies {
  readonly now: Date;
  readonly accounts: ReadonlyMap<CustomerId, Account>;
  readonly tasks: ReadonlyMap<string, TaskTally>;
}

/**
 * Posts the money of each task and returns the tasks that changed. One ledger entry per task and type, charges before refunds.
 */
export function concludeTasks({ tasks, accounts, now }: Tallies): TaskChange[] {
  const changes: TaskChange[] = [];
  for (const tally of tasks.values()) {
    const { task, counts, money } = tally;
    const account = accounts.get(task.customerId);
    if (account === undefined) throw new Error(`task ${task.taskId} is settled without its account`);
    const hold: { -readonly [K in keyof Hold]: Hold[K] } = { ...task.hold };
    for (const [type, into] of MOVES) {
      const { amount, numbers } = money[type];
      if (numbers === 0) continue;
      postEntry(account, { type, amount: moneyFromMillionths(amount), taskId: task.taskId, numbers }, now);
      hold[into] = moneyFromMillionths(hold[into] + amount);
    }
    if (tally.countsChanged || tally.ending !== task.ending || tally.hasLostCommits)
      changes.push(changeOf(tally, counts, hold, now));
  }
  return changes;
}

/** The movements in the order of their entries, and the amount of the task that each adds to. */
const MOVES = [
  ['charge', 'charged'],
  ['release', 'released'],
  ['refund', 'refunded'],
] as const;

function changeOf(
  { task, cancelled, ending, endsAs, hasLostCommits }: TaskTally,
  counts: Counts,
  hold: Hold,
  now: Date,
): TaskChange {
  const stage = endsAs ?? stageOf(counts);
  const timeline = nextTimeline(task.timeline, stage, now);
  const completedAt = isFinal(stage) ? (task.completedAt ?? now) : null;
  // Only a task with unsent numbers can wait for money, a time or an operator.
  const isWaiting = counts.unsent > 0 && !isFinal(stage);
  const isPausedNow = hasLostCommits && task.paused !== true;
  const submitAt = isPausedNow ? now : task.submitAt;
  // A task that was never paused stays null.
  const unpaused = task.paused === null ? null : false;
  return {
    bucket: task.bucket,
    customerId: task.customerId,
    taskId: task.taskId,
    stage,
    failure: endsAs === 'failed' ? 'payload_unreadable' : task.failure,
    insufficientFunds: isWaiting && task.insufficientFunds,
    overLimit: isWaiting && task.overLimit,
    frozenAt: task.frozenAt,
    price: task.price,
    counts,
    cancelled,
    hold,
    terms: task.terms,
    submitAt: isWaiting ? submitAt : null,
    paused: isWaiting ? isPausedNow || task.paused : unpaused,
    ending,
    timeline,
    completedAt,
  };
}
