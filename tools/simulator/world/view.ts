// The rows of a commit as a client of the API sees them, for the model.

import { waitsFor } from '#src/domain/task/schedule.js';
import { accountingState, type Counts, isFinal, receiptState } from '#src/domain/task/stages.js';
import type { Task } from '#src/domain/task/task.js';
import type { CommitRows, TaskRow } from '../model/facts.js';
import type { Store } from './store.js';

const NAME_MASK = 0xfffffn;

/** Tasks are named by the lower bits of their ids. */
export function taskNameOf(taskId: bigint): number {
  return Number(taskId & NAME_MASK);
}

export function readCommit(store: Store, now: number): CommitRows {
  const { tasks, submits, deliveries, receipts, entries, accounts, recordIds } = store.takeChanges();
  const touched = new Set(tasks);
  for (const row of [...submits, ...deliveries, ...receipts]) touched.add(`${row.customerId}/${row.taskId}`);
  return {
    now,
    tasks: [...touched].flatMap((key) => {
      const task = store.tasks.get(key);
      return task === undefined ? [] : [taskRowOf(task)];
    }),
    submits: [...submits].map(({ id, customerId, taskId, seq, part, parts, channelId, status, code, ...answer }) => ({
      id: `${customerId}/${id}`,
      task: taskNameOf(taskId),
      seq,
      part,
      parts,
      channel: Number(channelId),
      status,
      code,
      messageId: answer.upstreamMessageId,
    })),
    deliveries: deliveries.map(({ taskId, seq, part, channelId, status, code }) => ({
      task: taskNameOf(taskId),
      seq,
      part,
      channel: Number(channelId),
      status,
      code,
    })),
    receipts: receipts.map(({ taskId, seq, result, code, isCharged, price }) => ({
      task: taskNameOf(taskId),
      seq,
      result,
      code,
      isCharged: isCharged === true,
      price,
    })),
    entries: entries.map(({ customerId, entry }) => ({
      customer: Number(customerId),
      seq: Number(entry.seq),
      type: entry.type,
      amount: entry.amount,
      task: entry.taskId === undefined ? undefined : taskNameOf(entry.taskId),
      availableAfter: entry.availableAfter,
      frozenAfter: entry.frozenAfter,
    })),
    accounts: [...accounts].flatMap((customerId) => {
      const row = store.accounts.get(customerId);
      return row === undefined
        ? []
        : [{ customer: Number(customerId), available: row.available as bigint, frozen: row.frozen as bigint }];
    }),
    recordIds: recordIds.map(({ customerId, id }) => ({ customer: Number(customerId), id })),
  };
}

function taskRowOf(task: Task): TaskRow {
  const { counts, hold, terms, frozenAt } = task;
  const chargeOn = terms?.chargeOn ?? null;
  const refundOnFailure = terms?.refundOnFailure === true;
  const accounting = accountingState({
    frozenAt: frozenAt ?? undefined,
    insufficient: task.insufficientFunds,
    hold,
    chargeOn: chargeOn ?? 'submit',
    refundOnFailure,
    outstanding: outstandingOf(counts),
  });
  return {
    task: taskNameOf(task.taskId),
    customer: Number(task.customerId),
    stage: task.stage,
    waitsFor: waitsFor(task),
    timeline: task.timeline.map(({ stage }) => stage),
    accounting,
    receiptState: receiptState(counts),
    counts,
    price: task.price,
    frozen: hold.frozen,
    charged: hold.charged,
    released: hold.released,
    refunded: hold.refunded,
    chargeOn,
    refundOnFailure,
    isCompleted: task.completedAt !== null && isFinal(task.stage),
    isPaused: task.paused === true,
  };
}

function outstandingOf({ unsent, unknown, awaiting }: Counts): number {
  return unsent + unknown + awaiting;
}
