// The moves that a customer or an operator makes by hand, on one task or on many of one customer. Each is harmless when
// repeated, and answers for every task whether it applies.

import { taskKeyOf } from '../domain/chunk.js';
import { isAllUnsent } from '../domain/ending.js';
import { explainObstacle, type FreezeObstacle, tryFreeze, waitingFor } from '../domain/freeze.js';
import type { TaskId } from '../domain/id.js';
import type { Account, Tenant } from '../domain/ledger.js';
import type { Region } from '../domain/phone.js';
import { mayStart, startOf } from '../domain/schedule.js';
import { isFinal, type Stage } from '../domain/stages.js';
import { sendableOf, type Task } from '../domain/task.js';
import { freezeTask } from '../domain/task-moves.js';
import { readChunksOfTasks, unqueueChunks } from '../store/chunk/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import type { LockedAccounts } from '../store/money/account.js';
import { runTogether } from '../store/run-together.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { readSubmitted, readTasks, setSendAt, updateTasks, wantPrepared } from '../store/task/task.js';
import { readUnknownOfTask } from '../store/wire/unknown-part.js';
import { cutByNumbers, endTasks, lockTasks } from './end-tasks.js';
import { writeFreezes } from './prepare/refreeze.js';
import { putUp } from './put-up.js';
import { readResolved } from './settle/resolve-unknown.js';
import { type SettleLimits, settleWithin } from './settle/settle.js';
import type { Wake } from './wake.js';

export interface MoveDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
  readonly region: Region;
  readonly limits: SettleLimits;
  /** Written in the transaction of a move that succeeds: the operator's entry in the audit log. */
  readonly alongside?: (tx: AnySql) => Promise<void>;
}

export type MoveResult =
  /** `isRepeat`: it was so already, and nothing was changed. */
  | { readonly kind: 'ok'; readonly isRepeat?: true }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'invalid_stage'; readonly stage: Stage; readonly detail: string }
  | { readonly kind: 'insufficient_funds'; readonly waitsFor: FreezeObstacle; readonly detail: string };

const OK: MoveResult = { kind: 'ok' };
const DONE_BEFORE: MoveResult = { kind: 'ok', isRepeat: true };

/** One customer's tasks under its lock. */
interface Turn {
  readonly deps: MoveDeps;
  readonly tx: AnySql;
  readonly tenant: Tenant;
  readonly locked: LockedAccounts;
  readonly account: Account;
  readonly now: Date;
}

/** Makes a move on each of the tasks and says how it went, in their order. */
type Move = (turn: Turn, tasks: readonly Task[]) => Promise<MoveResult[]>;

const MOVES = { prepare, freeze, submit, cancel, pause, resume } as const satisfies Record<string, Move>;
export type MoveName = keyof typeof MOVES;

/** Makes a move on one task. Freezing and cancelling are done when this returns. */
export async function moveTask(deps: MoveDeps, name: MoveName, tenant: Tenant, taskId: TaskId): Promise<MoveResult> {
  const results = await moveTogether(deps, MOVES[name], tenant, [taskId]);
  notify(deps.wake);
  return results.get(taskId) ?? { kind: 'not_found' };
}

/** Makes a move on many tasks of one customer, a transaction for so many at a time that others of it are not kept waiting. */
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
    for (const [taskId, result] of await moveTogether(deps, MOVES[name], tenant, ids)) results.set(taskId, result);
  }
  notify(deps.wake);
  return results;
}

/** One transaction: the tasks are read, judged and changed under their customer's lock. */
async function moveTogether(
  deps: MoveDeps,
  move: Move,
  tenant: Tenant,
  taskIds: readonly TaskId[],
): Promise<Map<TaskId, MoveResult>> {
  const { bucket, customerId } = tenant;
  return await deps.sql.begin(async (tx) => {
    const keys = taskIds.map((taskId) => ({ customerId, taskId }));
    const { locked, tasks } = await lockTasks(tx, bucket, keys);
    const account = locked.accounts.get(customerId);
    if (account === undefined || tasks.length === 0) return new Map();
    const results = await move({ deps, tx, tenant, locked, account, now: locked.now }, tasks);
    if (results.some(({ kind }) => kind === 'ok')) await deps.alongside?.(tx);
    return new Map(tasks.map((task, at) => [task.taskId, results[at] ?? OK]));
  });
}

function notify(wake: Wake): void {
  wake.notify('prepare');
  wake.notify('prepare-large');
  wake.notify('dispatch');
}

function wrongStage(task: Task, detail: string): MoveResult {
  return { kind: 'invalid_stage', stage: task.stage, detail };
}

