import type { Clock } from './retry.js';
import { type CallOptions, requireField } from './transport.js';
import type { Stage } from './wire/stages.js';
import type { Task, TaskDetail } from './wire/wire.generated.js';

const finalStages: ReadonlySet<Stage> = new Set(['completed', 'failed', 'cancelled']);

/**
 * Nothing more happens to this task: every number has its receipt, or none will be sent.
 *
 * @example
 * if (isFinished(await client.task(taskNo))) console.log('done');
 */
export function isFinished(task: Task): boolean {
  return finalStages.has(task.stage);
}

/** What a task waits for that needs an action: a call, money, or a higher limit. */
export type CallerWait = 'prepare' | 'freeze' | 'submit' | 'funds' | 'limit' | 'resume';

/** A task as a wait leaves it. `waits_for` is null when it has finished, or when `until` ended the wait. */
export type WaitedTask = TaskDetail & { readonly waits_for: CallerWait | null };

export interface WaitOptions extends CallOptions {
  /** For the whole wait, in milliseconds. Without it a wait is as long as the task takes, which may be days. */
  readonly timeoutMs?: number;
  /** Called with the task as first seen and whenever it has changed since. */
  readonly onProgress?: (task: TaskDetail) => void;
  /** When to stop waiting, if not at the end of the task: `(task) => task.stage === 'prepared'`. */
  readonly until?: (task: TaskDetail) => boolean;
  /** The pause after a change, which grows while nothing changes. */
  readonly firstPollMs?: number;
  readonly maxPollMs?: number;
}

/** The time that was given to a wait is over. The task continues automatically; wait again, or look at it later. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
  /** As last seen; null when the service did not answer even once. */
  readonly task: TaskDetail | null;

  constructor(task: TaskDetail | null, timeoutMs: number) {
    const state = task === null ? 'The service has not said where the task is' : `${task.task_no} is ${task.stage}`;
    super(`${state} after ${timeoutMs} ms; what was accepted continues automatically.`);
    this.task = task;
  }
}

/**
 * What a task waits for, as far as it can be seen from outside. `isCertain` is false where the next step may only be late:
 * the flags ask for it, or the customer's configuration may.
 */
function findCallerWait(task: Task): { readonly waitsFor: CallerWait; readonly isCertain: boolean } | null {
  if (task.waits_for === 'resume' || task.waits_for === 'limit') return { waitsFor: task.waits_for, isCertain: true };
  // It continues automatically at its time.
  if (task.waits_for === 'send_at' || task.waits_for === 'window') return null;
  if (task.accounting_state === 'insufficient_funds') return { waitsFor: 'funds', isCertain: true };
  if (task.stage === 'queued') return task.auto_prepare ? null : { waitsFor: 'prepare', isCertain: false };
  if (task.stage !== 'prepared') return null;
  return task.accounting_state === 'none'
    ? { waitsFor: 'freeze', isCertain: !task.auto_freeze }
    : { waitsFor: 'submit', isCertain: !task.auto_submit };
}

/** Automatic steps follow at once; a step that does not follow within this time needs a call. */
const graceMs = 3_000;

/** Follows a task until it has finished, or waits for its caller, or the time is over. */
export async function waitForTask(
  fetchTask: (options: CallOptions) => Promise<TaskDetail>,
  clock: Clock,
  options: WaitOptions,
): Promise<WaitedTask> {
  const { timeoutMs } = options;
  const firstPollMs = options.firstPollMs ?? 150;
  const maxPollMs = options.maxPollMs ?? 5_000;
  const startedMs = clock.now();
  const expiry = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => expiry.abort(), timeoutMs);
  const signal = options.signal === undefined ? expiry.signal : AbortSignal.any([options.signal, expiry.signal]);
  let last: TaskDetail | null = null;
  let seen: string | null = null;
  let seenAtMs = startedMs;
  let pauseMs = firstPollMs;
  try {
    for (;;) {
      const task = requireField<TaskDetail>(await fetchTask({ signal }), 'task_no');
      last = task;
      // The whole of it is compared: two changes may fall into one millisecond of `updated_at`.
      const state = JSON.stringify(task);
      pauseMs = state === seen ? Math.min(maxPollMs, pauseMs * 1.5) : firstPollMs;
      if (state !== seen) {
        seenAtMs = clock.now();
        options.onProgress?.(task);
      }
      seen = state;
      if (options.until?.(task) || isFinished(task)) return { ...task, waits_for: null };
      const wait = findCallerWait(task);
      const isOver = wait !== null && (wait.isCertain || clock.now() - seenAtMs >= graceMs);
      // With `until` the caller has said what the wait is for; a task that waits for money may still get there.
      if (isOver && options.until === undefined) return { ...task, waits_for: wait.waitsFor };
      if (timeoutMs !== undefined && clock.now() - startedMs >= timeoutMs) expiry.abort();
      await clock.sleep(pauseMs, signal);
    }
  } catch (error) {
    if (!expiry.signal.aborted || options.signal?.aborted) throw error;
    throw new WaitTimeoutError(last, timeoutMs ?? 0);
  } finally {
    clearTimeout(timer);
  }
}
