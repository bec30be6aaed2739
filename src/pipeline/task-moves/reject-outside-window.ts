// Rejects the unsent numbers of queued tasks whose sending window is closed, if the customer's policy is not to wait.

import { classOfQueue, customerOfQueue, type QueueKey } from '../../domain/rules/queue-place.js';
import { sendingHoursAt } from '../../domain/rules/send-windows.js';
import { isDispatching } from '../../domain/task/schedule.js';
import { readQueuedTasks } from '../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../store/sql.js';
import { readTasks } from '../../store/task/task.js';
import { cutByNumbers, type EndDeps, endTasks, lockTasks } from './end-tasks.js';

/** The tasks of the first chunks in the queue are ended together. */
const CHUNKS_A_ROUND = 500;

/** Returns when the queue on this channel is empty or its window has opened. */
export async function rejectOutsideWindow(
  deps: EndDeps & { readonly sql: Sql; readonly refreshSnapshot: () => Promise<void> },
  bucket: number,
  channelId: bigint,
  queue: QueueKey,
): Promise<void> {
  const customerId = customerOfQueue(queue);
  const isRejected = (now: Date): boolean => {
    const windows = deps.snapshot().customer(customerId)?.sendWindows ?? [];
    const { isOpen, outside } = sendingHoursAt(windows, classOfQueue(queue), now.getTime());
    return !isOpen && outside === 'reject';
  };
  for (let isMore = true; isMore; ) {
    const taskIds = await readQueuedTasks(deps.sql, bucket, channelId, queue, CHUNKS_A_ROUND);
    const keys = taskIds.map((taskId) => ({ customerId, taskId }));
    // After the tasks: they may have been prepared elsewhere, under a newer configuration whose hours have begun.
    if (keys.length > 0) await deps.refreshSnapshot();
    isMore = false;
    for (const page of cutByNumbers(keys.length === 0 ? [] : await readTasks(deps.sql, bucket, keys))) {
      const ended = await deps.sql.begin(async (tx) => {
        const { locked, tasks } = await lockTasks(tx, bucket, page);
        const due = isRejected(locked.now) ? tasks.filter((task) => isDispatching(task) && task.ending === null) : [];
        await endTasks(tx, locked, due, 'outside_window', deps);
        return due.length;
      });
      if (ended > 0) isMore = true;
    }
  }
}