/** The tasks that a move applies to, with what it answers for all. */
function judge(
  tasks: readonly Task[],
  verdictOf: (task: Task) => MoveResult | 'done',
): { results: MoveResult[]; open: Task[] } {
  const verdicts = tasks.map(verdictOf);
  const open = tasks.filter((_, at) => verdicts[at] !== 'done' && (verdicts[at] as MoveResult).kind === 'ok');
  return { results: verdicts.map((verdict) => (verdict === 'done' ? DONE_BEFORE : verdict)), open };
}

/** The tasks are prepared soon after. */
async function prepare({ tx, tenant }: Turn, tasks: readonly Task[]): Promise<MoveResult[]> {
  const { results } = judge(tasks, (task) => {
    if (task.stage === 'failed' || task.stage === 'cancelled') {
      return wrongStage(task, `A ${task.stage} task cannot be prepared.`);
    }
    return task.queuedFor === 'manual' ? OK : 'done';
  });
  // Also those that wait to be prepared already: one that was set aside is tried again at once.
  const taskIds = tasks.filter(({ stage }) => stage === 'queued').map(({ taskId }) => taskId);
  if (taskIds.length > 0) await wantPrepared(tx, tenant, taskIds);
  return results;
}

async function freeze({ deps, tx, tenant, locked, account, now }: Turn, tasks: readonly Task[]): Promise<MoveResult[]> {
  const customer = deps.snapshot().customer(tenant.customerId);
  if (customer === undefined) throw new Error(`customer ${tenant.customerId} is not in the snapshot`);
  const waiting: Task[] = [];
  const { results, open } = judge(tasks, (task) => {
    if (task.frozenAt !== null && task.stage !== 'cancelled') return 'done';
    if (task.stage === 'queued') return wrongStage(task, 'The task must be prepared before its price can be frozen.');
    if (task.stage !== 'prepared') return wrongStage(task, `A ${task.stage} task has nothing to freeze.`);
    const obstacle = tryFreeze(account, { ...task, numbers: sendableOf(task) }, now);
    if (obstacle === undefined) return OK;
    waiting.push({ ...task, ...waitingFor(obstacle) });
    const detail = explainObstacle(account, task.price, obstacle, now);
    return { kind: 'insufficient_funds', waitsFor: obstacle, detail };
  });
  await writeFreezes(
    tx,
    locked,
    open.map((task) => freezeTask(task, customer, now)),
  );
  if (waiting.length > 0) await updateTasks(tx, tenant.bucket, waiting, now);
  return results;
}

/** The chunks are put up for dispatch, at once or when the time of the task has come. */
async function submit({ tx, tenant, locked, now }: Turn, tasks: readonly Task[]): Promise<MoveResult[]> {
  const { results, open } = judge(tasks, (task) => {
    if (['submitting', 'waiting_receipt', 'submit_unknown', 'completed'].includes(task.stage)) return 'done';
    if (task.stage !== 'prepared') return wrongStage(task, `A ${task.stage} task cannot be submitted.`);
    if (task.frozenAt === null) return wrongStage(task, 'The price of the task must be frozen before it is submitted.');
    return task.submitAt === null ? OK : 'done';
  });
  const later = open.filter((task) => !mayStart(task, now)).map((task) => ({ ...task, submitAt: startOf(task, now) }));
  if (later.length > 0) await updateTasks(tx, tenant.bucket, later, now);
  await putUp(
    tx,
    locked,
    open.filter((task) => mayStart(task, now)),
  );
  return results;
}

/** What is unsent is not sent, and its money is released when this returns; what is under way finishes. */
async function cancel({ deps, tx, locked }: Turn, tasks: readonly Task[]): Promise<MoveResult[]> {
  const { results, open } = judge(tasks, (task) => {
    if (task.stage === 'cancelled' || task.ending === 'cancelled') return 'done';
    if (isFinal(task.stage)) return wrongStage(task, `A ${task.stage} task cannot be cancelled any more.`);
    return OK;
  });
  await endTasks(tx, locked, open, 'cancelled', deps);
  return results;
}

/** Nothing new is handed over until it is resumed; preparing and freezing go on. */
async function pause({ tx, tenant, now }: Turn, tasks: readonly Task[]): Promise<MoveResult[]> {
  const { results, open } = judge(tasks, (task) => {
    if (!isUnsent(task)) return wrongStage(task, `A ${task.stage} task has nothing left to hand over.`);
    if (task.ending !== null) return wrongStage(task, 'What is left of the task is under way already.');
    return task.paused === true ? 'done' : OK;
  });
  if (open.length === 0) return results;
  const changes = open.map((task) => ({
    ...task,
    paused: true,
    submitAt: task.stage === 'submitting' ? (task.submitAt ?? now) : task.submitAt,
  }));
  const { bucket } = tenant;
  await runTogether(tx, [updateTasks(tx, bucket, changes, now), unqueueChunks(tx, bucket, open)]);
  return results;
}

