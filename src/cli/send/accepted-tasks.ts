import { isFinished, type PostriderClient, type Task } from '@postrider/client';
import { createPace } from '../output/pace.js';
import { createProgressLine } from '../output/progress-line.js';
import type { Output } from '../terminal.js';
import { countDone, formatProgress } from './progress.js';
import { formatSummary } from './summary.js';

/** The tasks of one send, by the number of their request, and the line that shows where they stand. */
export interface AcceptedTasks {
  readonly size: number;
  /** How many had been accepted by an earlier run. */
  readonly replayed: number;
  /** When the first of the numbers that are unknown counts as not accepted; null: not heard yet. */
  readonly verificationDeadline: string | null;
  /** In the order of the input, as last seen. */
  list(): Task[];
  add(index: number, task: Task, replayed: boolean): Promise<void>;
  /** Looks at those that are still under way; true when one of them has changed. */
  refresh(client: PostriderClient, signal: AbortSignal): Promise<boolean>;
  /** No more will be added; `isComplete` when every request of the input was accepted. */
  close(isComplete: boolean): void;
  readonly isClosed: boolean;
  readonly isComplete: boolean;
  show(): Promise<void>;
  /** A line that stays, above the one that shows where things stand. */
  note(text: string): Promise<void>;
  finish(): Promise<void>;
}

/** A few at once hide the round trip; more would only queue at the service. */
const lookersAtOnce = 4;

/** A task that waits for money continues after a top-up, which this command does not wait for. */
export function isAtRest(task: Task): boolean {
  return isFinished(task) || task.accounting_state === 'insufficient_funds';
}

export function createAcceptedTasks(
  output: Output,
  now: () => number,
  isDone: (task: Task) => boolean = isAtRest,
): AcceptedTasks {
  const tasks = new Map<number, Task>();
  const deadlines = new Map<number, string>();
  const line = createProgressLine(output, now);
  const pace = createPace(now);
  let replays = 0;
  let isClosed = false;
  let isComplete = false;

  const list = () => [...tasks].sort(([one], [other]) => one - other).map(([, task]) => task);

  async function show(): Promise<void> {
    // How many requests there will be is not known while the input is read; of a single one there is nothing to count.
    const count = isClosed || tasks.size < 2 ? [] : [`${tasks.size.toLocaleString('en')} requests accepted so far`];
    if (tasks.size === 0) return;
    const seen = list();
    pace.note(countDone(seen));
    await line.show([...count, ...formatProgress(seen, { isWhole: isClosed, perSecond: pace.perSecond })]);
  }

  async function refresh(client: PostriderClient, signal: AbortSignal): Promise<boolean> {
    const open = [...tasks].filter(([, task]) => !isDone(task));
    let changed = false;
    async function lookAtSome(): Promise<void> {
      for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
        const [index, before] = entry;
        const { timeline: _, verification, ...task } = await client.task(before.task_no, { signal });
        if (verification === undefined) deadlines.delete(index);
        else deadlines.set(index, verification.deadline);
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
    get verificationDeadline() {
      return [...deadlines.values()].sort()[0] ?? null;
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
    get isComplete() {
      return isComplete;
    },
    close(complete) {
      isClosed = true;
      isComplete = complete;
    },
    show,
    note: (text) => line.note(text),
    async finish() {
      if (tasks.size > 0) await line.finish(formatSummary(list(), output));
    },
  };
}
