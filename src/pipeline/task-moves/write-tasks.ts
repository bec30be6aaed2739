// Writes changed tasks, and queues or unqueues their chunks.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { nextQueueNo } from '../../domain/money/ledger.js';
import { isDispatching } from '../../domain/task/schedule.js';
import type { Task } from '../../domain/task/task.js';
import { queueChunks, readUnqueued, unqueueChunks } from '../../store/chunk/chunk.js';
import { type LockedAccounts, writeAccounts } from '../../store/money/account.js';
import { runTogether } from '../../store/run-together.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql } from '../../store/sql.js';
import { updateTasks } from '../../store/task/task.js';

/**
 * The caller holds the locks of the accounts, and may have posted to them. Chunks of dispatching tasks get places in the queues of
 * their channels; chunks of tasks that were paused or rescheduled lose theirs.
 */
export async function writeTasks(
  tx: AnySql,
  { bucket, accounts, now }: LockedAccounts,
  tasks: readonly Task[],
  snapshot: Pick<Snapshot, 'classOf'>,
): Promise<void> {
  if (tasks.length === 0) return;
  const dispatching = tasks.filter(isDispatching);
  const held = tasks.filter((task) => task.stage === 'submitting' && !isDispatching(task));
  const chunks = dispatching.length > 0 ? await readUnqueued(tx, bucket, dispatching) : [];
  const classes = new Map(dispatching.map((task) => [taskKeyOf(task), snapshot.classOf(task.templateId)]));
  const places = chunks.map((chunk) => {
    const { customerId } = chunk;
    const account = accounts.get(customerId);
    if (account === undefined) throw new Error(`customer ${customerId} is not locked`);
    return nextQueueNo(account, classes.get(taskKeyOf(chunk)) ?? 'notice');
  });
  const hasChanged = chunks.length > 0 || [...accounts.values()].some(({ posted }) => posted.length > 0);
  await runTogether(tx, [
    updateTasks(tx, bucket, tasks, now),
    chunks.length > 0 && queueChunks(tx, bucket, chunks, places, now),
    held.length > 0 && unqueueChunks(tx, bucket, held),
    ...(hasChanged ? writeAccounts(tx, bucket, accounts.values()) : []),
  ]);
}
