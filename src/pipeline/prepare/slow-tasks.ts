// Tasks whose numbers take long to parse, such as thousands in unusual notation. They are parsed concurrently with the rounds, outside of
// a transaction and in slices of the event loop, and then prepared separately, so that they delay no other task.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { addTo } from '../../domain/counts.js';
import type { CustomerId } from '../../domain/id.js';
import type { NormalisedPayload } from '../../domain/plan/normalise-payload.js';
import type { Steps } from '../../domain/steps.js';
import type { TaskKey } from '../../domain/task/task.js';
import { slicer } from '../fairness/slicer.js';

/** Bounds the memory for payloads. Others of the customer wait in the table. */
const MAX_TASKS_OF_CUSTOMER = 4;

export interface SlowTasks {
  readonly size: number;
  has(task: TaskKey): boolean;
  /** Continues to parse this task, unless the customer has too many. */
  add<Task extends TaskKey>(
    task: Task,
    steps: Steps<NormalisedPayload>,
    prepare: (task: Task, numbers: NormalisedPayload) => Promise<void>,
  ): void;
  /** Resolves when none is being parsed. */
  idle(): Promise<void>;
}

export function createSlowTasks(options: {
  /** Aborts parsing: the tasks still wait in the table. */
  readonly signal: AbortSignal;
  readonly onDone: () => void;
  readonly onFailure: (task: TaskKey, error: unknown) => Promise<void>;
}): SlowTasks {
  const underWay = new Map<string, Promise<void>>();
  const tasksOf = new Map<CustomerId, number>();

  return {
    get size() {
      return underWay.size;
    },
    has: (task) => underWay.has(taskKeyOf(task)),
    add(task, steps, prepare) {
      const { customerId } = task;
      const key = taskKeyOf(task);
      if (underWay.has(key) || (tasksOf.get(customerId) ?? 0) >= MAX_TASKS_OF_CUSTOMER) return;
      addTo(tasksOf, customerId, 1);
      const run = async (): Promise<void> => {
        const numbers = await slicer.run(`${customerId}`, untilAborted(steps, options.signal));
        if (numbers !== undefined) await prepare(task, numbers);
      };
      const done = run()
        .catch((error) => options.onFailure(task, error))
        // Without the database the task stays where it is, and a round finds it again.
        .catch(() => {})
        .finally(() => {
          underWay.delete(key);
          addTo(tasksOf, customerId, -1);
          options.onDone();
        });
      underWay.set(key, done);
    },
    async idle() {
      await Promise.all(underWay.values());
    },
  };
}

function* untilAborted<Result>(steps: Steps<Result>, signal: AbortSignal): Steps<Result | undefined> {
  for (;;) {
    if (signal.aborted) return undefined;
    const step = steps.next();
    if (step.done) return step.value;
    yield;
  }
}
