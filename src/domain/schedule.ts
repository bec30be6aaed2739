// When a task is handed over, and what it waits for until then.

import type { Task } from './task.js';

/** Whether a task whose submission is granted goes into the queue at once. */
export function mayStart({ sendAt, paused }: Pick<Task, 'sendAt' | 'paused'>, now: Date): boolean {
  return paused !== true && (sendAt === null || sendAt <= now);
}

/** From when on it goes into the queue, once its submission is granted at this moment. */
export function startOf({ sendAt }: Pick<Task, 'sendAt'>, now: Date): Date {
  return sendAt !== null && sendAt > now ? sendAt : now;
}