/** Goes on where it was paused, unless its time to be sent is still to come. */
async function resume({ tx, tenant, locked, now }: Turn, tasks: readonly Task[]): Promise<MoveResult[]> {
  const { results, open } = judge(tasks, (task) => {
    if (task.paused === null) return wrongStage(task, 'The task is not paused.');
    return task.paused ? OK : 'done';
  });
  const resumed = open.map((task) => ({ ...task, paused: false }));
  const isDue = (task: Task) => task.submitAt !== null && task.submitAt <= now;
  const waiting = resumed.filter((task) => !isDue(task));
  if (waiting.length > 0) await updateTasks(tx, tenant.bucket, waiting, now);
  await putUp(tx, locked, resumed.filter(isDue));
  return results;
}

/** Another time to be sent at, until the first part is handed over. The stage stays: it never goes back. */
export async function rescheduleTask(
  deps: MoveDeps,
  tenant: Tenant,
  taskId: TaskId,
  sendAt: Date,
): Promise<MoveResult> {
  const reschedule: Move = async ({ tx, locked, now }, tasks) => {
    const begun = await readBegun(tx, tenant.bucket, tasks);
    const { results, open } = judge(tasks, (task) => {
      if (!isUnsent(task) || task.ending !== null) return wrongStage(task, `A ${task.stage} task is not sent again.`);
      if (begun.has(task.taskId)) return wrongStage(task, 'The first part of the task is handed over already.');
      return OK;
    });
    for (const task of open) {
      const changed = { ...task, sendAt };
      await setSendAt(tx, tenant, task.taskId, sendAt, now);
      const isQueued = task.stage === 'submitting' && task.submitAt === null;
      if (task.submitAt === null && !isQueued) continue;
      if (!mayStart(changed, now)) {
        await unqueueChunks(tx, tenant.bucket, [task]);
        await updateTasks(tx, tenant.bucket, [{ ...changed, submitAt: startOf(changed, now) }], now);
      } else if (!isQueued) await putUp(tx, locked, [changed]);
    }
    return results;
  };
  const results = await moveTogether(deps, reschedule, tenant, [taskId]);
  deps.wake.notify('dispatch');
  return results.get(taskId) ?? { kind: 'not_found' };
}

/** The tasks of which a part was handed over, or may have been. */
async function readBegun(tx: AnySql, bucket: number, tasks: readonly Task[]): Promise<ReadonlySet<TaskId>> {
  const [submitted, stored] = await Promise.all([
    readSubmitted(tx, bucket, tasks),
    readChunksOfTasks(tx, bucket, tasks),
  ]);
  const begun = new Set(tasks.filter((task) => submitted.has(taskKeyOf(task))).map(({ taskId }) => taskId));
  for (const { chunk, state } of stored) if (!isAllUnsent(state)) begun.add(chunk.taskId);
  return begun;
}

function isUnsent({ stage }: Task): boolean {
  return stage === 'queued' || stage === 'prepared' || stage === 'submitting';
}

export interface Resolution {
  readonly outcome: 'accepted' | 'not_accepted';
  /** Undefined: all unknown numbers of the task. */
  readonly seqs: readonly number[] | undefined;
}

/** The operator knows from the upstream what became of unknown numbers. What is decided and its entry in the log are one. */
export async function resolveTask(
  deps: MoveDeps,
  tenant: Tenant,
  taskId: TaskId,
  resolution: Resolution,
): Promise<MoveResult> {
  const resolve: Move = async ({ tx }, tasks) => {
    const unknown = await readUnknownOfTask(tx, tenant, taskId);
    const { outcome, seqs } = resolution;
    const wanted = seqs === undefined ? undefined : new Set(seqs);
    const chosen = unknown.filter(({ seq }) => wanted === undefined || wanted.has(seq));
    const { results, open } = judge(tasks, (task) => {
      if (chosen.length > 0) return OK;
      const hadUnknown = task.timeline.some((entry) => entry.stage === 'submit_unknown');
      return hadUnknown ? 'done' : wrongStage(task, 'The task has no unknown number.');
    });
    const resolved = open.length > 0 ? await readResolved(tx, tenant.bucket, chosen, outcome) : [];
    if (resolved.length > 0) await settleWithin(tx, tenant.bucket, resolved, [], deps.limits);
    return results;
  };
  const results = await moveTogether(deps, resolve, tenant, [taskId]);
  deps.wake.rouse('push');
  return results.get(taskId) ?? { kind: 'not_found' };
}
