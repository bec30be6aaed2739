import { isFinished, type PostriderClient, type Task } from '@postrider/client';
import { createProgressLine } from './progress-line.js';
import { formatSummary } from './send-summary.js';
import type { Output } from './terminal.js';

/** The tasks of one send, by the number of their request, and the line that shows where they stand. */
export interface AcceptedTasks {
  readonly size: number;
  /** How many had been accepted by an earlier run. */
  readonly replayed: number;
  /** In the order of the input, as last seen. */
  list(): Task[];
  add(index: number, task: Task, replayed: boolean): Promise<void>;
  /** Looks at those that are still under way; true when one of them has changed. */
  refresh(client: PostriderClient, signal: AbortSignal): Promise<boolean>;
  /** No more will be added. */
  close(): void;
  readonly isClosed: boolean;
  show(): Promise<void>;
  finish(): Promise<void>;
}

/** A few at once hide the round trip; more would only queue at the service. */
const lookersAtOnce = 4;

/** A task that waits for money goes on when somebody tops up, which is not for this command to wait for. */
export function isAtRest(task: Task): boolean {
  return isFinished(task) || task.accounting_state === 'insufficient_funds';
}

export function createAcceptedTasks(output: Output, now: () => number): AcceptedTasks {
  const tasks = new Map<number, Task>();
  const line = createProgressLine(output, now);
  let replays = 0;
  let isClosed = false;

  const list = () => [...tasks].sort(([one], [other]) => one - other).map(([, task]) => task);

  async function show(): Promise<void> {
    if (tasks.size > 0) await line.show(`${isClosed ? '' : `${tasks.size} accepted · `}${formatSummary(list())}`);
  }

  async function refresh(client: PostriderClient, signal: AbortSignal): Promise<boolean> {
    const open = [...tasks].filter(([, task]) => !isAtRest(task));
    let changed = false;
    async function lookAtSome(): Promise<void> {
      for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
        const [index, before] = entry;
        const { timeline: _, verification: __, ...task } = await client.task(before.task_no, { signal });
        changed ||= JSON.stringify(task) !== JSON.stringify(before);
        tasks.set(index, task);
      }
    }
    await Promise.all(Array.from({ length: lookersAtOnce }, lookAtSome));
    return changed;
  }

  return {
    get size() {
      return tasks.size;
    },
    get replayed() {
      return replays;
    },
    get isClosed() {
      return isClosed;
    },
    list,
    async add(index, task, replayed) {
      tasks.set(index, task);
      if (replayed) replays += 1;
      await show();
    },
    refresh,
    close() {
      isClosed = true;
    },
    show,
    finish: () => line.finish(formatSummary(list())),
  };
}
