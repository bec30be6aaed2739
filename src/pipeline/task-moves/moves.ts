// Makes moves that a customer or an operator calls, on one task or on many of one customer. All are idempotent, and return for every
// task whether the move applied.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import type { TaskId } from '../../domain/id.js';
import type { Account } from '../../domain/money/ledger.js';
import { isAllUnsent } from '../../domain/outcome/ending.js';
import type { Region } from '../../domain/phone/phone.js';
import type { Task } from '../../domain/task/task.js';
import {
  cancelByHand,
  freezeByHand,
  type Moved,
  type MoveName,
  type MoveOutcome,
  pauseByHand,
  prepareByHand,
  rescheduleByHand,
  resolveByHand,
  resumeByHand,
  submitByHand,
} from '../../domain/task/task-moves.js';
import type { Tenant } from '../../domain/tenant.js';
import { readChunksOfTasks } from '../../store/chunk/chunk.js';
import type { LockedAccounts } from '../../store/money/account.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import { queueForPreparing, readSubmitted, readTasks, setSendAt } from '../../store/task/task.js';
import { readUnknownOfTask } from '../../store/wire/unknown-part.js';
import type { CustomerMutex } from '../fairness/customer-mutex.js';
import { readResolved } from '../settle/resolve-unknown.js';
import { type SettleLimits, settleWithin } from '../settle/settle.js';
import type { Wake } from '../wake.js';
import { cutByNumbers, type EndDeps, endTasks, lockTasks, rejectUnprepared } from './end-tasks.js';
import { writeTasks } from './write-tasks.js';

export interface MoveDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
  readonly region: Region;
  readonly limits: SettleLimits;
  readonly mutex: CustomerMutex;
  readonly alongside?: Alongside;
}

/** Runs in the transaction of a successful move, to write the audit log. Gets the tasks before the move. */
export type Alongside = (tx: AnySql, before: readonly Task[]) => Promise<void>;

export type MoveResult = MoveOutcome | { readonly kind: 'not_found' };

/** The tasks of one customer, read under its lock. */
interface MoveContext {
  readonly deps: MoveDeps;
  readonly tx: AnySql;
  readonly tenant: Tenant;
  readonly locked: LockedAccounts;
  readonly account: Account;
  readonly now: Date;
  readonly tasks: readonly Task[];
}

/** Makes a move on each of the tasks. */
type Move = (context: MoveContext) => Promise<ReadonlyMap<TaskId, MoveOutcome>>;

const MOVES: Readonly<Record<MoveName, Move>> = {
  /** The tasks are prepared soon after. */
  prepare: (context) =>
    moveEach(context, prepareByHand, (queued) => queueForPreparing(context.tx, context.tenant, queued.map(idOf))),
  freeze: (context) => {
    const rules = context.deps.snapshot().customer(context.tenant.customerId);
    if (rules === undefined) throw new Error(`customer ${context.tenant.customerId} is not in the snapshot`);
    return moveEach(context, (task) => freezeByHand(task, context.account, rules, context.now));
  },
  submit: (context) => moveEach(context, (task) => submitByHand(task, context.now)),
  /** When this returns, unsent numbers have receipts and their money is released. */
  cancel: (context) =>
    moveEach(context, cancelByHand, (open) => endTasks(context.tx, context.locked, open, 'cancelled', context.deps)),
  pause: (context) => moveEach(context, (task) => pauseByHand(task, context.now)),
  resume: (context) => moveEach(context, (task) => resumeByHand(task, context.now)),
};

/** Applies a move to each task, and writes the changed ones. */
async function moveEach(
  { tx, locked, tasks, deps }: MoveContext,
  apply: (task: Task) => Moved,
  write: (moved: readonly Task[]) => PromiseLike<unknown> = (moved) => writeTasks(tx, locked, moved, deps.snapshot()),
): Promise<ReadonlyMap<TaskId, MoveOutcome>> {
  const outcomes = new Map<TaskId, MoveOutcome>();
  const moved: Task[] = [];
  for (const task of tasks) {
    const { outcome, task: next } = apply(task);
    outcomes.set(task.taskId, outcome);
    if (next !== undefined) moved.push(next);
  }
  if (moved.length > 0) await write(moved);
  return outcomes;
}

/** Makes a move on one task. Freezing and cancelling are done when this returns. */
export async function moveTask(deps: MoveDeps, name: MoveName, tenant: Tenant, taskId: TaskId): Promise<MoveResult> {
  const keys = [{ customerId: tenant.customerId, taskId }];
  const tasks = name === 'cancel' ? await readTasks(deps.sql, tenant.bucket, keys) : [];
  const results = await moveTogether(await readAhead(deps, name, tenant, tasks), MOVES[name], tenant, [taskId]);
  notify(deps.wake);
  return results.get(taskId) ?? { kind: 'not_found' };
}

