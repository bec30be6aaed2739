// Prepares accepted tasks: plans and prices them, and writes chunks and receipts. If the task and the customer's policy allow it, the same
// transaction freezes the money and queues the chunks. One transaction serves many tasks of many customers of a bucket.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { Region } from '../../domain/plan/phone.js';
import { type Lane, type NormalisedPayload, normalisePayload } from '../../domain/plan/plan.js';
import { decodePayload } from '../../domain/request/payload.js';
import { MESSAGE_CLASSES } from '../../domain/rules/message-class.js';
import type { QueueKey } from '../../domain/rules/queue-place.js';
import { finishUntil, type Steps } from '../../domain/steps.js';
import type { Task, TaskKey } from '../../domain/task/task.js';
import { readLiveChannels } from '../../store/channel/channel-lease.js';
import type { AnySql, Sql } from '../../store/connect.js';
import { lockAccounts, lockFreeAccounts } from '../../store/money/account.js';
import { isRetryable } from '../../store/retry.js';
import { readVersionAndTime } from '../../store/snapshot/rows.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import {
  claimTasksToPrepare,
  type DueTask,
  type QueuedTask,
  quarantinePrepare,
  readTasksToPrepare,
} from '../../store/task/task-prepare.js';
import { type Transacted, transact } from '../../store/transact.js';
import { bisectFailures } from '../quarantine/bisect-failures.js';
import { runInTurns } from '../run-in-turns.js';
import type { TaskTrace } from '../task-trace.js';
import type { Wake } from '../wake.js';
import { createLockedCustomers } from './locked-customers.js';
import { planTasks, type ReadTask } from './plan-tasks.js';
import { createSlowTasks, type SlowTasks } from './slow-tasks.js';
import { writePlans } from './write-plans.js';

export interface PrepareDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly wake: Wake;
  readonly log: Log;
  readonly trace?: TaskTrace | undefined;
}

/** Per round, over all customers. */
const MAX_TASKS = 500;
/** Bounds the memory of a transaction, and how long it locks the accounts. */
const MAX_NUMBERS = 5000;
const CUSTOMERS_A_ROUND = 200;
/** How long a transaction parses numbers, in total and at least per customer. Each share blocks the event loop. */
const READ_MS = 5;
const MIN_READ_MS = 0.5;

export interface Preparer {
  /** Returns true if there is more to do. */
  round(): Promise<boolean>;
  /** Resolves when the tasks that rounds have left to be prepared apart are done, or given up. */
  idle(): Promise<void>;
}

/**
 * Prepares tasks in rounds over the customers, one transaction per round. Each customer gets a share of a round, and the next round starts
 * after the last customer served.
 */
export function createPreparer(
  deps: PrepareDeps,
  bucket: number,
  lane: Lane,
  signal: AbortSignal = new AbortController().signal,
): Preparer {
  let served = 0n;
  const onDone = () => deps.wake.notifyLocal(lane === 'small' ? 'prepare' : 'prepare-large', bucket);
  const slow = createSlowTasks({
    signal,
    onDone,
    onFailure: (task, error) => quarantineTask(deps, bucket, task, error),
  });
  const prepareLocked = async (tasks: readonly DueTask[], mayWait: boolean): Promise<ReadonlySet<CustomerId>> => {
    const found = new Set<CustomerId>();
    const onLocked = (left: readonly DueTask[]): void => {
      for (const { customerId } of left) found.add(customerId);
    };
    await prepareApart({ ...context, mayWait, onLocked }, tasks);
    for (const task of tasks) if (!found.has(task.customerId)) context.ready.delete(taskKeyOf(task));
    return found;
  };
  const onTurnsDone = (): void => {
    // Also of tasks whose turn failed: a round finds them again.
    context.ready.clear();
    onDone();
  };
  const locked = createLockedCustomers({ signal, onDone: onTurnsDone, prepare: prepareLocked });
  const isLocked = ({ customerId }: DueTask) => locked.has(customerId);
  const prepareRead = async (task: DueTask, numbers: NormalisedPayload): Promise<void> => {
    context.ready.set(taskKeyOf(task), numbers);
    await prepareApart(context, [task]).finally(() => {
      if (!isLocked(task)) context.ready.delete(taskKeyOf(task));
    });
  };
  const own = { bucket, slow, ready: new Map(), mayWait: false, isLocked, onLocked: locked.add, prepareRead };
  const context: Context = { ...deps, ...own };
  const round = async (): Promise<boolean> => {
    const share = { customers: CUSTOMERS_A_ROUND, tasks: MAX_TASKS };
    const due = await readTasksToPrepare(deps.sql, bucket, lane, served, share);
    const byCustomer = groupBy(due, ({ customerId }) => customerId);
    const isLast = byCustomer.size < CUSTOMERS_A_ROUND;
    // The rounds of this cycle began in the middle: customers before may have tasks.
    const isWrapping = isLast && served > 0n;
    served = isLast ? 0n : (due.at(-1)?.customerId ?? 0n);
    const progress = await prepareNext(
      context,
      due.filter((task) => !slow.has(task) && !isLocked(task)),
    );
    const tasksEach = Math.ceil(MAX_TASKS / byCustomer.size);
    const isCut = [...byCustomer.values()].some((own) => own.length >= tasksEach);
    const isMore = progress.left > 0 || isCut || !isLast || isWrapping;
    // If only slow tasks and tasks of locked customers are left, the end of one of them wakes the next round.
    return isMore && (progress.prepared > 0 || slow.size + locked.size === 0 || !isLast);
  };
  const idle = async (): Promise<void> => {
    await Promise.all([slow.idle(), locked.idle()]);
  };
  return { round, idle };
}

