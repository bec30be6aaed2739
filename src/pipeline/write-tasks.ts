// Tasks that were moved on are written as they stand, with what that means for their chunks and their accounts.

import { taskKeyOf } from '../domain/chunk/chunk.js';
import { nextQueueNo } from '../domain/money/ledger.js';
import { isUp } from '../domain/task/schedule.js';
import type { Task } from '../domain/task/task.js';
import { queueChunks, readUnqueued, unqueueChunks } from '../store/chunk/chunk.js';
import type { AnySql } from '../store/connect.js';
import { type LockedAccounts, writeAccounts } from '../store/money/account.js';
import { runTogether } from '../store/run-together.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { updateTasks } from '../store/task/task.js';

/**
 * Under the locks of their accounts, with what was posted to these. The chunks of tasks that are up for dispatch get places in
 * the queues of their channels, and those of tasks that are paused or put off lose theirs.
 */
export async function writeTasks(
  tx: AnySql,
  { bucket, accounts, now }: LockedAccounts,
  tasks: readonly Task[],
  snapshot: Pick<Snapshot, 'classOf'>,
): Promise<void> {
  if (tasks.length === 0) return;
  const going = tasks.filter(isUp);
  const held = tasks.filter((task) => task.stage === 'submitting' && !isUp(task));
  const chunks = going.length > 0 ? await readUnqueued(tx, bucket, going) : [];
  const classes = new Map(going.map((task) => [taskKeyOf(task), snapshot.classOf(task.templateId)]));
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
