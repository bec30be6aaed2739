// What planned tasks lead to, in the transaction that holds their customers' locks: chunks, the receipts of rejected numbers,
// and, where they go on by themselves, the freeze and the place in the queue.

import { isAutomatic } from '../../domain/automation.js';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import { type FreezeWish, tryFreeze, waitingFor } from '../../domain/freeze.js';
import type { CustomerId } from '../../domain/id.js';
import { type Account, nextQueueNo, nextRecordId } from '../../domain/ledger.js';
import { ZERO } from '../../domain/money.js';
import type { Plan } from '../../domain/plan.js';
import { mayStart, startOf } from '../../domain/schedule.js';
import type { Stage } from '../../domain/stages.js';
import { NOTHING_HELD, nextTimeline, type Task, type TaskChange, UNTOUCHED } from '../../domain/task.js';
import { insertChunks } from '../../store/chunk/chunk.js';
import type { AnySql } from '../../store/connect.js';
import { type LockedAccounts, writeAccounts } from '../../store/money/account.js';
import { runTogether } from '../../store/run-together.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { logFinished } from '../../store/task/finished.js';
import { updateTasks } from '../../store/task/task.js';
import type { Transacted } from '../../store/transact.js';
import { insertReceipts } from '../../store/wire/records.js';

export interface Planned {
  readonly task: Task;
  /** Undefined: the task cannot go on. */
  readonly plan: Plan | undefined;
}

/** The writes that a transaction ends with; it results in the customers of whom chunks are put up for dispatch. */
export function writePlans(
  tx: AnySql,
  snapshot: Snapshot,
  { bucket, accounts, now }: LockedAccounts,
  planned: readonly Planned[],
): Transacted<CustomerId[]> {
  const changes: TaskChange[] = [];
  const queueNos: (bigint | null)[] = [];
  const receiptIds: bigint[] = [];
  for (const { task, plan } of planned) {
    const account = accounts.get(task.customerId);
    const customer = snapshot.customer(task.customerId);
    if (account === undefined || customer === undefined)
      throw new Error(`customer ${task.customerId} is not known here`);
    const change = decide(task, plan, customer, account, now);
    changes.push(change);
    for (const _ of plan?.chunks ?? []) queueNos.push(change.stage === 'submitting' ? nextQueueNo(account) : null);
    for (const _ of plan?.rejected ?? []) receiptIds.push(nextRecordId(account, now));
  }
  const finished = logFinished(tx, bucket, accounts, changes, now);
  const chunks = planned.flatMap(({ plan }) => plan?.chunks ?? []);
  const receipts = planned.flatMap(({ plan }) => plan?.rejected ?? []);
  const writes = [
    chunks.length > 0 && insertChunks(tx, bucket, chunks, queueNos),
    receipts.length > 0 && insertReceipts(tx, bucket, receipts, receiptIds),
    updateTasks(tx, bucket, changes, now),
    ...writeAccounts(tx, bucket, accounts.values()),
  ];
  const going = changes.filter(({ stage }) => stage === 'submitting');
  return {
    result: [...new Set(going.map(({ customerId }) => customerId))],
    end: () => Promise.all([runTogether(tx, writes), runTogether(tx, [finished])]),
  };
}

/** The task as preparing leaves it, its freeze posted where it has one. */
function decide(task: Task, plan: Plan | undefined, customer: CustomerConfig, account: Account, now: Date): TaskChange {
  const { bucket, customerId, taskId, timeline, counts } = task;
  const key = { bucket, customerId, taskId };
  // It may have been paused while it was queued.
  const unfrozen = { ...UNTOUCHED, paused: task.paused };
  if (plan === undefined) {
    const failed = { stage: 'failed', failure: 'template_unavailable', price: ZERO, completedAt: now } as const;
    return { ...key, ...unfrozen, ...failed, counts, timeline: nextTimeline(timeline, ['failed'], now) };
  }
  const rejected = plan.rejected.length;
  const prepared = {
    ...key,
    failure: null,
    price: plan.price,
    counts: { ...counts, rejected, unsent: counts.total - rejected },
  };
  const enter = (...stages: readonly Stage[]) => nextTimeline(timeline, ['prepared', ...stages], now);
  if (plan.chunks.length === 0) {
    return { ...prepared, ...unfrozen, stage: 'completed', timeline: enter('completed'), completedAt: now };
  }
  const waiting = { ...prepared, ...unfrozen, stage: 'prepared', timeline: enter(), completedAt: null } as const;
  if (!isAutomatic('freeze', task, customer.policy)) return waiting;
  const obstacle = tryFreeze(account, wishOf(task, plan), now);
  if (obstacle !== undefined) return { ...waiting, ...waitingFor(obstacle) };
  const { chargeOn, refundOnFailure } = customer;
  const hold = { ...NOTHING_HELD, frozen: plan.price };
  const frozen = { ...waiting, frozenAt: now, hold, terms: { chargeOn, refundOnFailure } };
  if (!isAutomatic('submit', task, customer.policy)) return frozen;
  if (!mayStart(task, now)) return { ...frozen, submitAt: startOf(task, now) };
  return { ...frozen, stage: 'submitting', timeline: enter('submitting') };
}

function wishOf(task: Task, plan: Plan): FreezeWish {
  return { taskId: task.taskId, price: plan.price, numbers: task.counts.total - plan.rejected.length };
}