interface Context extends PrepareDeps {
  readonly bucket: number;
  readonly slow: SlowTasks;
  /** Slow tasks that have been read, by their keys. */
  readonly ready: Map<string, NormalisedPayload>;
  /** Tasks of this customer wait for its account. */
  readonly isLocked: (task: DueTask) => boolean;
  /** For the accounts of customers; otherwise tasks of those that are locked are left out. */
  readonly mayWait: boolean;
  /** Prepares a slow task that has been read. */
  readonly prepareRead: (task: DueTask, numbers: NormalisedPayload) => Promise<void>;
  /** Gets the tasks that were left out. */
  readonly onLocked: (tasks: readonly DueTask[]) => void;
}

interface Progress {
  readonly prepared: number;
  readonly left: number;
}

/** Prepares as many tasks as fit in a transaction, skipping those that another process prepares. */
async function prepareNext(context: Context, due: readonly DueTask[]): Promise<Progress> {
  for (let left = due; left.length > 0; ) {
    const turn = new Set(takeTurns(context.snapshot(), left));
    left = left.filter((task) => !turn.has(task));
    const prepared = await prepareApart(context, [...turn]);
    left = left.filter((task) => !context.isLocked(task));
    if (prepared > 0) return { prepared, left: left.length };
  }
  return { prepared: 0, left: 0 };
}

/** Zero when others are at all of them. A task that cannot be prepared is quarantined; the others go on. */
async function prepareApart(context: Context, due: readonly DueTask[]): Promise<number> {
  let prepared = 0;
  const failed: { readonly task: DueTask; readonly error: unknown }[] = [];
  await bisectFailures(due, {
    ownerOf: (task) => task,
    step: async (tasks) => {
      prepared += await prepareTogether(context, tasks);
    },
    onFailure(tasks, error) {
      if (isRetryable(error)) throw error;
      failed.push(...tasks.map((task) => ({ task, error })));
    },
  });
  for (const { task, error } of failed) await quarantineTask(context, context.bucket, task, error);
  return prepared + failed.length;
}

async function quarantineTask({ sql, log }: PrepareDeps, bucket: number, task: TaskKey, error: unknown): Promise<void> {
  log.error({ err: error, task: String(task.taskId) }, 'a task could not be prepared; it is quarantined and retried');
  const reason = error instanceof Error ? error.message : String(error);
  await quarantinePrepare(sql, bucket, task, reason);
}

async function prepareTogether(context: Context, due: readonly DueTask[]): Promise<number> {
  const { bucket, wake, trace } = context;
  const startMs = trace?.now() ?? 0;
  const written = await transact(context.sql, (tx) => claimAndPlan(context, tx, due));
  if (written === 'stale') {
    await context.refreshSnapshot();
    return await prepareTogether(context, due);
  }
  trace?.prepared(written.prepared, startMs);
  if (written.queues.length > 0) {
    wake.hintQueues(written.queues);
    wake.notify('dispatch', bucket);
  }
  for (const { task, steps } of written.slow) {
    context.slow.add(task, steps, context.prepareRead);
  }
  if (written.locked.length > 0) context.onLocked(written.locked);
  return written.prepared.length;
}

interface Written {
  /** The queues in which chunks wait. */
  readonly queues: readonly QueueKey[];
  readonly prepared: readonly Task[];
  /** Tasks that are left, because parsing their numbers takes too long. */
  readonly slow: readonly SlowTask[];
  /** The same because the account of their customer is locked. */
  readonly locked: readonly DueTask[];
}

