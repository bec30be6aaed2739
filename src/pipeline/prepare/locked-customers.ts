// Customers with tasks to prepare whose account another transaction has locked. They are prepared concurrently with the rounds, which
// continue for all others.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { TaskKey } from '../../domain/task/task.js';
import { freeFirst } from '../turns/free-first.js';

export interface LockedCustomers<Task extends TaskKey> {
  readonly size: number;
  has(customerId: CustomerId): boolean;
  /** Nothing of these customers is prepared by a round until they had their turn. */
  add(tasks: readonly Task[]): void;
  /** Resolves when none has a turn. */
  idle(): Promise<void>;
}

export function createLockedCustomers<Task extends TaskKey>(options: {
  /** Prepares these tasks. Without `mayWait`, it returns the customers whose account is locked. */
  readonly prepare: (tasks: readonly Task[], mayWait: boolean) => Promise<ReadonlySet<CustomerId>>;
  /** No batch starts after it is aborted: the tasks that are left wait in the table. */
  readonly signal: AbortSignal;
  readonly onDone: () => void;
}): LockedCustomers<Task> {
  const tasksOf = new Map<CustomerId, readonly Task[]>();
  let running: Promise<void> | undefined;

  const endTurn = (customerId: CustomerId, done: readonly Task[]): void => {
    const left = (tasksOf.get(customerId) ?? []).filter((task) => !done.includes(task));
    if (left.length > 0) tasksOf.set(customerId, left);
    else tasksOf.delete(customerId);
  };

  const runAll = async (): Promise<void> => {
    while (tasksOf.size > 0 && !options.signal.aborted) {
      const batch = new Map(tasksOf);
      await freeFirst(batch.keys(), async (turn, mayWait) => {
        const locked = await options.prepare(
          [...turn].flatMap((customerId) => batch.get(customerId) ?? []),
          mayWait,
        );
        for (const customerId of turn) if (!locked.has(customerId)) endTurn(customerId, batch.get(customerId) ?? []);
        return locked;
      });
    }
  };

  return {
    get size() {
      return tasksOf.size;
    },
    has: (customerId) => tasksOf.has(customerId),
    add(tasks) {
      for (const [customerId, ofCustomer] of groupBy(tasks, (task) => task.customerId))
        tasksOf.set(customerId, [...(tasksOf.get(customerId) ?? []), ...ofCustomer]);
      running ??= runAll()
        // Without the database the tasks stay where they are, and a round finds them again.
        .catch(() => {})
        .finally(() => {
          tasksOf.clear();
          running = undefined;
          options.onDone();
        });
    },
    async idle() {
      await running;
    },
  };
}
