// Putting tasks up for dispatch: their chunks get places in the queues of their channels, now or when their time comes.

import type { CustomerId } from '../domain/id.js';
import { nextQueueNo } from '../domain/ledger.js';
import { mayStart } from '../domain/schedule.js';
import { nextTimeline, type Task, type TaskChange, type TaskKey } from '../domain/task.js';
import { queueChunks, readUnqueued } from '../store/chunk/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import { type LockedAccounts, lockAccounts, writeAccounts } from '../store/money/account.js';
import { runTogether } from '../store/run-together.js';
import { readDueToStart, readTasks, updateTasks } from '../store/task/task.js';
import type { Culprits } from './culprits.js';
import type { Wake } from './wake.js';

const TASKS_A_ROUND = 200;

/** Under the locks of their accounts. The tasks are submitting from then on, and paused no more. */
export async function putUp(
  tx: AnySql,
  { bucket, accounts, now }: LockedAccounts,
  tasks: readonly Task[],
): Promise<void> {
  if (tasks.length === 0) return;
  const chunks = await readUnqueued(tx, bucket, tasks);
  const places = chunks.map(({ customerId }) => {
    const account = accounts.get(customerId);
    if (account === undefined) throw new Error(`customer ${customerId} is not locked`);
    return nextQueueNo(account);
  });
  const changes = tasks.map((task): TaskChange => {
    const timeline = nextTimeline(task.timeline, ['submitting'], now);
    return { ...task, stage: 'submitting', timeline, submitAt: null, paused: task.paused === null ? null : false };
  });
  await runTogether(tx, [
    updateTasks(tx, bucket, changes, now),
    chunks.length > 0 && queueChunks(tx, bucket, chunks, places),
    ...writeAccounts(tx, bucket, accounts.values()),
  ]);
}

/** Puts the tasks up whose time has come; true when there may be more. Costs a look at an index while none has. */
export async function startDueTasks(
  { sql, wake, culprits }: { readonly sql: Sql; readonly wake: Wake; readonly culprits: Culprits },
  bucket: number,
): Promise<boolean> {
  const due = await readDueToStart(sql, bucket, TASKS_A_ROUND, culprits.waitingTasks('start', bucket));
  if (due.length === 0) return false;
  await culprits.run('start', bucket, due, (keys) => sql.begin((tx) => startTasks(tx, bucket, keys)));
  wake.hint('dispatch', idsOf(due));
  wake.notify('dispatch');
  return due.length === TASKS_A_ROUND;
}

async function startTasks(tx: AnySql, bucket: number, keys: readonly TaskKey[]): Promise<void> {
  const [locked, tasks] = await Promise.all([lockAccounts(tx, bucket, idsOf(keys)), readTasks(tx, bucket, keys)]);
  // Somebody may have put it up, off or an end to it since.
  const isDue = (task: Task) =>
    task.submitAt !== null && task.submitAt <= locked.now && mayStart({ ...task, sendAt: null }, locked.now);
  await putUp(tx, locked, tasks.filter(isDue));
}

function idsOf(keys: readonly TaskKey[]): CustomerId[] {
  return [...new Set(keys.map(({ customerId }) => customerId))];
}