/** `stale`: the snapshot of this process is outdated. */
async function claimAndPlan(
  context: Context,
  tx: AnySql,
  due: readonly DueTask[],
): Promise<Transacted<Written | 'stale'>> {
  const { bucket, mayWait } = context;
  const lock = async (tasks: readonly TaskKey[]) => {
    const customerIds = [...new Set(tasks.map(({ customerId }) => customerId))];
    return await (mayWait ? lockAccounts : lockFreeAccounts)(tx, bucket, customerIds, []);
  };
  const [claimed, { version, now }, live] = await Promise.all([
    claimTasksToPrepare(tx, bucket, due),
    readVersionAndTime(tx),
    readLiveChannels(tx),
  ]);
  if (claimed.length === 0) return { result: { queues: [], prepared: [], slow: [], locked: [] } };
  // Another process may have accepted a task for a template that is not in this snapshot yet: the task would fail.
  if (version > context.snapshot().version) return { result: 'stale' };
  const { tasks, slow } = await runInTurns(readNumbers(context, claimed));
  const read = tasks.map(({ task }) => task);
  // Caps are counted under the locks of their customers, so that two concurrent tasks cannot both use the last one.
  const isCounted = read.some(({ customerId }) => (context.snapshot().customer(customerId)?.caps.length ?? 0) > 0);
  const counted = isCounted ? await lock(read) : undefined;
  const free = tasks.filter(({ task }) => counted?.accounts.has(task.customerId) ?? true);
  const isUp = (channelId: bigint) => live.has(channelId);
  const planned = free.length > 0 ? await planTasks(context, tx, free, isUp, counted?.now ?? now) : [];
  const held = await lock(planned.map(({ task }) => task));
  const going = planned.filter(({ task }) => held.accounts.has(task.customerId));
  const locked = read.flatMap((task) => (held.accounts.has(task.customerId) ? [] : dueOf(task)));
  if (going.length === 0) return { result: { queues: [], prepared: [], slow, locked } };
  const { result, ...end } = writePlans(tx, context.snapshot(), held, going);
  return { result: { queues: result.queues, prepared: result.tasks, slow, locked }, ...end };
}

function dueOf(task: Task): DueTask {
  return { ...task, total: task.counts.total };
}

interface SlowTask {
  readonly task: DueTask;
  readonly steps: Steps<NormalisedPayload>;
}

/** Each customer gets the same share of the time; the rest goes to `slow`. */
function* readNumbers(
  context: Context,
  claimed: readonly QueuedTask[],
): Steps<{ readonly tasks: readonly ReadTask[]; readonly slow: readonly SlowTask[] }> {
  const tasks: ReadTask[] = [];
  const slow: SlowTask[] = [];
  const byCustomer = groupBy(claimed, ({ task }) => task.customerId);
  const shareMs = Math.max(MIN_READ_MS, READ_MS / byCustomer.size);
  for (const own of byCustomer.values()) {
    const endMs = performance.now() + shareMs;
    for (const { task, payload } of own) {
      const ready = context.ready.get(taskKeyOf(task));
      if (ready !== undefined) {
        tasks.push({ task, numbers: ready });
        continue;
      }
      const steps = normalisePayload(decodePayload(payload), context.region);
      const numbers = finishUntil(steps, () => performance.now() >= endMs);
      if (numbers !== undefined) tasks.push({ task, numbers });
      else slow.push({ task: dueOf(task), steps });
    }
    yield;
  }
  return { tasks, slow };
}

/**
 * Takes as many numbers as fit in a transaction: the first task of every customer, then the second, and so on. Codes of a customer come
 * before notices and promotions, so that a code does not wait for an earlier campaign.
 */
function takeTurns(snapshot: Snapshot, due: readonly DueTask[]): DueTask[] {
  const taken: DueTask[] = [];
  const rankOf = ({ templateId }: DueTask) => MESSAGE_CLASSES.indexOf(snapshot.classOf(templateId));
  const byCustomer = [...groupBy(due, ({ customerId }) => customerId).values()].map((own) =>
    own.toSorted((one, other) => rankOf(one) - rankOf(other)),
  );
  let numbers = 0;
  for (let round = 0; byCustomer.some((own) => round < own.length); round++) {
    for (const own of byCustomer) {
      const next = own[round];
      if (next === undefined) continue;
      numbers += next.total;
      if (taken.length > 0 && numbers > MAX_NUMBERS) return taken;
      taken.push(next);
    }
  }
  return taken;
}
