import { isFinished, type Task } from '@postrider/client';

const LIVE_MS = 1_000;
const QUIET_MS = 10_000;

/** Looks often while something may still happen. */
export function pollTask(task: Task | undefined): number {
  return task !== undefined && isFinished(task) ? QUIET_MS : LIVE_MS;
}