/** Makes a move on many tasks of one customer, in several transactions, so that the account is not locked for long. */
export async function moveTasks(
  deps: MoveDeps,
  name: MoveName,
  tenant: Tenant,
  taskIds: readonly TaskId[],
): Promise<Map<TaskId, MoveResult>> {
  const results = new Map<TaskId, MoveResult>();
  const keys = taskIds.map((taskId) => ({ customerId: tenant.customerId, taskId }));
  for (const page of cutByNumbers(await readTasks(deps.sql, tenant.bucket, keys))) {
    const ids = page.map(({ taskId }) => taskId);
    const ahead = await readAhead(deps, name, tenant, page);
    for (const [taskId, result] of await moveTogether(ahead, MOVES[name], tenant, ids)) results.set(taskId, result);
  }
  notify(deps.wake);
  return results;
}

/** Computes what takes long before the transaction. */
async function readAhead(
  deps: MoveDeps,
  name: MoveName,
  { bucket }: Tenant,
  tasks: readonly Task[],
): Promise<MoveDeps & EndDeps> {
  if (name !== 'cancel') return deps;
  return { ...deps, unprepared: await rejectUnprepared(deps, bucket, tasks, 'cancelled') };
}

/** In one transaction: reads and changes the tasks under their customer's lock. */
async function moveTogether(
  deps: MoveDeps,
  move: Move,
  tenant: Tenant,
  taskIds: readonly TaskId[],
): Promise<ReadonlyMap<TaskId, MoveOutcome>> {
  const { bucket, customerId } = tenant;
  const moveInTransaction = async (tx: AnySql): Promise<ReadonlyMap<TaskId, MoveOutcome>> => {
    const keys = taskIds.map((taskId) => ({ customerId, taskId }));
    const { locked, tasks } = await lockTasks(tx, bucket, keys);
    const account = locked.accounts.get(customerId);
    if (account === undefined || tasks.length === 0) return new Map();
    const outcomes = await move({ deps, tx, tenant, locked, account, now: locked.now, tasks });
    if ([...outcomes.values()].some(({ kind }) => kind === 'ok')) await deps.alongside?.(tx, tasks);
    return outcomes;
  };
  return await deps.mutex.run(customerId, () => deps.sql.begin(moveInTransaction));
}

function notify(wake: Wake): void {
  wake.notify('prepare');
  wake.notify('prepare-large');
  wake.notify('dispatch');
}

function idOf({ taskId }: Task): TaskId {
  return taskId;
}

/** Changes the time to be sent, until the first part is sent. */
export async function rescheduleTask(
  deps: MoveDeps,
  tenant: Tenant,
  taskId: TaskId,
  sendAt: Date,
): Promise<MoveResult> {
  const reschedule: Move = async (context) => {
    const { tx, locked, now, tasks } = context;
    const [before] = tasks;
    const begun = await readBegun(tx, tenant.bucket, tasks);
    const apply = (task: Task) => rescheduleByHand(task, sendAt, begun.has(task.taskId), now);
    return await moveEach(context, apply, async (moved) => {
      await setSendAt(tx, tenant, taskId, sendAt, now);
      // If its submission is not granted, or it stays queued, only the time changes.
      await writeTasks(
        tx,
        locked,
        moved.filter(({ submitAt }) => submitAt !== before?.submitAt),
        deps.snapshot(),
      );
    });
  };
  const outcomes = await moveTogether(deps, reschedule, tenant, [taskId]);
  deps.wake.notify('dispatch');
  return outcomes.get(taskId) ?? { kind: 'not_found' };
}

/** The tasks of which a part was sent, or may have been. */
async function readBegun(tx: AnySql, bucket: number, tasks: readonly Task[]): Promise<ReadonlySet<TaskId>> {
  const [submitted, stored] = await Promise.all([
    readSubmitted(tx, bucket, tasks),
    readChunksOfTasks(tx, bucket, tasks),
  ]);
  const begun = new Set(tasks.filter((task) => submitted.has(taskKeyOf(task))).map(({ taskId }) => taskId));
  for (const { chunk, state } of stored) if (!isAllUnsent(state)) begun.add(chunk.taskId);
  return begun;
}

export interface Resolution {
  readonly outcome: 'accepted' | 'not_accepted';
  /** Undefined: all unknown numbers of the task. */
  readonly seqs: readonly number[] | undefined;
}

/** Settles unknown numbers as the operator decides. The settlement and its entry in the audit log are one transaction. */
export async function resolveTask(
  deps: MoveDeps,
  tenant: Tenant,
  taskId: TaskId,
  resolution: Resolution,
): Promise<MoveResult> {
  const resolve: Move = async (context) => {
    const { tx } = context;
    const { bucket } = tenant;
    const { outcome, seqs } = resolution;
    const wanted = seqs === undefined ? undefined : new Set(seqs);
    const unknown = await readUnknownOfTask(tx, tenant, taskId);
    const chosen = unknown.filter(({ seq }) => wanted === undefined || wanted.has(seq));
    const apply = (task: Task) => resolveByHand(task, chosen.length > 0);
    return await moveEach(context, apply, async () => {
      const resolved = await readResolved(tx, bucket, chosen, outcome);
      if (resolved.length > 0) await settleWithin(tx, bucket, resolved, [], deps.limits);
    });
  };
  const outcomes = await moveTogether(deps, resolve, tenant, [taskId]);
  deps.wake.notifyLocal('push', tenant.bucket);
  return outcomes.get(taskId) ?? { kind: 'not_found' };
}
