// Prepares accepted tasks in rounds over the customers of a bucket: each customer gets a share of a round, and the next round starts after
// the last customer served. Tasks that take long to parse, and tasks of customers whose account is locked, are prepared concurrently with
// the rounds, so that the others do not wait for them.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { NormalisedPayload } from '../../domain/plan/normalise-payload.js';
import type { TaskSize } from '../../domain/plan/plan.js';
import { MESSAGE_CLASSES } from '../../domain/rules/message-class.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { type DueTask, readTasksToPrepare } from '../../store/task/task-prepare.js';
import { createLockedCustomers } from '../fairness/locked-customers.js';
import { type BatchOptions, type PrepareDeps, prepareBatch, quarantineTask } from './prepare-batch.js';
import { createSlowTasks } from './slow-tasks.js';

/** Per round, over all customers. */
const MAX_TASKS = 500;
/** Bounds the memory of a transaction, and how long it locks the accounts. */
const MAX_NUMBERS = 5000;
const CUSTOMERS_A_ROUND = 200;

export interface Preparer {
  /** Returns true if there is more to do. */
  round(): Promise<boolean>;
  /** Resolves when the slow tasks and the tasks of locked customers are done, or given up. */
  idle(): Promise<void>;
}

export function createPreparer(
  deps: PrepareDeps,
  bucket: number,
  size: TaskSize,
  signal: AbortSignal = new AbortController().signal,
): Preparer {
  /** The customer after which the next round starts. */
  let lastServed = 0n;
  /** The numbers of slow tasks, until the tasks are prepared. */
  const parsed = new Map<string, NormalisedPayload>();
  /** The tasks of customers whose account was locked. No round prepares any of theirs until they have been served. */
  const lockedTasks = new Map<CustomerId, readonly DueTask[]>();
  const wakeRound = () => deps.wake.notifyLocal(size === 'small' ? 'prepare' : 'prepare-large', bucket);

  const slow = createSlowTasks({
    signal,
    onDone: wakeRound,
    onFailure: (task, error) => quarantineTask(deps, bucket, task, error),
  });
  const locked = createLockedCustomers({
    signal,
    serve: (customerIds, mayWait) => prepareLocked(customerIds, mayWait),
    onServed() {
      if (locked.size === 0) {
        // Also after a failure: a round finds the tasks again.
        lockedTasks.clear();
        parsed.clear();
      }
      wakeRound();
    },
  });
  const leaveOut = (tasks: readonly DueTask[]): void => {
    for (const [customerId, ofCustomer] of groupBy(tasks, (task) => task.customerId))
      lockedTasks.set(customerId, [...(lockedTasks.get(customerId) ?? []), ...ofCustomer]);
    locked.add(lockedTasks.keys());
  };
  const batch: BatchOptions = {
    ...deps,
    bucket,
    parsed,
    mayWait: false,
    onLocked: leaveOut,
    onSlow: (task, steps) => slow.add(task, steps, prepareParsed),
  };

  /** Prepares a slow task whose numbers are parsed. */
  const prepareParsed = async (task: DueTask, numbers: NormalisedPayload): Promise<void> => {
    parsed.set(taskKeyOf(task), numbers);
    await prepareBatch(batch, [task]).finally(() => {
      // When a locked customer is served, they are needed again.
      if (!locked.has(task.customerId)) parsed.delete(taskKeyOf(task));
    });
  };

  /** Returns the customers whose account is still locked. */
  const prepareLocked = async (served: ReadonlySet<CustomerId>, mayWait: boolean): Promise<ReadonlySet<CustomerId>> => {
    const tasks = [...served].flatMap((customerId) => lockedTasks.get(customerId) ?? []);
    for (const customerId of served) lockedTasks.delete(customerId);
    const stillLocked = new Set<CustomerId>();
    const onLocked = (left: readonly DueTask[]): void => {
      for (const { customerId } of left) stillLocked.add(customerId);
      leaveOut(left);
    };
    await prepareBatch({ ...batch, mayWait, onLocked }, tasks);
    for (const task of tasks) if (!stillLocked.has(task.customerId)) parsed.delete(taskKeyOf(task));
    return stillLocked;
  };

  /** Prepares as many tasks as fit in a transaction, skipping those that another process prepares. */
  const prepareNext = async (due: readonly DueTask[]): Promise<Progress> => {
    for (let left = due; left.length > 0; ) {
      const taken = new Set(takeRoundRobin(deps.snapshot(), left));
      left = left.filter((task) => !taken.has(task));
      const prepared = await prepareBatch(batch, [...taken]);
      left = left.filter(({ customerId }) => !locked.has(customerId));
      if (prepared > 0) return { prepared, left: left.length };
    }
    return { prepared: 0, left: 0 };
  };

  const round = async (): Promise<boolean> => {
    const share = { customers: CUSTOMERS_A_ROUND, tasks: MAX_TASKS };
    const due = await readTasksToPrepare(bucketSql(deps.sql, bucket), bucket, size, lastServed, share);
    const byCustomer = groupBy(due, ({ customerId }) => customerId);
    const isLastCustomerReached = byCustomer.size < CUSTOMERS_A_ROUND;
    // This round did not begin at the first customer: those before its start may have tasks.
    const isWrapping = isLastCustomerReached && lastServed > 0n;
    lastServed = isLastCustomerReached ? 0n : (due.at(-1)?.customerId ?? 0n);
    const progress = await prepareNext(due.filter((task) => !slow.has(task) && !locked.has(task.customerId)));
    const tasksEach = Math.ceil(MAX_TASKS / byCustomer.size);
    const isShareFull = [...byCustomer.values()].some((ofCustomer) => ofCustomer.length >= tasksEach);
    const mayHaveMore = progress.left > 0 || isShareFull || !isLastCustomerReached || isWrapping;
    // Perhaps only slow tasks and tasks of locked customers are left: the end of one of them wakes the next round.
    const isOtherWorkRunning = slow.size + locked.size > 0;
    const isWokenLater = isLastCustomerReached && isOtherWorkRunning && progress.prepared === 0;
    return mayHaveMore && !isWokenLater;
  };

  return {
    round,
    async idle() {
      await Promise.all([slow.idle(), locked.idle()]);
    },
  };
}

interface Progress {
  /** Tasks that were prepared or quarantined. */
  readonly prepared: number;
  /** Tasks that did not fit in the transaction. */
  readonly left: number;
}

/**
 * Takes as many numbers as fit in a transaction: the first task of every customer, then the second, and so on. Codes of a customer come
 * before notices and promotions, so that a code does not wait for an earlier campaign.
 */
function takeRoundRobin(snapshot: Snapshot, due: readonly DueTask[]): DueTask[] {
  const taken: DueTask[] = [];
  const rankOf = ({ templateId }: DueTask) => MESSAGE_CLASSES.indexOf(snapshot.classOf(templateId));
  const byCustomer = [...groupBy(due, ({ customerId }) => customerId).values()].map((ofCustomer) =>
    ofCustomer.toSorted((one, other) => rankOf(one) - rankOf(other)),
  );
  let numbers = 0;
  for (let at = 0; byCustomer.some((ofCustomer) => at < ofCustomer.length); at++) {
    for (const ofCustomer of byCustomer) {
      const next = ofCustomer[at];
      if (next === undefined) continue;
      numbers += next.total;
      if (taken.length > 0 && numbers > MAX_NUMBERS) return taken;
      taken.push(next);
    }
  }
  return taken;
}
