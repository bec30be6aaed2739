import type { Clock } from './retry.js';
import type { CallOptions } from './transport.js';
import type { Stage, Task, TaskDetail } from './wire.js';

const finalStages: ReadonlySet<Stage> = new Set(['completed', 'failed', 'cancelled']);

/** Nothing more happens to this task: every number has its receipt, or none will be sent. */
export function isFinished(task: Task): boolean {
  return finalStages.has(task.stage);
}

export interface WaitOptions extends CallOptions {
  /** Called with the task as first seen and whenever it has changed since. */
  readonly onProgress?: (task: TaskDetail) => void;
  /** When to stop waiting, if not at the end of the task: `(task) => task.stage === 'prepared'`. */
  readonly until?: (task: TaskDetail) => boolean;
  /** The pause after a change, which grows while nothing changes. */
  readonly firstPollMs?: number;
  readonly maxPollMs?: number;
}

/**
 * Follows a task to its end. It does not give up by itself, since a task may wait a day for its upstream: pass
 * `signal: AbortSignal.timeout(…)` to bound it.
 */
export async function waitForTask(
  fetchTask: () => Promise<TaskDetail>,
  clock: Clock,
  options: WaitOptions,
): Promise<TaskDetail> {
  const firstPollMs = options.firstPollMs ?? 150;
  const maxPollMs = options.maxPollMs ?? 5_000;
  const isDone = options.until ?? isFinished;
  let seen: string | null = null;
  let pauseMs = firstPollMs;
  for (;;) {
    const task = await fetchTask();
    // The whole of it is compared: two changes may fall into one millisecond of `updated_at`.
    const state = JSON.stringify(task);
    pauseMs = state === seen ? Math.min(maxPollMs, pauseMs * 1.5) : firstPollMs;
    if (state !== seen) options.onProgress?.(task);
    seen = state;
    if (isDone(task) || isFinished(task)) return task;
    await clock.sleep(pauseMs, options.signal);
  }
}
