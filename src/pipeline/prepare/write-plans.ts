// Writes planned tasks, in the transaction that holds the locks of their accounts: chunks, receipts of rejected numbers and, for
// automatic tasks, the freeze and the places in the queue.

import { type NewChunk, openChunk, type StoredChunk } from '../../domain/chunk/chunk.js';
import { nextQueueNo, nextRecordId } from '../../domain/money/ledger.js';
import { type QueueKey, queueKeyOf } from '../../domain/rules/queue-place.js';
import type { MaybeNewTask, Task } from '../../domain/task/task.js';
import { prepareTask } from '../../domain/task/task-steps.js';
import type { Planned } from '../../sending-rules/rule.js';
import { RULES } from '../../sending-rules/rules.js';
import { insertChunks } from '../../store/chunk/chunk.js';
import { type LockedAccounts, writeAccounts } from '../../store/money/account.js';
import { runTogether } from '../../store/run-together.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Statement } from '../../store/sql.js';
import { logFinished } from '../../store/task/finished.js';
import { updateTasks } from '../../store/task/task.js';
import type { Transacted } from '../../store/transact.js';
import { insertReceipts } from '../../store/wire/records.js';

export interface WrittenPlans {
  /** In their new state, in the order of the plans. */
  readonly tasks: readonly Task[];
  /** The queues in which chunks wait for dispatch. */
  readonly queues: readonly QueueKey[];
}

/** The writes that differ between stored tasks and those of the express lane. */
export interface TaskWrites {
  readonly writeTasks: (tx: AnySql, bucket: number, tasks: readonly MaybeNewTask[], now: Date) => Statement;
  /** Returns true if the parts of a chunk are sent right after the commit: their intents are then written with the chunk. */
  readonly intend: (stored: StoredChunk) => boolean;
}

const STORED_TASK_WRITES: TaskWrites = { writeTasks: updateTasks, intend: () => false };

/** Changes the accounts and tasks in memory. The statements are built here and run by `end`, at the end of the transaction. */
export function writePlans(
  tx: AnySql,
  snapshot: Snapshot,
  { bucket, accounts, now }: LockedAccounts,
  planned: readonly Planned[],
  { writeTasks, intend }: TaskWrites = STORED_TASK_WRITES,
): Transacted<WrittenPlans> {
  const changes: MaybeNewTask[] = [];
  const queueNos: (bigint | null)[] = [];
  const receiptIds: bigint[] = [];
  const intended = new Set<NewChunk>();
  const queues = new Set<QueueKey>();
  for (const { task, plan } of planned) {
    const account = accounts.get(task.customerId);
    const customer = snapshot.customer(task.customerId);
    if (account === undefined || customer === undefined)
      throw new Error(`customer ${task.customerId} is not locked or not in the snapshot`);
    const change = prepareTask(task, plan, account, customer, now);
    changes.push(change);
    const messageClass = snapshot.classOf(task.templateId);
    const isQueued = change.stage === 'submitting';
    for (const chunk of plan?.chunks ?? []) {
      const queueNo = isQueued ? nextQueueNo(account, messageClass) : null;
      queueNos.push(queueNo);
      if (queueNo !== null && intend(openChunk(chunk, queueNo))) intended.add(chunk);
      else if (queueNo !== null) queues.add(queueKeyOf(task.customerId, messageClass));
    }
    for (const _ of plan?.rejected ?? []) receiptIds.push(nextRecordId(account, now));
  }
  const finished = logFinished(tx, bucket, accounts, changes, now);
  const chunks = planned.flatMap(({ plan }) => plan?.chunks ?? []);
  const receipts = planned.flatMap(({ plan }) => plan?.rejected ?? []);
  const context = { sql: tx, bucket, snapshot: () => snapshot, now };
  const writes = [
    ...RULES.map(({ recordPlans }) => recordPlans?.(context, planned) ?? false),
    chunks.length > 0 && insertChunks(tx, bucket, chunks, queueNos, now, intended),
    receipts.length > 0 && insertReceipts(tx, bucket, receipts, receiptIds),
    writeTasks(tx, bucket, changes, now),
    ...writeAccounts(tx, bucket, accounts.values()),
  ];
  return {
    result: { tasks: changes, queues: [...queues] },
    // `finished` updates rows that `writeTasks` writes, so it runs after them.
    end: () => Promise.all([runTogether(tx, writes), runTogether(tx, [finished])]),
  };
}
